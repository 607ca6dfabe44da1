"""Debian's package of the server, installed by apt in a clean system, used, removed and purged. In it is the program that was built
already; packaging/tests/test_deb.py does it with all packages as they are built for a release."""

import tempfile
import unittest

import package


class Deb(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        [self.file] = package.build("deb", folder.name, package.PROGRAM)
        self.system = package.CleanSystem()
        self.addCleanup(self.system.remove)

    def serve(self):
        """As the unit does: by its user, with the settings of the package's file, in the folder that systemd would make."""
        self.system.run("install", "-d", "-o", "gramme", "-m", "700", "/var/lib/gramme")
        return self.system.start("runuser", "-u", "gramme", "--", "sh", "-c", "set -a; . /etc/gramme/gramme.env; "
                                 "exec /usr/bin/gramme serve --data /var/lib/gramme --port 0")

    def test_installed_used_removed_and_purged(self):
        self.system.install(self.file)
        root = self.system.root
        self.assertTrue((root / "etc/systemd/system/multi-user.target.wants/gramme.service").is_symlink())
        for file in ("bin/gramme", "share/man/man1/gramme.1.gz", "share/bash-completion/completions/gramme.bash",
                     "share/zsh/site-functions/_gramme", "share/fish/vendor_completions.d/gramme.fish", "share/gramme/java/java"):
            self.assertTrue((root / "usr" / file).is_file(), file)
        process, address = self.serve()
        package.put_item(address)
        package.stop(process, "/usr/bin/gramme", package.signal.SIGKILL)
        process, address = self.serve()
        self.assertEqual(package.get_item(address), package.ITEM)
        self.assertEqual(package.stop(process, "/usr/bin/gramme"), 0)

        self.system.run("dpkg", "--remove", "gramme")
        self.assertFalse((root / "usr/bin/gramme").exists())
        self.assertTrue((root / "var/lib/gramme").is_dir() and (root / "etc/gramme/gramme.env").is_file())
        self.system.run("dpkg", "--purge", "gramme")
        self.assertFalse((root / "var/lib/gramme").exists() or (root / "etc/gramme").exists())
