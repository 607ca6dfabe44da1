"""The packages for arm64, which are built here by a cross compiler, and run by an emulator in a clean system that has Debian's
libraries for arm64."""

import hashlib
import json
import pathlib
import sys
import tarfile
import tempfile
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests/packages"))
import package  # noqa: E402

EMULATOR = "qemu-aarch64-static"


class Arm64(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.place = pathlib.Path(cls.folder.name)
        [cls.archive] = package.build("tarball", cls.place, ARCH="arm64")
        cls.name = cls.archive.name.removesuffix(".tar.gz")
        with tarfile.open(cls.archive) as archive:
            cls.program = archive.extractfile(f"{cls.name}/bin/gramme").read()
        cls.system = package.CleanSystem()
        cls.system.run("dpkg", "--add-architecture", "arm64")
        cls.system.run("apt-get", "update", "-q")
        cls.system.run("apt-get", "install", "-y", "-q", "--no-install-recommends", "qemu-user-static", "libstdc++6:arm64", "zlib1g:arm64")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        cls.system.remove()

    def serve(self, program, *words):
        return self.system.start(EMULATOR, program, "serve", "--port", "0", *words)

    def keeps_data(self, program, folder):
        process, address = self.serve(program, "--data", folder)
        package.put_item(address)
        package.stop(process, EMULATOR, package.signal.SIGKILL)
        process, address = self.serve(program, "--data", folder)
        self.assertEqual(package.get_item(address), package.ITEM)
        self.assertEqual(package.stop(process, EMULATOR), 0)

    def test_1_the_archive(self):
        package.run("tar", "--extract", "--file", self.archive, "--directory", self.system.root / "opt")
        program = f"/opt/{self.name}/bin/gramme"
        process, address = self.serve(program, "--memory")
        package.put_item(address)
        self.assertEqual(package.get_item(address), package.ITEM)
        self.assertEqual(package.stop(process, EMULATOR), 0)
        self.keeps_data(program, "/var/data")
        document = json.loads((self.system.root / f"opt/{self.name}/share/doc/gramme/gramme.cdx.json").read_text())
        self.assertIn("arch=arm64", document["metadata"]["component"]["purl"])

    def test_2_debians_package(self):
        files = {file.name.split("_")[0]: file for file in package.build("deb", self.place / "deb", ARCH="arm64")}
        self.assertEqual({file.name.rpartition("_")[2] for file in files.values()}, {"arm64.deb"})
        self.system.install(files["gramme"], files["gramme-systems"], files["libgramme-client0.1"], files["libgramme-client-dev"])
        self.keeps_data("/usr/bin/gramme", "/var/lib/gramme")
        self.assertIn("gramme-ledger", self.system.run(EMULATOR, "/usr/bin/gramme-ledger", "--help"))
        self.system.run("dpkg", "--purge", "gramme-systems", "gramme")
        self.assertFalse((self.system.root / "var/lib/gramme").exists())

    def test_3_the_packages_for_npm_and_python_have_the_archives_program(self):
        package.build("npm", self.place, ARCH="arm64")
        package.build("python", self.place, ARCH="arm64")
        [npm], [wheel] = self.place.glob("gramme-linux-arm64-*.tgz"), self.place.glob("*_aarch64.whl")
        with tarfile.open(npm) as archive:
            self.assertEqual(archive.extractfile("package/bin/gramme").read(), self.program)
            self.assertEqual(json.load(archive.extractfile("package/package.json"))["cpu"], ["arm64"])
        with zipfile.ZipFile(wheel) as archive:
            self.assertEqual(archive.read("gramme/bin/gramme"), self.program)

    def test_4_a_second_build_is_the_same(self):
        [again] = package.build("tarball", self.place / "second", ARCH="arm64")
        self.assertEqual(hashlib.sha256(again.read_bytes()).digest(), hashlib.sha256(self.archive.read_bytes()).digest())
