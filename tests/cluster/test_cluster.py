"""The short form: two servers, a primary and a standby that is promoted by hand, and a judge who would notice."""

import os
import pathlib
import random
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))

import cluster
import servers
import shared_store
from net import Loopback

SEED = 1
LONGEST = "DELETE FROM gramme_items WHERE k = (SELECT k FROM gramme_items ORDER BY length(v) DESC LIMIT 1)"
SESSION = "SELECT pid FROM pg_stat_activity WHERE application_name = 'gramme' ORDER BY backend_start DESC LIMIT 1"


class Short(unittest.TestCase):
    def break_all(self, world, nodes, pair):
        """Both servers are killed in turn, PostgreSQL crashes, and its primary is lost."""
        pauses = {}
        for told, failure in (("leader killed", lambda: nodes.leader().signal(signal.SIGKILL)),
                              ("PostgreSQL crashed", lambda: os.kill(int(pair.ask(6001, SESSION)[0]), signal.SIGKILL)),
                              ("standby promoted", pair.fail_over),
                              ("leader killed again", lambda: nodes.leader().signal(signal.SIGKILL))):
            deadline = time.monotonic() + 30
            while nodes.leader() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            began = time.monotonic()
            failure()
            pause = cluster.wait_again(world, time.monotonic())
            if pause is None:
                return pauses, [f"{told}: no writes after it"]
            pauses[told] = [cluster.pause_since(world.acknowledged, began)]
        return pauses, []

    def test_nothing_is_lost_doubled_or_out_of_order(self):
        with tempfile.TemporaryDirectory() as folder, Loopback(servers.NAMES) as net, shared_store.Pair() as pair:
            shared_store.init(servers.binary(), pair.url)
            pauses, clients, problems = cluster.observe(net, folder, pair.url, random.Random(SEED), lambda world, nodes: self.break_all(world, nodes, pair))
            history, found = cluster.judge(pair.url, clients)
            print(f"# {cluster.summary(pauses, clients, history)}")
            cluster.report(pauses)
            self.assertEqual(problems + found, [])
            # The canary: an item that is missing is found missing.
            pair.ask(6002, LONGEST)
            self.assertNotEqual(cluster.judge(pair.url, clients)[1], [])


if __name__ == "__main__":
    unittest.main()
