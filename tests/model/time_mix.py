"""Everything that depends on time, mixed: expiry, streams, backups, recovery and dumps of two tables whose server is killed again and
again, beside an oracle (time_model.py) that knows when each change was.

Expiry happens by itself, so the oracle takes part in it: whenever the clock was moved or something was written, it waits until
the server has deleted what has expired, and only then is the moment sure. What a crash interrupts is not: whether an item expired
just before the server died or after it was started again, in which ms, nobody was told. Such times are remembered as gaps, and
nothing is restored to them. All else is exact: the items of every other moment, and the stream, which tells every change once.
"""

import collections
import pathlib
import shutil
import subprocess
import time

from time_model import Machine, State, TimeModel

from server import binary
from stream_reader import StreamReader, changes

DAY_MS = 86400 * 1000
RECOVERY_MS = 35 * DAY_MS
TOO_OLD_S = 5 * 365 * 86400
SETTLE_S = 60
LARGE = {size: {"S": "z" * size} for size in (2000, 60000, 200000)}  # shared, since every state has them

# A change of an item: its time is between `low` and `high`, inclusive.
Change = collections.namedtuple("Change", "low high key old new expired")


class MixTable(TimeModel):
    """A table with a stream. Its items may expire, and it may have recovery."""

    def __init__(self, mix, rng, name):
        super().__init__(mix, rng, name)
        self.recovery_since_ms = None
        self.expiring = False
        self.changes = []
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        self.stream_arn = self.create(StreamSpecification=stream)["TableDescription"]["LatestStreamArn"]
        self.note()

    # --- changes ---

    def new_item(self, key):
        item = super().new_item(key)
        if self.rng.random() < 0.5:
            seconds = self.rng.choice([-10 ** 9, -5, -5, 1, 2, 30, 4000])
            item["ttl"] = {"N": str(self.machine.now_ms // 1000 + seconds)}
        if self.rng.random() < 0.3:
            item["z"] = LARGE[self.rng.choice(list(LARGE))]
        return item

    def change(self, key, item, expired=False):
        old = self.items.get(key)
        super().change(key, item)
        if old != item:
            now_ms = self.machine.now_ms
            low_ms = min(self.machine.sure_ms + 1, now_ms) if expired else now_ms
            self.changes.append(Change(low_ms, now_ms, key, old, item, expired))

    def has_expired(self, item):
        now_s = self.machine.now_ms / 1000
        return "ttl" in item and now_s - TOO_OLD_S < int(item["ttl"]["N"]) < now_s

    def settle(self):
        """Waits for the sweeper."""
        if self.expiring:
            for key in [key for key, item in self.items.items() if self.has_expired(item)]:
                self.change(key, None, expired=True)
                self.machine.count["expired"] += 1
        end = time.monotonic() + SETTLE_S
        while (count := self.call("DescribeTable", TableName=self.name)["Table"]["ItemCount"]) != len(self.items):
            assert time.monotonic() < end, f"{self.name} has {count} items instead of {len(self.items)}"
            time.sleep(0.002)

    def note(self):
        self.settle()
        super().note()
        while self.states[1:] and self.states[1].ms <= self.machine.now_ms - RECOVERY_MS:
            del self.states[0]  # nobody can ask for it any more
        self.machine.sure_ms = self.machine.now_ms

    def write(self):
        self.machine.sure_ms = self.machine.now_ms - 1  # until it is settled
        super().write()

    def transaction(self):
        """Now and then the server dies before it is known what has expired; the request is repeated, and does nothing."""
        request = super().transaction()
        if self.rng.random() < 0.4:
            self.machine.restart()
            self.machine.count["transactions repeated"] += 1
            self.call("TransactWriteItems", **request)

    # --- settings ---

    def switch_recovery(self):
        turn_on = self.recovery_since_ms is None
        self.call("UpdateContinuousBackups", TableName=self.name,
                  PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": turn_on})
        self.recovery_since_ms = self.machine.now_ms if turn_on else None
        self.note()

    def switch_expiry(self):
        """Once an hour, as the service allows it."""
        self.machine.advance(3601)
        self.expiring = not self.expiring
        self.call("UpdateTimeToLive", TableName=self.name,
                  TimeToLiveSpecification={"Enabled": self.expiring, "AttributeName": "ttl"})
        self.machine.count["expiry switched"] += 1
        self.note()

    def alter(self):
        self.rng.choice([self.switch_expiry, self.switch_expiry, self.switch_recovery, self.change_indexes, self.more_units])()

    # --- earlier times ---

    def first_ms(self):
        return max(self.recovery_since_ms, self.machine.now_ms - RECOVERY_MS)

    def any_time(self):
        for _ in range(100):
            ms = super().any_time()
            if ms >= self.first_ms() and not self.machine.is_unsure(ms):
                return ms
        return self.machine.now_ms

    # --- the stream ---

    def stream_problem(self):
        """What the stream tells that did not happen, or the other way round; None: nothing."""
        reader = StreamReader(self.machine.exchange, self.stream_arn, limit=self.rng.choice([7, 1000])).catch_up()
        told, happened = collections.defaultdict(list), collections.defaultdict(list)
        for record in changes(reader):
            images = record["dynamodb"]
            key = images["Keys"]["pk"]["S"], int(images["Keys"]["sk"]["N"])
            told[key].append((record["eventName"], images.get("OldImage"), images.get("NewImage"), "userIdentity" in record))
        for change in self.changes:
            happened[change.key].append(change)
        for key in {*told, *happened}:
            if not self.agree(told[key], happened[key]):
                return f"{self.name}: the stream tells {len(told[key])} changes of {key} and not the last of {len(happened[key])}"
        return None

    def agree(self, told, happened):
        """The last changes are told, all of the last day and none that is older."""
        horizon = self.machine.now_ms - DAY_MS
        fewest = sum(change.low >= horizon for change in happened)
        most = sum(change.high >= horizon for change in happened)
        last = happened[len(happened) - len(told):]
        return fewest <= len(told) <= most and \
            told == [(event_name(change), change.old, change.new, change.expired) for change in last]


def event_name(change):
    return "INSERT" if change.old is None else "REMOVE" if change.new is None else "MODIFY"


class Mix(Machine):
    """The server, its tables and its backups, in a folder that is kept when something is wrong."""

    def __init__(self, rng, folder, *options):
        self.folder, self.data = pathlib.Path(folder), pathlib.Path(folder) / "data"
        self.requests = collections.deque(maxlen=3000)
        self.count = collections.Counter()
        self.tables, self.backups, self.gaps = [], [], []
        self.sure_ms = 0  # up to then all is known
        super().__init__(rng, ["--data", self.data, *options])
        for name in ("First", "Second"):
            self.make_table(name)

    # --- the server and its clock ---

    def ask(self, operation, **body):
        answer = super().ask(operation, **body)
        self.requests.append(f"{self.now_ms} {operation} {str(body)[:200]}: {str(answer)[:200]}")
        return answer

    def exchange(self, operation, body):
        answer = self.ask(operation, **body)
        return (400 if "error" in answer else 200), answer

    def end(self, kill=False):
        super().end(kill)
        with open(self.folder / "server.log", "a") as log:
            log.write(f"--- {'killed' if kill else 'stopped'} at {self.now_ms}\n{self.server.error_text()}")
        self.server.errors.close()
        self.count["killed" if kill else "stopped"] += 1

    def start(self):
        """What expires until the clock stands still does so in a ms that nobody knows."""
        before_ms = self.now_ms
        super().start()
        assert self.now_ms >= before_ms, f"time went back from {before_ms} to {self.now_ms}"
        self.move(Advance=0.001)
        self.gaps.append((self.sure_ms, self.now_ms))
        self.settle()

    def is_unsure(self, ms):
        return any(low < ms < high for low, high in self.gaps)

    def settle(self):
        sure_ms = self.sure_ms
        for table in self.tables:
            self.sure_ms = sure_ms
            table.note()

    def advance(self, seconds):
        self.move(Advance=seconds)
        self.settle()

    # --- steps ---

    def make_table(self, name):
        """A stream that begins in a ms of which numbers were used takes the next one: the clock catches up."""
        self.tables.append(MixTable(self, self.rng, name))
        self.advance(0.01)

    def table(self):
        return self.rng.choice(self.tables)

    def write(self):
        self.table().write()

    def alter(self):
        self.table().alter()

    def pass_time(self):
        self.advance(self.rng.choice([0.001, 0.5, 1, 2, 40, 3700, 5 * 3600]))

    def pass_days(self):
        self.advance(86400 * self.rng.choice([1, 2, 36]))

    def die_in_time(self):
        """The server dies while it does what has its time now; the second move may come while it is busy with the first."""
        self.move(Advance=0.001)
        self.move(Advance=self.rng.choice([1, 40, 3700, 36 * 86400]))
        self.end(kill=True)
        self.start()

    def take_backup(self):
        table = self.table()
        answer = self.ask("CreateBackup", TableName=table.name, BackupName="some")
        if "error" not in answer:
            state = State(self.now_ms, table.items, table.indexes, table.units)
            self.backups.append((answer["BackupDetails"]["BackupArn"], state))
        else:
            assert answer["error"] == "BackupInUseException", answer  # another one is being taken

    def delete_backup(self):
        if self.backups and "error" not in self.ask("DeleteBackup", BackupArn=self.backups[0][0]):
            del self.backups[0]

    def begin_restore(self):
        """The new table's name and the state that it is to have; None: there is nothing to restore."""
        table = self.table()
        if self.backups and self.rng.random() < 0.4:
            arn, state = self.rng.choice(self.backups)
            return table.restore_backup(arn), state
        if table.recovery_since_ms is None:
            return None
        ms = table.any_time()
        return table.restore_to(ms), table.at(ms)

    def restore(self):
        begun = [self.begin_restore() for _ in range(self.rng.choice([1, 2, 3]))]
        for _ in range(self.rng.choice([0, 1, 3])):
            self.rng.choice([self.restart, self.write, self.alter, self.pass_time, self.die_in_time])()
        for name, state in filter(None, begun):
            if self.count["restores compared"] == 0 or self.rng.random() < 0.85:
                problem = self.tables[0].difference(name, state)
                assert problem is None, f"{name} is not as at {state.ms}: {problem}"
                self.count["restores compared"] += 1
            self.call("DeleteTable", TableName=name)

    def read_stream(self):
        problem = self.table().stream_problem()
        assert problem is None, problem
        self.count["streams compared"] += 1

    def make_anew(self):
        old = self.table()
        if "error" not in self.ask("DeleteTable", TableName=old.name):  # a copy may be reading it
            self.tables.remove(old)
            self.make_table(old.name)

    def move_house(self):
        """The server goes on with what was restored from a dump."""
        dump, copy = self.folder / "dump", self.folder / "copy"
        for arguments in (["backup", "--force", self.data, dump], ["restore", dump, copy]):
            subprocess.run([binary(), *arguments], check=True, stdout=subprocess.DEVNULL)
        self.end()
        shutil.rmtree(self.data)
        copy.rename(self.data)
        self.start()

    # --- rounds ---

    def round(self):
        """The same steps each time, in another order."""
        steps = [self.write] * 30 + [self.pass_time, self.alter, self.restore] * 8 + [self.take_backup] * 4 + \
            [self.read_stream, self.restart] * 3 + \
            [self.die_in_time, self.delete_backup, self.pass_days, self.make_anew, self.move_house]
        self.rng.shuffle(steps)
        for table in self.tables:
            if table.recovery_since_ms is None:
                table.switch_recovery()
            if not table.expiring:
                table.switch_expiry()
        for step in steps:
            step()
        self.count["rounds"] += 1

    def keep_evidence(self):
        """Writes what there is to know about a failure into the folder."""
        (self.folder / "requests.log").write_text("\n".join(self.requests))
        with open(self.folder / "changes.log", "w") as log:
            for table in self.tables:
                for change in table.changes:
                    why = "expired" if change.expired else event_name(change)
                    log.write(f"{table.name} {change.key} {change.low}..{change.high} {why} {str(change.new)[:300]}\n")
            log.write("".join(f"gap {low}..{high}\n" for low, high in self.gaps))
