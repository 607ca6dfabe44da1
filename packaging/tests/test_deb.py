"""Debian's packages, installed in a clean system by apt with what they depend on, used, and purged."""

import hashlib
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests/packages"))
import package  # noqa: E402


class Deb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.files = package.build("deb", f"{cls.folder.name}/first")
        cls.system = package.CleanSystem()
        cls.system.install(*(file for file in cls.files if "dbgsym" not in file.name))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        cls.system.remove()

    def test_1_what_is_installed(self):
        root = self.system.root
        self.assertEqual(sorted(file.name.split("_")[0] for file in self.files),
                         ["gramme", "gramme-dbgsym", "gramme-systems", "gramme-systems-dbgsym", "libgramme-client-dev",
                          "libgramme-client0.1", "libgramme-client0.1-dbgsym"])
        self.assertRegex(self.system.run("getent", "passwd", "gramme"), r"^gramme:x:\d+:\d+:.*:/var/lib/gramme:/usr/sbin/nologin$")
        self.assertIn("/etc/gramme/gramme.env", self.system.run("dpkg-query", "-W", "-f", "${Conffiles}", "gramme"))
        unit = next(root.glob("*/systemd/system/gramme.service"), None) or next(root.glob("usr/*/systemd/system/gramme.service"))
        self.assertIn("\nUser=gramme\nGroup=gramme\n", unit.read_text())
        self.assertTrue((root / "etc/systemd/system/multi-user.target.wants/gramme.service").is_symlink())
        self.assertFalse((root / "etc/systemd/system/multi-user.target.wants/gramme-ledger.service").is_symlink())

    def test_2_the_server_keeps_data(self):
        self.system.run("install", "-d", "-o", "gramme", "-m", "700", "/var/lib/gramme")
        serve = ("runuser", "-u", "gramme", "--", "/usr/bin/gramme", "serve", "--port", "0", "--data", "/var/lib/gramme")
        for tables in ([], ["kept"]):
            process, address = self.system.start(*serve)
            self.assertEqual(package.call(address, "ListTables", {}), {"TableNames": tables})
            if not tables:
                package.call(address, "CreateTable", package.KEPT)
            self.assertEqual(package.stop(process, "/usr/bin/gramme"), 0)

    def test_3_the_library_and_the_systems_are_there(self):
        self.assertEqual(self.system.run("sed", "-n", "s/^Version: //p", *(
            str(path)[len(str(self.system.root)):] for path in self.system.root.glob("usr/lib/*/pkgconfig/gramme-client.pc"))).strip(),
            package.run("sed", "-n", "s/^    version: '\\(.*\\)',/\\1/p", package.ROOT / "meson.build").strip())
        self.assertIn("gramme-ledger", self.system.run("gramme-ledger", "--help"))

    def test_4_removed_it_keeps_data_and_purged_nothing(self):
        services = [f"gramme-{name}.service" for name in ("exchange-rates", "ledger", "lunch-cache", "payment-saga", "stock-cache")]
        [systems] = (file for file in self.files if file.name.startswith("gramme-systems_"))
        # A later gramme alone, which is what the documentation installs, does not drive them out.
        self.assertIn("gramme (>= ", package.run("dpkg-deb", "--field", systems, "Depends"))
        asked = self.system.ask_systemd()
        self.system.run("dpkg", "--install", f"/tmp/{systems.name}")  # as an upgrade does: those that run are started again
        self.assertEqual(asked.read_text(), f"try-restart {' '.join(services)}\n")
        self.system.run("apt-get", "remove", "-y", "-q", "gramme")
        stopped = {word for line in asked.read_text().splitlines() if line.startswith("stop ") for word in line.split()[1:]}
        self.assertEqual(stopped, {*services, "gramme.service", "gramme.socket"})
        self.assertTrue((self.system.root / "var/lib/gramme").is_dir())
        self.assertTrue((self.system.root / "etc/gramme/gramme.env").is_file())
        self.system.run("dpkg", "--purge", "gramme")
        self.assertFalse((self.system.root / "var/lib/gramme").exists())
        self.assertFalse((self.system.root / "etc/gramme/gramme.env").exists())

    def test_5_a_second_build_is_the_same(self):
        def digests(files):
            return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}

        self.assertEqual(digests(self.files), digests(package.build("deb", f"{self.folder.name}/second")))
