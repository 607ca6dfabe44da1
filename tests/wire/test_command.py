"""The command itself: help, version, wrong flags, the banner, ports, signals."""

import fcntl
import os
import re
import signal
import socket
import subprocess
import tempfile
import termios
import unittest
import unittest.mock

from server import Server, binary
from waiting import WAIT_S, wait_until
from wire import boto3_client


def run(*arguments):
    result = subprocess.run([binary(), *arguments], text=True, capture_output=True, timeout=60)
    return result.returncode, result.stdout, result.stderr


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


class Command(unittest.TestCase):
    def test_version(self):
        status, out, err = run("--version")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"^gramme \d+\.\d+\.\d+\n$")

    def test_help(self):
        status, out, err = run("--help")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("gramme serve", out)

    def test_every_command_has_help_in_80_columns(self):
        listed = re.findall(r"^  ([a-z]+)  ", run("--help")[1], re.M)
        self.assertEqual(listed, ["serve", "local", "apply", "backup", "restore", "check", "rekey", "bench", "top", "healthcheck", "cost", "mcp", "operations", "completion", "user", "role", "key",
                                  "cert", "store"])
        families = [re.findall(r"^  ([a-z]+) ([a-z]+)  ", run(name, "--help")[1], re.M) for name in ("user", "role", "key", "cert", "store")]
        self.assertGreater(min(map(len, families)), 0)
        for arguments in ([], *([name] for name in listed), *(words for family in families for words in family)):
            with self.subTest(arguments=arguments):
                status, out, err = run(*arguments, "--help")
                self.assertEqual((status, err), (0, ""))
                self.assertIn(" ".join(["Usage: gramme", *arguments]), out)
                self.assertEqual([line for line in out.splitlines() if len(line) > 80], [])

    def test_help_of_serve_names_every_flag(self):
        status, out, err = run("serve", "--help")
        self.assertEqual((status, err), (0, ""))
        for flag in ("--port", "--host", "--data", "--memory", "--durability", "--cache", "--region", "--account", "--policy",
                     "--encrypt-with", "--threads", "--test-clock", "--allow-host", "--allow-origin"):
            self.assertIn(flag, out)

    def test_wrong_arguments_get_one_helpful_line(self):
        for arguments, word in ((["--wrong"], "--wrong"), (["fly"], "fly"), (["srve"], "but serve;"),
                                (["serve", "--prot", "1"], "'--prot', but --port;"), (["serve", "x"], "'x'"),
                                (["serve", "--port"], "--port"), (["serve", "--port", "x"], "--port"),
                                (["serve", "--port", "70000"], "--port"), (["serve", "--threads", "0"], "--threads"),
                                (["serve", "--cache", "512"], "512M or 4G"), (["serve", "--cache", "1T"], "512M or 4G"),
                                (["serve", "--cache", "0G"], "512M or 4G"), (["serve", "--cache", "-1M"], "512M or 4G"),
                                (["serve", "--durability", "maybe"], "--durability"),
                                (["serve", "--account", "12345678901"], "12 digits"),
                                (["serve", "--account", "12345678901x"], "12 digits"),
                                (["serve", "--memory", "--data", "x"], "--memory"),
                                (["serve", "--allow-host", "a.example:80"], "a host's name without a port"),
                                (["serve", "--allow-host", "*"], "a host's name without a port"),
                                (["serve", "--allow-host", "[::1"], "a host's name without a port"),
                                (["serve", "--allow-origin", "a.example"], "an origin such as https://"),
                                (["serve", "--allow-origin", "https://a.example/"], "an origin such as https://"),
                                (["serve", "--allow-origin", "https://"], "an origin such as https://"),
                                (["serve", "--allow-origin", "https://*.a.example"], "an origin such as https://"),
                                (["operations", "--wrong"], "--wrong")):
            with self.subTest(arguments=arguments):
                status, out, err = run(*arguments)
                self.assertEqual((status, out), (2, ""))
                self.assertIn(word, err)
                self.assertLessEqual(len(err.splitlines()), 2)
                self.assertIn("--help", err)

    def test_no_arguments_show_the_help(self):
        status, out, err = run()
        self.assertIn(status, (0, 2))
        self.assertIn("gramme serve", out + err)

    def test_the_banner(self):
        with tempfile.TemporaryDirectory() as data, Server("--data", data) as server:
            for text in (server.endpoint, data, "sync", "aws dynamodb"):
                self.assertIn(text, server.output)
        with Server("--memory") as server:
            self.assertIn("memory", server.output)
        self.assertEqual(len(re.findall("listening on http://", server.output)), 1)

    @unittest.skipUnless(has_ipv6(), "needs IPv6")
    def test_it_listens_at_both_addresses_of_localhost(self):
        with Server("--memory") as server:
            for host in ("127.0.0.1", "localhost", "[::1]"):
                self.assertEqual(boto3_client(f"http://{host}:{server.port}").list_tables()["TableNames"], [])
            self.assertIn(f"listening on http://127.0.0.1:{server.port}\n  also on     http://[::1]:{server.port}\n", server.output)
        with Server("--memory", "--host", "127.0.0.1") as server:
            self.assertNotIn("also on", server.output)

    def test_the_banner_of_an_open_server(self):
        with Server("--memory", "--host", "0.0.0.0", "--no-auth") as server:
            port = server.port
        self.assertIn(f"listening on http://0.0.0.0:{port}\n", server.output)
        self.assertIn("to whoever reaches this address: signatures are not verified", server.output)
        self.assertIn(f"--endpoint-url http://127.0.0.1:{port} ", server.output)

    def test_a_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            status, out, err = run("serve", "--memory", "--port", str(port))
            self.assertEqual(status, 1, out + err)
            self.assertIn(str(port), err)

    def test_signals_end_it_cleanly(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                server = Server("--memory").start()
                boto3_client(server.endpoint).list_tables()
                server.process.send_signal(number)
                self.assertEqual(server.process.wait(WAIT_S), 0)
                server.reader.join()
                server.process.stdout.close()

    def test_options_come_from_variables_and_a_file_too(self):
        with tempfile.NamedTemporaryFile("w") as file, \
                unittest.mock.patch.dict(os.environ, GRAMME_REGION="eu-west-1", GRAMME_DATA="/nowhere", GRAMME_STORE="rocksdb:/nowhere",
                                         GRAMME_CONFIG=file.name):
            file.write("region = eu-west-2\naccount = 123456789012\n")
            file.flush()
            with Server("--memory") as server:
                client = boto3_client(server.endpoint)
                client.create_table(TableName="table", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
                self.assertEqual(client.describe_table(TableName="table")["Table"]["TableArn"],
                                 "arn:aws:dynamodb:eu-west-1:123456789012:table/table")
                self.assertIn("left out, as the command line says otherwise: GRAMME_DATA, GRAMME_STORE\n", server.error_text())

    def test_a_hangup_has_it_read_again(self):
        with Server("--memory") as server:
            server.process.send_signal(signal.SIGHUP)
            self.assertEqual(boto3_client(server.endpoint).list_tables()["TableNames"], [])
            self.wait_for_line(server, "read again")

    def wait_for_line(self, server, text):
        wait_until(lambda: text in server.error_text(), f"{text!r} in the log")

    def in_terminal(self, hangup=signal.SIG_DFL):
        """A server whose terminal is the other end of what comes back, started with SIGHUP so, whatever our caller does with it."""
        terminal, end = os.openpty()

        def take_terminal():
            signal.signal(signal.SIGHUP, hangup)
            os.setsid()
            fcntl.ioctl(end, termios.TIOCSCTTY, 0)

        server = Server("--memory", preexec=take_terminal).start()
        os.close(end)
        return server, terminal

    def test_it_ends_with_its_terminal(self):
        server, terminal = self.in_terminal()
        server.process.send_signal(signal.SIGHUP)
        self.wait_for_line(server, "read again")
        os.close(terminal)
        self.assertEqual(server.process.wait(WAIT_S), 0)
        server.stop()

    def test_it_outlives_its_terminal_with_nohup(self):
        server, terminal = self.in_terminal(signal.SIG_IGN)
        os.close(terminal)
        self.wait_for_line(server, "read again")
        boto3_client(server.endpoint).list_tables()
        server.stop()

    def start_with_stdin(self, stdin, command=("serve", "--memory", "--port", "0", "--stop-with-stdin"), **options):
        """The process, when it has said that it listens."""
        process = subprocess.Popen([binary(), *command], text=True, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(process.__exit__, None, None, None)
        self.addCleanup(process.kill)
        self.assertIn("listening on http://", process.stdout.readline())
        return process

    def assert_stops(self, process):
        self.assertEqual(process.wait(WAIT_S), 0)
        self.assertIn("stopping: ", process.stdout.read())

    def test_it_ends_with_its_standard_input(self):
        process = self.start_with_stdin(subprocess.PIPE)
        process.stdin.write("what comes there is read, and means nothing\n")
        process.stdin.flush()
        wait_until(lambda: fcntl.ioctl(process.stdin, termios.FIONREAD, b"\0" * 4) == b"\0" * 4, "reading")
        process.send_signal(signal.SIGHUP)
        self.assertIn("read again", process.stderr.readline())
        process.stdin.close()
        self.assert_stops(process)

    def test_standard_input_that_has_ended_before(self):
        self.assert_stops(self.start_with_stdin(subprocess.DEVNULL))
        self.assert_stops(self.start_with_stdin(None, preexec_fn=lambda: os.close(0)))

    def test_standard_input_that_goes_on(self):
        process = self.start_with_stdin(subprocess.PIPE)
        process.send_signal(signal.SIGTERM)
        self.assert_stops(process)

    def test_in_the_place_of_local_it_ends_with_its_standard_input(self):
        process = self.start_with_stdin(subprocess.PIPE, ("local", "-inMemory", "-port", "0"), env={**os.environ, "GRAMME_STOP_WITH_STDIN": "true"})
        process.stdin.close()
        self.assert_stops(process)

    def test_one_thread_is_enough(self):
        with Server("--memory", "--threads", "1") as server:
            self.assertEqual(boto3_client(server.endpoint).list_tables()["TableNames"], [])


if __name__ == "__main__":
    unittest.main()
