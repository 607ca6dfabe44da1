"""Where the machines of a cluster are: a network namespace for each, joined by a bridge, which can be cut; without root only
other addresses of the loopback, which cannot.

Every machine has an address, and `within(name)` is what a command of it begins with.
"""

import os
import shutil
import socket
import subprocess
import sys
import uuid

ALONE = "GRAMME_CLUSTER_ALONE"


def run(*command):
    done = subprocess.run(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)} failed:\n{done.stdout}")


class Loopback:
    can_cut = False

    def __init__(self, names):
        self.addresses = {name: f"127.77.{os.getpid() >> 8 & 255 or 1}.{place + 11}" for place, name in enumerate(names)}

    def within(self, name):
        return []

    def port(self, name):
        """One that is free there."""
        with socket.create_server((self.addresses[name], 0)) as server:
            return server.getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Namespaces:
    """10.77.N.0/24 on a bridge of its own; this process is on it, too, as 10.77.N.1."""

    can_cut = True

    def __init__(self, names):
        self.tag = uuid.uuid4().hex[:6]
        self.subnet = f"10.77.{int(self.tag, 16) % 250 + 1}"
        self.bridge = f"gb{self.tag}"
        self.addresses = {name: f"{self.subnet}.{place + 11}" for place, name in enumerate(names)}
        self.made = []

    def namespace(self, name):
        return f"g{self.tag}{name}"

    def link(self, name):
        return f"v{self.tag}{name}"

    def within(self, name):
        return ["ip", "netns", "exec", self.namespace(name)]

    def port(self, name):
        return 8000

    def __enter__(self):
        run("ip", "link", "add", self.bridge, "type", "bridge")
        run("ip", "addr", "add", f"{self.subnet}.1/24", "dev", self.bridge)
        run("ip", "link", "set", self.bridge, "up")
        for name, address in self.addresses.items():
            run("ip", "netns", "add", self.namespace(name))
            self.made.append(name)
            run("ip", "link", "add", self.link(name), "type", "veth", "peer", "name", "eth0", "netns", self.namespace(name))
            run("ip", "link", "set", self.link(name), "master", self.bridge, "up")
            for command in (f"addr add {address}/24 dev eth0", "link set eth0 up", "link set lo up"):
                run(*self.within(name), "ip", *command.split())
        return self

    def __exit__(self, *_):
        for name in self.made:
            subprocess.run(["ip", "netns", "del", self.namespace(name)])
        subprocess.run(["ip", "link", "del", self.bridge])

    def cut(self, name, others=None):
        """From everybody, or from some: what it sends them goes nowhere."""
        if others is None:
            run("ip", "link", "set", self.link(name), "down")
        for other in others or ():
            run(*self.within(name), "ip", "route", "add", "blackhole", f"{self.addresses[other]}/32")

    def mend(self, name, others=None):
        if others is None:
            run("ip", "link", "set", self.link(name), "up")
        for other in others or ():
            run(*self.within(name), "ip", "route", "del", "blackhole", f"{self.addresses[other]}/32")


def be_alone():
    """Starts this program anew in a network of its own, where it may: a firewall of the machine's, such as Docker's, drops what
    goes over bridges."""
    if os.getuid() != 0 or not shutil.which("ip") or not shutil.which("unshare") or ALONE in os.environ:
        return
    os.environ[ALONE] = "1"
    os.execvp("unshare", ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, *sys.argv])


def network(names):
    """The best one that can be had here."""
    return (Namespaces if os.getuid() == 0 and shutil.which("ip") else Loopback)(names)
