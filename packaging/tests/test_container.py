"""The steps of the Containerfile, in roots of the release that it begins with: what a builder would run, and the process that it
would start. That needs no daemon and no registry; test_docker.py has the image itself."""

import json
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests/packages"))
import package  # noqa: E402

FILE = package.ROOT / "packaging/container/Containerfile"


def stages():
    """The instructions of each stage: pairs of a word and what follows it."""
    found = []
    for line in re.sub(r"\\\n", " ", FILE.read_text()).splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "FROM":
            found.append([])
        elif word.isupper() and found:
            found[-1].append((word, rest))
    return found


class Container(unittest.TestCase):
    def test_the_steps_make_a_server_that_answers(self):
        build, image = stages()
        system = package.CleanSystem()
        for word, rest in build:
            if word == "COPY":
                package.run("git", "clone", "--quiet", "--no-hardlinks", package.ROOT, system.root / rest.split()[1].lstrip("/"))
            else:
                system.run("sh", "-euc", rest)
        kept = pathlib.Path(package.run("mktemp", "-d").strip())
        for file in (system.root / "gramme/dist").glob("gramme_*.deb"):
            shutil.copy(file, kept)

        system = package.CleanSystem()
        settings = {}
        for word, rest in image:
            if word == "COPY":
                for file in kept.iterdir():
                    shutil.copy(file, system.root / rest.split()[-1].lstrip("/"))
            elif word == "RUN":
                system.run("sh", "-euc", rest)
            else:
                settings[word] = rest
        shutil.rmtree(kept)
        inside = ["env", f"--chdir={settings['WORKDIR']}", *settings["ENV"].split(), "runuser", "-u", settings["USER"], "--",
                  *json.loads(settings["ENTRYPOINT"])]
        process, address = system.start(*inside, *json.loads(settings["CMD"]), "--port", "0")
        self.assertTrue(address.startswith("http://0.0.0.0:"))
        address = address.replace("0.0.0.0", "127.0.0.1")
        self.assertEqual(package.call(address, "ListTables", {}), {"TableNames": []})
        system.run(*json.loads(settings["HEALTHCHECK"].partition("CMD ")[2]), address)
        self.assertEqual(package.stop(process, "gramme serve"), 0)
        self.assertTrue((system.root / "data/GRAMME").exists())
        process, address = system.start(*inside, "serve", "--memory", "--port", "0")
        package.put_item(address.replace("0.0.0.0", "127.0.0.1"))
        self.assertEqual(package.stop(process, "gramme serve"), 0)
        process, address = system.start(*inside, "local", "-sharedDb", "-port", "0")
        package.put_item(address.replace("0.0.0.0", "127.0.0.1"))
        self.assertEqual(package.stop(process, "gramme local"), 0)
        self.assertTrue(any((system.root / "data/gramme-local").iterdir()))
        system.remove()
