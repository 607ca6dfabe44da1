"""The archive, unpacked in a clean system that has nothing but itself."""

import hashlib
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests/packages"))
import package  # noqa: E402


class Tarball(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        [cls.file] = package.build("tarball", f"{cls.folder.name}/first")
        cls.system = package.CleanSystem()
        package.run("tar", "--extract", "--file", cls.file, "--directory", cls.system.root / "opt")
        cls.place = f"/opt/{cls.file.name.removesuffix('.tar.gz')}"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        cls.system.remove()

    def test_it_keeps_data_by_its_own_libraries(self):
        for tables in ([], ["kept"]):
            process, address = self.system.start(f"{self.place}/bin/gramme", "serve", "--port", "0", "--data", "/var/data")
            self.assertEqual(package.call(address, "ListTables", {}), {"TableNames": tables})
            if not tables:
                package.call(address, "CreateTable", package.KEPT)
            self.assertEqual(package.stop(process, f"{self.place}/bin/gramme"), 0)

    def test_what_is_inside_is_told(self):
        root = self.system.root / self.place.lstrip("/")
        document = json.loads((root / "share/doc/gramme/gramme.cdx.json").read_text())
        told = {each["properties"][0]["value"]: each["hashes"][0]["content"] for each in document["components"]}
        found = {f"lib/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in (root / "lib").iterdir()}
        self.assertEqual(told, found)
        for each in document["components"]:
            self.assertTrue((root / "share/doc/gramme/licences" / each["name"]).stat().st_size > 0)

    def test_a_second_build_is_the_same(self):
        [again] = package.build("tarball", f"{self.folder.name}/second")
        self.assertEqual(hashlib.sha256(again.read_bytes()).digest(), hashlib.sha256(self.file.read_bytes()).digest())
