"""The container file and both compose files by Docker itself, where it runs: the image as it is built and used, and the cluster with
a database and a server killed under load. Where no registry answers, the images that they begin with are made of clean systems.

The compose files take the ports 8000 to 8002 of this machine."""

import json
import pathlib
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests/packages"))
import package  # noqa: E402

ADDRESS = "http://127.0.0.1:8000"
DEADLINE_S = 300


def works(*command):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def wait_for(question):
    """Until it answers with something; what keeps it from answering is told when that takes too long."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            answer = question()
            if answer:
                return answer
            why = "nothing"
        except (OSError, AssertionError, json.JSONDecodeError) as error:
            why = error
        assert time.monotonic() < deadline, why
        time.sleep(0.5)


def have_image(name, *packages):
    """Of Debian with these packages, unless it is there or can be had."""
    if works("docker", "image", "inspect", name) or works("docker", "pull", "--quiet", name):
        return
    system = package.CleanSystem()
    if packages:
        system.run("apt-get", "install", "-y", "-q", "--no-install-recommends", *packages)
    with subprocess.Popen(["tar", "--create", "--directory", system.root, "."], stdout=subprocess.PIPE) as files:
        package.run("docker", "import", "-", name, stdin=files.stdout)
    system.remove()


def state(container, name):
    return package.run("docker", "inspect", "--format", f"{{{{.State.{name}}}}}", container).strip()


class Compose:
    def __init__(self, file):
        self.command = ["docker", "compose", "--file", str(package.ROOT / file)]

    def __call__(self, *words):
        return package.run(*self.command, *words)

    def __enter__(self):
        self("up", "--build", "--detach")
        return self

    def __exit__(self, *_):
        self("down", "--volumes", "--timeout", "5")


class Load(threading.Thread):
    """Puts one item after the other, and goes on after errors; `acknowledged` are those that were answered."""

    def __init__(self):
        super().__init__()
        self.acknowledged, self.ended = [], threading.Event()

    def run(self):
        number = 0
        while not self.ended.is_set():
            number += 1
            try:
                package.call(ADDRESS, "PutItem", {"TableName": "kept", "Item": {"k": {"S": str(number)}}})
                self.acknowledged.append(str(number))
            except OSError:  # urllib's errors are some
                time.sleep(0.1)

    def more(self):
        """Waits for writes that begin from now on."""
        before = len(self.acknowledged)
        wait_for(lambda: len(self.acknowledged) > before + 10)

    def stop(self):
        self.ended.set()
        self.join()
        return self.acknowledged


def keys():
    found, start = set(), {}
    while True:
        page = package.call(ADDRESS, "Scan", {"TableName": "kept", "ConsistentRead": True, **start})
        found.update(item["k"]["S"] for item in page["Items"])
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


@unittest.skipUnless(works("docker", "info") and works("docker", "compose", "version"), "needs Docker that runs, with compose")
class Docker(unittest.TestCase):
    def test_the_image_is_healthy_keeps_its_data_and_ends(self):
        have_image("debian:bookworm-slim")
        with Compose("packaging/container/compose.yaml") as compose:
            container = compose("ps", "--quiet", "gramme").strip()
            wait_for(lambda: state(container, "Health.Status") != "starting")
            self.assertEqual(state(container, "Health.Status"), "healthy")
            self.assertEqual(compose("exec", "-T", "gramme", "id", "--user", "--name").strip(), "gramme")
            package.put_item(ADDRESS)
            compose("stop")
            self.assertEqual(state(container, "ExitCode"), "0")
            compose("start")
            self.assertEqual(wait_for(lambda: package.get_item(ADDRESS)), package.ITEM)

    def test_a_cluster_loses_nothing_when_its_machines_die(self):
        have_image("debian:bookworm")
        have_image("haproxy:lts", "haproxy")
        with Compose("docs/cluster/compose.yaml") as compose:
            wait_for(lambda: package.call(ADDRESS, "ListTables", {}))
            package.call(ADDRESS, "CreateTable", package.KEPT)
            load = Load()
            load.start()
            load.more()
            members = json.loads(compose("exec", "-T", "db1", "patronictl", "--config-file", "/etc/patroni/config.yml", "list", "--format", "json"))
            [primary] = [member["Member"] for member in members if member["Role"] == "Leader"]
            for machine in (primary, "gramme1"):
                compose("kill", machine)
                load.more()
                compose("start", machine)
                load.more()
            acknowledged = load.stop()
            self.assertEqual(set(acknowledged) - keys(), set())


if __name__ == "__main__":
    unittest.main()
