"""What a crash may leave behind: a small model of the writers of crash.py, and the judgement over it.

Each worker owns the keys of one partition and writes them one request at a time, so for every key there
is the version that was acknowledged last (0: no item) and, if its request was under way when the server
died, the version that would have been next. After the crash a key must hold one of the two, whole.
"""


def check_text(worker, key, version):
    """Stored beside the version, so that half of a write would show."""
    return f"{worker}/{key}/{version}/" + "x" * (version * 37 % 500)


def item(worker, key, version):
    return {"pk": {"S": str(worker)}, "sk": {"N": str(key)}, "version": {"N": str(version)},
            "check": {"S": check_text(worker, key, version)}}


class Model:
    """The keys of one worker."""

    def __init__(self, worker):
        self.worker = worker
        self.acknowledged = {}
        self.under_way = {}

    def begin(self, changes):
        self.under_way = changes

    def acknowledge(self):
        self.acknowledged.update(self.under_way)
        self.under_way = {}

    def allowed(self, key):
        return {self.acknowledged.get(key, 0), self.under_way.get(key, self.acknowledged.get(key, 0))}

    def judge(self, items):
        """Compares with the items of this partition; returns the problems and takes over what is there."""
        problems, found = [], {}
        for stored in items:
            key, version = int(stored["sk"]["N"]), int(stored["version"]["N"])
            if stored != item(self.worker, key, version):
                problems.append(f"worker {self.worker} key {key}: a broken item {stored}")
            found[key] = version
        for key in sorted({*self.acknowledged, *self.under_way, *found}):
            if found.get(key, 0) not in self.allowed(key):
                problems.append(f"worker {self.worker} key {key}: version {found.get(key, 0)}, "
                                f"allowed {sorted(self.allowed(key))}")
        self.acknowledged, self.under_way = found, {}
        return problems
