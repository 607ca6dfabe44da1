"""From a package to the first answer of the server in it: unpacked or installed as its kind is, and started in memory."""

import contextlib
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import time

from rig import ROOT, Table, number, spread

sys.path.insert(0, str(ROOT / "tests/packages"))
import package  # noqa: E402

SERVE = ("serve", "--memory", "--port", "0")


def once(install, command, **options):
    """The seconds until it is installed, and until its server answered."""
    begin = time.monotonic()
    install()
    installed = time.monotonic() - begin
    process, address = package.start(*command, *SERVE, start_new_session=True, **options)
    try:
        package.call(address, "ListTables", {})
        return installed, time.monotonic() - begin
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def archive(folder, file):
    place = fresh(folder / "archive")
    return once(lambda: package.run("tar", "--extract", "--file", file, "--directory", place, "--strip-components=1"), [place / "bin/gramme"])


def npm(folder, files):
    project = fresh(folder / "npm")
    (project / "package.json").write_text("{}")
    return once(lambda: package.run("npm", "install", "--offline", "--no-audit", "--no-fund", *files, cwd=project),
                ["npx", "--no-install", "gramme"], cwd=project)


def python(folder, file):
    """The environment is there before, as that of a project is."""
    place = fresh(folder / "python")
    package.run("/usr/bin/python3", "-m", "venv", place)
    return once(lambda: package.run(place / "bin/pip", "install", "--quiet", "--no-index", file), [place / "bin/gramme"])


def deb(system, file):
    """What it depends on is there before: how long that takes to download is not ours."""
    system.run("dpkg", "--purge", "gramme")
    return once(lambda: system.run("dpkg", "--install", f"/tmp/{file.name}"), system.command("gramme"))


@contextlib.contextmanager
def clean_system(file):
    if subprocess.run([ROOT / "scripts/release-root", "possible", "here"]).returncode:
        yield None
        return
    system = package.CleanSystem()
    try:
        system.install(file)
        yield system
    finally:
        system.remove()


def built():
    """The packages for this machine in dist/; the archive in them is made anew only when the sources have changed."""
    made, arch = ROOT / "dist", package.run("dpkg", "--print-architecture").strip()
    version = package.run(package.PROGRAM, "--version").split()[1]
    for kind in ("npm", "python"):
        package.build(kind, made)
    [wheel] = made.glob(f"gramme-{version}-*_{platform.machine()}.whl")
    packages = [made / f"gramme-{version}.tgz", made / f"gramme-linux-{arch.replace('amd64', 'x64')}-{version}.tgz"]
    return made / f"gramme-{version}-linux-{arch}.tar.gz", packages, wheel


def onboarding(rig, options):
    table = Table("Onboarding", "From a package that lies there to the first answer of its server, in memory. For Debian's, what it depends on is "
                  "installed before, in a clean system; npm and pip have no network to ask.",
                  ["package", "KB", "s to install", "s to the first answer"])
    folder = pathlib.Path(rig.fresh())
    folder.mkdir(parents=True, exist_ok=True)
    tarball, packages, wheel = built()
    [debian] = package.build("deb", folder / "deb", package.PROGRAM)
    with clean_system(debian) as system:
        ways = {"archive": ([tarball], lambda: archive(folder, tarball)), "npm": (packages, lambda: npm(folder, packages)),
                "pip": ([wheel], lambda: python(folder, wheel))}
        if system:
            ways["dpkg"] = ([debian], lambda: deb(system, debian))
        results = {name: [] for name in ways}
        for _ in range(rig.rounds):
            for name, (_, way) in ways.items():
                results[name].append(way())
    for name, (files, _) in ways.items():
        table.row(name, number(sum(file.stat().st_size for file in files) / 1024), *(spread(column) for column in zip(*results[name])))
    yield table
