"""No request holds an I/O thread for long, however it is made, and none costs more than its size explains.

What hostile.py makes is tried on the release build. Limits are generous: what they are to find is ten times beyond them.
Times are those that threads were on a processor, so that other work on the machine does not count.
"""

import unittest

from hostile import MB, SIZES, Cost, Server, measure_all, requests

IO_S = 0.25
SECONDS_PER_MB = 0.25  # of all threads
MEMORY_PER_BYTE = 16
REPLY_BYTES = 8 * MB  # a text of 1 MB, escaped
STEP = 4  # from the smaller to the larger body
GROWTH = 10  # may what STEP times as much costs; twice as much work for each byte, and not four times
NOTICEABLE_S = 0.02  # below, it is noise


def wrong(cost):
    """What is wrong with it; None when nothing is."""
    if cost.io_s > IO_S:
        return f"the I/O thread was busy for {cost.io_s * 1000:.0f} ms"
    if cost.all_s > SECONDS_PER_MB * max(1, cost.size / MB):
        return f"the server was busy for {cost.all_s * 1000:.0f} ms"
    if cost.resident > MEMORY_PER_BYTE * cost.size + 16 * MB:
        return f"it took {cost.resident / MB:.0f} MB"
    if cost.reply > REPLY_BYTES:
        return f"its answer has {cost.reply:,} bytes"
    return None


def grows_too_fast(small, large):
    return large.all_s > GROWTH * max(small.all_s, NOTICEABLE_S)


class Hostile(unittest.TestCase):
    def test_every_request(self):
        small, large = ({cost.name: cost for cost in measure_all((size,))} for size in (MB // 4, STEP * MB // 4))
        for name, cost in large.items():
            with self.subTest(request=name):
                self.assertIsNone(wrong(cost), cost)
                self.assertFalse(grows_too_fast(small[name], cost), f"{small[name]}\n{cost}")
        print("#" + "\n#".join(str(cost) for cost in sorted(large.values(), key=lambda cost: -cost.io_s)[:10]))

    def test_the_largest_bodies(self):
        for name in ("PutItem SS, all equal", "PutItem BS, equal and more", "BatchWriteItem L of maps", "PutItem a broken N"):
            for cost in measure_all(SIZES[:1], name):
                with self.subTest(request=name):
                    self.assertIsNone(wrong(cost), cost)


class Canary(unittest.TestCase):
    """That what is too expensive is noticed."""

    def cost(self, **more):
        return Cost(**{"name": "", "size": MB, "io_s": 0.01, "all_s": 0.1, "wall_s": 0, "status": 400, "reply": 100,
                       "resident": MB, **more})

    def test_limits(self):
        self.assertIsNone(wrong(self.cost()))
        for more in ({"io_s": 0.3}, {"all_s": 1}, {"resident": 40 * MB}, {"reply": 9 * MB}):
            self.assertIsNotNone(wrong(self.cost(**more)), more)

    def test_growth(self):
        self.assertFalse(grows_too_fast(self.cost(all_s=0.1), self.cost(all_s=0.5)))
        self.assertTrue(grows_too_fast(self.cost(all_s=0.1), self.cost(all_s=1.6)))

    def test_the_requests_are_as_large_as_they_should_be(self):
        for name, (_, body) in requests(100_000):
            if not name.startswith(("ExecuteStatement", "Scan a f", "GetItem names, 250", "UpdateItem a full", "TransactWriteItems far")):
                self.assertIn(len(body) // 10_000, range(9, 12), name)

    def test_they_come_as_far_as_the_operation(self):
        """Some are answered, and nearly all others refused for what they say and not for how."""
        with Server("--threads", 1) as server:
            server.make_table()
            statuses = {name: server.call(*request) for name, request in requests(4000)}
        self.assertTrue([name for name, (status, _) in statuses.items() if status == 200])
        syntax = [name for name, (_, reply) in statuses.items() if b"SerializationException" in reply]
        self.assertLess(len(syntax), len(statuses) // 4, syntax)


if __name__ == "__main__":
    unittest.main()
