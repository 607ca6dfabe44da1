"""Debian's package of the server, installed by apt in a clean system, used, upgraded, removed and purged. In it is the program that was built
already; packaging/tests/test_deb.py does it with all packages as they are built for a release."""

import pathlib
import tempfile
import unittest

import package


class Deb(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        [self.file] = package.build("deb", self.folder, package.PROGRAM)
        self.system = package.CleanSystem()
        self.addCleanup(self.system.remove)

    def serve(self):
        """As the unit does: by its user, with the settings of the package's file, in the folder that systemd would make."""
        self.system.run("install", "-d", "-o", "gramme", "-m", "700", "/var/lib/gramme")
        return self.system.start("runuser", "-u", "gramme", "--", "sh", "-c", "set -a; . /etc/gramme/gramme.env; "
                                 "exec /usr/bin/gramme serve --data /var/lib/gramme --port 0")

    def later(self):
        """The same package as of a later release, whose settings say more."""
        tree, file = self.folder / "tree", self.folder / "later.deb"
        package.run("dpkg-deb", "--raw-extract", self.file, tree)
        package.run("sed", "-i", "s/^Version: .*/&+later/", tree / "DEBIAN/control")
        with open(tree / "etc/gramme/gramme.env", "a") as settings:
            settings.write("# what is new\n")
        package.run("dpkg-deb", "--root-owner-group", "--build", tree, file)
        return file

    def upgrade(self):
        """A server whose settings were changed gets a package whose settings have changed as well."""
        asked, settings = self.system.ask_systemd(), self.system.root / "etc/gramme/gramme.env"
        with open(settings, "a") as file:
            file.write("GRAMME_REGION=eu-west-1\n")
        own = settings.read_text()
        before = self.system.run("dpkg-query", "-W", "-f", "${Version}", "gramme")
        self.system.install(self.later(), options=("-o", "Dpkg::Options::=--force-confold"))
        self.assertEqual(self.system.run("dpkg-query", "-W", "-f", "${Version}", "gramme"), f"{before}+later")
        self.assertEqual((settings.read_text(), settings.with_suffix(".env.dpkg-dist").read_text()[-14:]), (own, "# what is new\n"))
        self.assertEqual(asked.read_text(), "restart gramme.service\n")

    def test_installed_used_upgraded_removed_and_purged(self):
        self.system.install(self.file)
        root = self.system.root
        self.assertTrue((root / "etc/systemd/system/multi-user.target.wants/gramme.service").is_symlink())
        for file in ("bin/gramme", "share/man/man1/gramme.1.gz", "share/bash-completion/completions/gramme.bash",
                     "share/zsh/site-functions/_gramme", "share/fish/vendor_completions.d/gramme.fish", "share/gramme/java/java"):
            self.assertTrue((root / "usr" / file).is_file(), file)
        process, address = self.serve()
        package.put_item(address)
        package.stop(process, "/usr/bin/gramme", package.signal.SIGKILL)
        self.upgrade()
        process, address = self.serve()
        self.assertEqual(package.get_item(address), package.ITEM)
        self.assertIn(":eu-west-1:", package.call(address, "DescribeTable", {"TableName": "kept"})["Table"]["TableArn"])
        self.assertEqual(package.stop(process, "/usr/bin/gramme"), 0)

        self.system.run("dpkg", "--remove", "gramme")
        self.assertFalse((root / "usr/bin/gramme").exists())
        # The socket first, or it would start the service again; some debhelpers stop it once more.
        asked = (root / "tmp/asked").read_text().splitlines()[1:]
        self.assertEqual((asked[0], sorted(set(asked))), ("stop gramme.socket", ["stop gramme.service", "stop gramme.socket"]))
        self.assertTrue((root / "var/lib/gramme").is_dir() and (root / "etc/gramme/gramme.env").is_file())
        self.system.run("dpkg", "--purge", "gramme")
        self.assertFalse((root / "var/lib/gramme").exists() or (root / "etc/gramme").exists())
