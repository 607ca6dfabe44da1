"""The client library as `make install` leaves it: found by pkg-config, linked both ways, its header's example run."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

from server import ROOT, binary
from wire import WireTest

BUILD = pathlib.Path(binary()).resolve().parent


def run(*command, env=None):
    result = subprocess.run(command, text=True, capture_output=True, timeout=120, env={**os.environ, **(env or {})})
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


def build_options():
    return {option["name"]: option["value"] for option in json.loads(run("meson", "introspect", "--buildoptions", str(BUILD)))}


def header_example():
    """The program in the comment at the top of the header."""
    text = (ROOT / "lib/client/gramme_client.h").read_text()
    lines = re.match(r"/\*.*?\n((?: \*(?:     .*)?\n)+)", text).group(1).splitlines()
    return "\n".join(line[7:] for line in lines).split("\ncc ")[0]


class Installed(WireTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(cls.folder.name)
        run("meson", "install", "-C", str(BUILD), "--no-rebuild", "--quiet", "--destdir", str(root))
        options = build_options()
        cls.library = root / options["prefix"].lstrip("/") / options["libdir"]
        cls.include = root / options["prefix"].lstrip("/") / options["includedir"]
        cls.sanitize = [] if options["b_sanitize"] == "none" else [f"-fsanitize={options['b_sanitize']}"]
        cls.pkg_config = {"PKG_CONFIG_PATH": str(cls.library / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(root)}
        cls.source = root / "songs.c"
        cls.source.write_text(header_example())
        cls.program = root / "songs"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def compile(self, *flags):
        run("cc", "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *self.sanitize, "-o", str(self.program),
            str(self.source), *flags)

    def assert_songs(self, environment):
        variables = {"AWS_ENDPOINT_URL": self.server.endpoint, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "any",
                     "AWS_SECRET_ACCESS_KEY": "any", "HOME": self.folder.name, **environment}
        self.create("music", "artist:S", "year:N")
        self.assertEqual(run(str(self.program), env=variables), "Nina Simone 1965\n")
        self.client.delete_table(TableName="music")
        result = subprocess.run([self.program], text=True, capture_output=True, timeout=60, env={**os.environ, **variables})
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (1, "", "ResourceNotFoundException: Requested resource not found\n"))

    def test_shared(self):
        self.compile(*run("pkg-config", "--cflags", "--libs", "gramme-client", env=self.pkg_config).split())
        self.assert_songs({"LD_LIBRARY_PATH": str(self.library)})

    def test_static(self):
        curl = run("pkg-config", "--libs", "libcurl").split()
        self.compile(f"-I{self.include}", str(self.library / "libgramme-client.a"), *curl, "-lpthread")
        self.assert_songs({})

    def test_the_example_of_the_readme(self):
        text = (ROOT / "lib/client/README.md").read_text()
        program = re.search(r"```c\n(.*?)```", text, re.S).group(1)
        self.source.write_text(program.replace("http://localhost:8000", self.server.endpoint))
        self.compile(*run("pkg-config", "--cflags", "--libs", "gramme-client", env=self.pkg_config).split())
        self.source.write_text(header_example())
        self.create("music", "artist:S", "year:N")
        variables = {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any",
                     "HOME": self.folder.name, "LD_LIBRARY_PATH": str(self.library)}
        self.assertEqual(run(str(self.program), env=variables), "no such song\n")
        self.client.put_item(TableName="music", Item={"artist": {"S": "Nina Simone"}, "year": {"N": "1965"}})
        self.assertEqual(run(str(self.program), env=variables), "played 1 times\n")

    def test_only_the_interface_is_visible(self):
        names = {line.split()[-1] for line in run("nm", "-D", "--defined-only", str(self.library / "libgramme-client.so")).splitlines()}
        declared = set(re.findall(r"\b(ddb_\w+)\(", re.sub(r"/\*.*?\*/", "", (self.include / "gramme_client.h").read_text(), flags=re.S)))
        self.assertEqual(names, declared)

    def test_the_header_stands_alone(self):
        header = (self.include / "gramme_client.h").read_text()
        self.assertEqual(re.findall(r"#include (.*)", header.split("*/", 1)[1]), ["<stdbool.h>", "<stddef.h>", "<stdint.h>"])
        run("g++" if os.access("/usr/bin/g++", os.X_OK) else "cc", "-fsyntax-only", "-Wall", "-Werror",
            str(self.include / "gramme_client.h"))

    def test_the_version(self):
        version = run("pkg-config", "--modversion", "gramme-client", env=self.pkg_config)
        self.assertEqual(version, run(binary(), "--version").split()[1] + "\n")


if __name__ == "__main__":
    import unittest
    unittest.main()
