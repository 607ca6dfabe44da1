"""What packages are made of: the sources of a repository, or of an archive of it, which has none."""

import datetime
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import package

DATE = 1700000000


def ask(place, output, *words, **variables):
    """What a function of packaging/common.sh says there when packages go to that folder."""
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"} | variables
    return package.run("bash", "-c", 'source packaging/common.sh "$1"; "${@:2}"', "bash", output, *words, cwd=place, env=environment).strip()


class Archive(unittest.TestCase):
    """As `git archive` makes it, of the sources as they are here, and a build and its packages in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)
        names = ask(package.ROOT, self.place / "out", "sources").split("\0")
        present = "\0".join(name for name in names if (package.ROOT / name).is_file())
        files = subprocess.run(["tar", "--create", f"--mtime=@{DATE}", "--null", "--files-from=-"], input=present.encode(),
                               stdout=subprocess.PIPE, cwd=package.ROOT, check=True).stdout
        subprocess.run(["tar", "--extract", "--directory", self.place], input=files, check=True)
        for made in ("build/gramme", "build-check/gramme", "dist/gramme.tgz", "out/gramme.tgz", "data/store", "tests/packages/__pycache__/package.pyc"):
            (self.place / made).parent.mkdir(parents=True, exist_ok=True)
            (self.place / made).write_text("made")

    def test_it_has_the_same_sources_and_their_time(self):
        out = self.place / "out"
        self.assertEqual(ask(self.place, out, "fingerprint"), ask(package.ROOT, out, "fingerprint"))
        self.assertEqual(ask(self.place, out, "printenv", "SOURCE_DATE_EPOCH"), str(DATE))

    def test_a_repository_without_a_commit_is_an_archive(self):
        package.run("git", "init", "--quiet", cwd=self.place)
        self.test_it_has_the_same_sources_and_their_time()

    def test_packages_are_built_of_it(self):
        package.run(self.place / "packaging/npm/build", self.place / "out", package.PROGRAM)
        [file] = (self.place / "out").glob("gramme-linux-*.tgz")
        self.assertIn("package/bin/gramme", package.run("tar", "--list", "--file", file))

    def test_a_package_does_not_depend_on_the_umask_of_the_checkout(self):
        for kind, pattern in (("npm", "gramme-[0-9]*.tgz"), ("python", "*.whl")):
            packages = []
            for modes in ("go=rX", "go="):
                package.run("chmod", "-R", modes, self.place)
                package.run(self.place / "packaging" / kind / "build", self.place / "out", "/bin/true")  # quick to pack
                [file] = (self.place / "out").glob(pattern)
                packages.append(file.read_bytes())
            self.assertEqual(packages[0], packages[1], kind)

    def test_former_packages_make_way(self):
        """Those of Debian, whose names change with each commit, and of one kind of machine."""
        out = self.place / "out"
        names = {f"{name}_0.1.0_{arch}.deb" for name in ("gramme", "gramme-systems", "libgramme-client0.1") for arch in ("amd64", "arm64")}
        for name in (*names, "other_1_arm64.deb"):
            (out / name).write_text("made")
        for kind, left in (("npm", names), ("deb", {name for name in names if "amd64" in name})):
            ask(self.place, out, "remove_former", kind, ARCH="arm64")
            self.assertEqual({file.name for file in out.glob("*.deb")}, {*left, "other_1_arm64.deb"})


class Snapshot(unittest.TestCase):
    """The versions that commits before, at and after a release give to packages, as Debian's tools compare them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)
        (self.place / "packaging").mkdir()
        for name in ("packaging/common.sh", "meson.build"):
            (self.place / name).write_bytes((package.ROOT / name).read_bytes())
        package.run("git", "init", "--quiet", cwd=self.place)
        self.version = package.run("sed", "-n", "s/^    version: '\\(.*\\)',/\\1/p", package.ROOT / "meson.build").strip()

    def git(self, *words, second=0):
        date = f"2026-01-01T00:00:{second:02}Z"
        package.run("git", "-c", "user.name=a", "-c", "user.email=a@b", *words, cwd=self.place,
                    env={**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date})

    def commit(self, second, told):
        (self.place / "CHANGELOG.md").write_text(f"## [{self.version}] - {told}\n\n{second}\n")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "a", second=second)

    def archive(self, second, told):
        """What is left without the repository, with the one time of `git archive`."""
        shutil.rmtree(self.place / ".git", ignore_errors=True)
        (self.place / "CHANGELOG.md").write_text(f"## [{self.version}] - {told}\n")
        date = datetime.datetime(2026, 1, 1, 0, 0, second, tzinfo=datetime.timezone.utc).timestamp()
        for file in self.place.rglob("*"):
            os.utime(file, (date, date))

    def package_version(self):
        return f"{self.version}{ask(self.place, self.place / 'out', 'find_snapshot')}-0debian12"

    def test_later_builds_are_upgrades(self):
        versions = []
        for second, told in ((9, "unreleased"), (10, "unreleased"), (11, "2026-01-01"), (12, "2026-01-01")):
            self.commit(second, told)
            if second == 11:
                versions.append(self.package_version())  # to be tried before it is tagged
                self.git("tag", f"v{self.version}")
            versions.append(self.package_version())
        self.assertRegex(versions[0], rf"^{self.version}~git20260101000009\.[0-9a-f]{{12}}-0debian12$")
        self.assertEqual(versions[3], f"{self.version}-0debian12")
        self.assertIn("+git20260101000012.", versions[4])
        for earlier, later in zip([f"{self.version}~debian12", *versions], [*versions, f"{self.version}.1-0debian12"]):
            package.run("dpkg", "--compare-versions", earlier, "lt", later)

    def test_an_archive_is_upgraded_to_later_commits_and_to_the_release(self):
        versions = {}
        for second in (9, 11):
            self.commit(second, "unreleased")
            versions[second] = self.package_version()
        for second, told, wanted in ((10, "unreleased", "~git20260101000010"), (12, "2026-01-01", "")):
            self.archive(second, told)
            versions[second] = self.package_version()
            self.assertEqual(versions[second], f"{self.version}{wanted}-0debian12")
        for earlier in (9, 10, 11):
            package.run("dpkg", "--compare-versions", versions[earlier], "lt", versions[earlier + 1])
