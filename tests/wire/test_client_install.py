"""The client library as `make install` leaves it: found by pkg-config, linked both ways, its header's example and the
apps built with nothing else, and run."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from server import ROOT, binary
from wire import WireTest

BUILD = pathlib.Path(binary()).resolve().parent
MORE = {"ledger": ["libcrypto"], "lunch-cache": ["libdeflate"]}  # that some of the five need


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


def declarations(header):
    """The functions that the header declares: name, type and parameters of each, blanks made even."""
    text = re.sub(r"\s+DDB_PRINTF\(.*?\)", "", re.sub(r"/\*.*?\*/", "", header, flags=re.S))
    found = re.findall(r"DDB_API\s+([^;#]*?)(\w+)\(([^;]*?)\);", text, re.S)
    return {name: (" ".join(kind.split()), " ".join(parameters.split())) for kind, name, parameters in found}


def manual_page(path):
    """The names that a page of the manual is about, and the functions of its SYNOPSIS."""
    text = path.read_text()
    about = re.findall(r"^\.Nm (\w+)", text.split(".Nd")[0], re.M)
    functions = {}
    for kind, name, parameters in re.findall(r"^\.Ft (.*)\n\.Fn (\w+) (.*)", text, re.M):
        functions[name] = (kind, ", ".join(re.findall(r'"(.*?)"', parameters)) or parameters)
    return about, functions


def global_names(*command):
    """What the linker of another program sees of a library, but for what gcov adds to it in a build for coverage."""
    names = {line.split()[-1] for line in run("nm", "--defined-only", *command).splitlines() if re.match(r"[0-9a-f]+ ", line)}
    return {name for name in names if not re.match("__gcov_|mangle_path$", name)}


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
        cls.warnings = ["-Wall", "-Wextra", "-Wpedantic"] + ["-Werror"] * options["werror"]
        # What the library was built with has a runtime of its own, which whoever links it needs, too.
        chosen = options["b_sanitize"]  # a list from Meson 1.8 on
        chosen = ",".join(chosen) if isinstance(chosen, list) else chosen
        cls.instrument = [] if chosen in ("", "none") else [f"-fsanitize={chosen}"]
        cls.instrument += ["--coverage"] * options["b_coverage"]
        cls.pkg_config = {"PKG_CONFIG_PATH": str(cls.library / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(root)}
        cls.source = root / "songs.c"
        cls.source.write_text(header_example())
        cls.program = root / "songs"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def compile(self, *flags):
        run("cc", "-std=c17", *self.warnings, *self.instrument, "-o", str(self.program), str(self.source), *flags)

    def package(self, *packages):
        """How to compile and link, by nothing but what pkg-config tells."""
        return run("pkg-config", "--cflags", "--libs", *packages, env=self.pkg_config).split()

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
        self.compile(*self.package("gramme-client"))
        self.assert_songs({"LD_LIBRARY_PATH": str(self.library)})

    def test_static(self):
        self.compile(f"-I{self.include}", str(self.library / "libgramme-client.a"), "-lpthread")
        self.assert_songs({})

    def test_the_programs_of_the_guide(self):
        """Each program of docs/CLIENT.md, in their order, on the tables that those before have left."""
        text = (ROOT / "docs/CLIENT.md").read_text()
        examples = re.findall(r"```c\n(.*?)```\n\n```text\n(.*?)```", text, re.S)
        self.assertEqual(len(examples), text.count("```c\n"))
        variables = {"AWS_ENDPOINT_URL": self.server.endpoint, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "any",
                     "AWS_SECRET_ACCESS_KEY": "any", "HOME": self.folder.name, "LD_LIBRARY_PATH": str(self.library)}
        source, program = self.source.with_name("example.c"), self.program.with_name("example")
        for example, output in examples:
            source.write_text(example)
            run("cc", "-std=c17", *self.warnings, *self.instrument, "-o", str(program), str(source), *self.package("gramme-client"))
            self.assertEqual(run(str(program), env=variables), output, example)

    def test_only_the_interface_is_visible(self):
        header = re.sub(r"/\*.*?\*/", "", (self.include / "gramme_client.h").read_text(), flags=re.S)
        declared = set(re.findall(r"\b(ddb_\w+)\(", header))
        self.assertEqual(global_names("-D", str(self.library / "libgramme-client.so")), declared)
        self.assertEqual(global_names("-g", str(self.library / "libgramme-client.a")), declared)

    def test_pages_of_the_manual(self):
        """Every function has a page of its own name, which declares it as the header does."""
        folder = self.include.parent / build_options()["mandir"] / "man3"
        declared = declarations((self.include / "gramme_client.h").read_text())
        found = {}
        for path in sorted(folder.glob("*.3")):
            if path.is_symlink():
                continue
            about, functions = manual_page(path)
            self.assertEqual(about, list(functions) or ["gramme_client"], path.name)
            self.assertFalse(set(found) & set(functions), path.name)
            found.update(functions)
        self.assertEqual(found, declared)
        self.assertEqual(sorted(path.stem for path in folder.glob("*.3")), sorted(
            {*declared, *(path.stem for path in (ROOT / "lib/client/man").glob("*.3"))}))
        self.assertTrue(all(path.exists() for path in folder.glob("*.3")))

    def check_manual(self, *command):
        for page in sorted((ROOT / "lib/client/man").glob("*.3")):
            result = subprocess.run([*command, page], text=True, capture_output=True, timeout=60)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""), page)

    @unittest.skipUnless(shutil.which("mandoc"), "needs mandoc")
    def test_mandoc_accepts_the_manual(self):
        self.check_manual("mandoc", "-Tlint", "-Wwarning")

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_groff_accepts_the_manual(self):
        self.check_manual("groff", "-mdoc", "-Tutf8", "-ww", "-z")

    def compile_app(self, folder, name, *library):
        """A program from a copy of apps/, where nothing else of the tree is."""
        sources = sorted(str(path) for part in (name, "common") for path in (folder / part).glob("*.c"))
        run("cc", "-std=gnu17", *self.warnings, *self.instrument, f"-I{folder}", "-o", str(folder / name / "program"), *sources, *library,
            *self.package("libmicrohttpd", "libcurl", *MORE.get(name, [])), "-lpthread")
        return folder / name / "program"

    def test_the_five_programs(self):
        folder = pathlib.Path(self.folder.name) / "apps"
        shutil.copytree(ROOT / "apps", folder)
        names = sorted(path.parent.name for path in folder.glob("*/main.c"))
        self.assertEqual(names, ["exchange-rates", "ledger", "lunch-cache", "payment-saga", "stock-cache"])
        variables = {"LD_LIBRARY_PATH": str(self.library)}
        for name in names:
            program = self.compile_app(folder, name, *self.package("gramme-client"))
            self.assertIn(f"Usage: gramme-{name} ", run(str(program), "--help", env=variables))
        self.assert_rates(folder / "exchange-rates/program", variables)
        self.assert_rates(self.compile_app(folder, "exchange-rates", f"-I{self.include}",
                                           str(self.library / "libgramme-client.a")), {})

    def assert_rates(self, program, environment):
        """exchange-rates on a table of its own: what goes in by the library comes out by it."""
        variables = {"AWS_ENDPOINT_URL": self.server.endpoint, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "any",
                     "AWS_SECRET_ACCESS_KEY": "any", "HOME": self.folder.name, **environment}
        run(binary(), "apply", str(ROOT / "apps/exchange-rates/template.yaml"), env=variables)
        run(str(program), "save", "USD", "EUR", "0.85", env=variables)
        self.assertIn("0.85", run(str(program), "get", "USD", "EUR", env=variables))
        for table in self.client.list_tables()["TableNames"]:
            self.client.delete_table(TableName=table)

    def test_the_header_stands_alone(self):
        header = (self.include / "gramme_client.h").read_text()
        self.assertEqual(re.findall(r"#include (.*)", header.split("*/", 1)[1]), ["<stdbool.h>", "<stddef.h>", "<stdint.h>"])
        run("g++" if os.access("/usr/bin/g++", os.X_OK) else "cc", "-fsyntax-only", *self.warnings,
            str(self.include / "gramme_client.h"))

    def test_the_version_of_header_and_library(self):
        self.source.write_text('#include <gramme_client.h>\n#include <stdio.h>\n#include <string.h>\n'
                               '#if !DDB_VERSION_AT_LEAST(0, 1, 0) || DDB_VERSION_AT_LEAST(DDB_VERSION_MAJOR, DDB_VERSION_MINOR + 1, 0)\n'
                               '#error "the versions do not compare"\n#endif\n'
                               'int main(void) { puts(DDB_VERSION); return strcmp(DDB_VERSION, ddb_version()); }\n')
        self.compile(*self.package("gramme-client"))
        self.source.write_text(header_example())
        version = run(str(self.program), env={"LD_LIBRARY_PATH": str(self.library)}).strip()
        self.assertEqual(version, run(binary(), "--version").split()[1])
        major, minor, _ = version.split(".")
        name = f"libgramme-client.so.{major if major != '0' else f'0.{minor}'}"
        self.assertIn(f"[{name}]", run("readelf", "-d", str(self.library / "libgramme-client.so")))

    def test_the_version(self):
        version = run("pkg-config", "--modversion", "gramme-client", env=self.pkg_config)
        self.assertEqual(version, run(binary(), "--version").split()[1] + "\n")


if __name__ == "__main__":
    import unittest
    unittest.main()
