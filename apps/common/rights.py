"""policy.json of a program: what it may do is enough, and nothing in it is too much."""

import json
import pathlib
import tempfile

from proxies import RecordingProxy, allows
from testing import ROOT, Server, apply, run


def as_list(value):
    return value if isinstance(value, list) else [value]


def less(policy):
    """(name, the policy without one action or one resource), for each of them."""
    for statement in policy["Statement"]:
        for member in ("Action", "Resource"):
            values = as_list(statement[member])
            for value in values if member == "Action" or len(values) > 1 else []:
                rest = {**statement, member: [other for other in values if other != value]}
                statements = [rest if other is statement else other for other in policy["Statement"]]
                yield f"{statement['Sid']} without {value}", {"Statement": statements}


def check_policy(test, scenario, region="us-east-1"):
    """The program works with its policy.json, and what it asks for needs all of that. scenario(run) runs it."""
    policy = json.loads((ROOT / "apps" / test.app / "policy.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        data = ["--data", pathlib.Path(folder) / "data", "--region", region]
        with Server(*data) as server:
            apply(test.app, server.endpoint)
        with Server(*data, "--policy", ROOT / "apps" / test.app / "policy.json") as server:
            proxy, denied = RecordingProxy(server.port), []

            def run_and_listen(*arguments):
                status, out, err = run(test.app, proxy.endpoint, *arguments)
                denied.extend(line for line in err.splitlines() if "not authorized" in line or "AccessDenied" in line)
                return status, out, err

            scenario(run_and_listen)
            proxy.close()
    test.assertEqual(denied, [])
    test.assertEqual([need for need in proxy.needs if not allows(policy, *need)], [])
    for name, rest in less(policy):
        with test.subTest(name):
            test.assertTrue(any(not allows(rest, *need) for need in proxy.needs))
