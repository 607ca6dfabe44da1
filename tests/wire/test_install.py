"""What `make install` leaves: the programs, as their units for systemd start them; the units themselves; manual pages and files of
settings; and that nothing is left when it is removed."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

from server import ROOT, binary

BUILD = pathlib.Path(binary()).resolve().parent
SYSTEMS = ["exchange-rates", "ledger", "lunch-cache", "payment-saga", "stock-cache"]
# What has to be said before it starts: nobody wants a gateway or a source that is made up.
SETTINGS = {"payment-saga": {"GRAMME_PAYMENT_SAGA_GATEWAY": "false"}, "stock-cache": {"GRAMME_STOCK_CACHE_SOURCE": "false"}}
TIMEOUT_S = 60


def run(*command, env=None):
    result = subprocess.run(command, text=True, capture_output=True, timeout=TIMEOUT_S, env={**os.environ, **(env or {})})
    assert result.returncode == 0, f"{command}: {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


def files(root):
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir())


class Unit:
    """A unit file whose paths are those below `root`."""

    def __init__(self, root, prefix, name):
        text = (root / prefix.lstrip("/") / "lib/systemd/system" / f"{name}.service").read_text()
        self.text = text.replace(f"{prefix}/", f"{root}{prefix}/")

    def values(self, name):
        return re.findall(rf"^{name}=(.*)$", self.text, re.M)

    def environment(self):
        return dict(word.split("=", 1) for line in self.values("Environment") for word in line.split())


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name) / "root"
        run("meson", "install", "-C", str(BUILD), "--no-rebuild", "--quiet", "--destdir", str(cls.root))
        options = json.loads(run("meson", "introspect", "--buildoptions", str(BUILD)))
        cls.prefix = next(option["value"] for option in options if option["name"] == "prefix")
        cls.place = cls.root / cls.prefix.lstrip("/")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def unit(self, name):
        return Unit(self.root, self.prefix, name)

    def start(self, command, environment):
        process = subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **environment})
        line = process.stdout.readline()
        self.assertIn("listening on http://", line, line or process.communicate()[1])
        return process, line.split("listening on ")[1].strip()

    def stop(self, process):
        process.terminate()
        _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 0, errors)

    def test_the_units_start_what_is_installed(self):
        """Each as its unit says, on other ports. gramme tells its manager when it is ready and when it stops."""
        unit, told = self.unit("gramme"), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        told.settimeout(TIMEOUT_S)
        told.bind(f"{self.folder.name}/notify")
        command = unit.values("ExecStart")[0].replace("${STATE_DIRECTORY}", f"{self.folder.name}/data")
        server, endpoint = self.start(command.split(), {"NOTIFY_SOCKET": f"{self.folder.name}/notify", "GRAMME_PORT": "0"})
        self.assertEqual((unit.values("Type"), told.recv(100)), (["notify"], b"READY=1"))
        for name in SYSTEMS:
            with self.subTest(name):
                self.check_system(name, endpoint)
        self.stop(server)
        self.assertEqual(told.recv(100), b"STOPPING=1")
        told.close()

    def check_system(self, name, endpoint):
        unit, variable = self.unit(f"gramme-{name}"), f"GRAMME_{name.upper().replace('-', '_')}_PORT"
        environment = unit.environment()
        self.assertIn(variable, environment)
        environment = {**environment, **SETTINGS.get(name, {}), variable: "0", "AWS_ENDPOINT_URL": endpoint}
        for _ in range(2):  # the second time everything is there
            run(*unit.values("ExecStartPre")[0].split(), env=environment)
        process, address = self.start(unit.values("ExecStart")[0].split(), environment)
        self.assertEqual(json.loads(run("curl", "-s", "--fail", f"{address}/health/ready")), {"status": "ok"})
        described = json.loads((self.place / f"share/gramme/{name}/gramme-{name}.openapi.json").read_text())
        self.assertEqual(json.loads(run("curl", "-s", f"{address}/openapi.json")), described)
        self.stop(process)

    def test_every_program_has_its_unit_and_its_port(self):
        units = sorted(path.stem for path in (self.place / "lib/systemd/system").glob("*.service"))
        self.assertEqual(units, ["gramme", *(f"gramme-{name}" for name in SYSTEMS)])
        ports = [value for name in SYSTEMS for key, value in self.unit(f"gramme-{name}").environment().items() if key.endswith("_PORT")]
        self.assertEqual(len(set(ports)), len(SYSTEMS))

    def write_units(self):
        """Their files in a folder of the test's."""
        paths = []
        for name in ("gramme", *(f"gramme-{name}" for name in SYSTEMS)):
            paths.append(f"{self.folder.name}/{name}.service")
            pathlib.Path(paths[-1]).write_text(self.unit(name).text)
        return paths

    @unittest.skipUnless(shutil.which("systemd-analyze"), "needs systemd-analyze")
    def test_systemd_accepts_the_units(self):
        """No unknown word, and an exposure of at most 2.0 of 10."""
        paths = self.write_units()
        result = subprocess.run(["systemd-analyze", "verify", "--man=no", *paths], text=True, capture_output=True, timeout=TIMEOUT_S)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        version = int(re.match(r"systemd (\d+)", run("systemd-analyze", "--version")).group(1))
        for path in paths if version >= 250 else []:  # before that it judges only units that are loaded
            run("systemd-analyze", "security", "--offline=true", "--threshold=20", path)

    def test_the_units_are_shut_in(self):
        for name in ("gramme", *(f"gramme-{name}" for name in SYSTEMS)):
            for word in ("DynamicUser=yes", "ProtectSystem=strict", "NoNewPrivileges=yes", "CapabilityBoundingSet=", "SystemCallFilter=@system-service"):
                self.assertIn(f"\n{word}\n", self.unit(name).text)

    def test_the_manual_tells_of_every_command(self):
        for name, commands in (("gramme", ["SERVE", "USER CREATE", "APPLY"]), ("gramme-ledger", ["SERVE", "ACCOUNT OPEN", "RECONCILE"]),
                               ("gramme-payment-saga", ["SERVE", "WALLET TOP-UP", "SIMULATE-GATEWAY"])):
            page = (self.place / f"share/man/man1/{name}.1").read_text()
            self.assertRegex(page, rf"^\.TH {name.upper()} 1 .*\n\.SH NAME\n{name} \\- \w")
            for command in commands:
                self.assertIn(f'\n.SH "{command}"\n', page)

    def test_completion_for_three_shells(self):
        for shell, place in (("bash", "bash-completion/completions/gramme.bash"), ("zsh", "zsh/site-functions/_gramme"),
                             ("fish", "fish/vendor_completions.d/gramme.fish")):
            self.assertEqual((self.place / "share" / place).read_text(), run(str(self.place / "bin/gramme"), "completion", shell))

    def test_the_settings_name_every_option(self):
        for name in SYSTEMS:
            text = (self.place / f"share/gramme/{name}/gramme-{name}.env").read_text()
            help_text = run(str(self.place / f"bin/gramme-{name}"), "serve", "--help")
            options = set(re.findall(r"^  --([a-z-]+) [A-Z]", help_text, re.M)) - {"endpoint", "region"}
            names = {f"GRAMME_{name}_{option}".upper().replace("-", "_") for option in options}
            self.assertEqual(names, set(re.findall(r"^#(GRAMME_\w+)=", text, re.M)))
            self.assertEqual(re.findall(r"^[^#\n].*", text, re.M), [])  # and sets none

    def test_the_settings_of_the_server_are_taken_by_it(self):
        text = (self.place / "share/gramme/gramme.env").read_text()
        options = set(re.findall(r"^  --([a-z0-9-]+)", run(str(self.place / "bin/gramme"), "serve", "--help"), re.M))
        names = {f"GRAMME_{option}".upper().replace("-", "_") for option in options - {"config", "data", "memory", "store", "help"}}
        self.assertEqual(names, set(re.findall(r"^#(GRAMME_\w+)=", text, re.M)))
        self.assertEqual(re.findall(r"^[^#\n].*", text, re.M), [])

    def test_nothing_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            run("meson", "install", "-C", str(BUILD), "--no-rebuild", "--quiet", "--destdir", folder)
            self.assertEqual(files(root), files(self.root))
            other = root / self.prefix.lstrip("/") / "bin/other"
            other.write_text("not ours")
            for _ in range(2):  # the second time there is nothing to do
                run(str(ROOT / "scripts/uninstall"), str(BUILD), env={"DESTDIR": folder})
                self.assertEqual(files(root), [str(other.relative_to(root))])
            self.assertEqual([path for path in root.rglob("gramme*")], [])


if __name__ == "__main__":
    unittest.main()
