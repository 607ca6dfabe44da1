"""Whether transactions on lists were strictly serializable: the judgement over a history of appends and reads.

Lists only grow, so whoever reads one sees the order in which its elements were appended. From that follow the edges between
transactions: ww (appended after), wr (read what was appended), rw (read before it was appended) and rt (began after the other had
ended). A cycle of edges is an anomaly, and its edges tell which, in the names of Adya: ww alone is G0, with wr G1c, with one rw
G-single (read skew, lost update), with more G2 (write skew). One with rt in it is a state that was shown too late or too early:
a stale read, when one rw closes it. What needs no cycle is found first: lost, doubled, torn, aborted and unordered appends.

An operation whose outcome nobody knows counts as soon as somebody has read it, and then all of it. Its end is when its connection
broke, since whoever served it is dead by then.
"""

import collections
import dataclasses
import itertools


@dataclasses.dataclass(eq=False)
class Txn:
    """Appends and reads that happen at one moment between `start` and `end`."""
    start: int
    end: int
    outcome: bool  # True: done; False: refused; None: not known
    appends: dict = dataclasses.field(default_factory=dict)  # key: elements, in order
    reads: dict = dataclasses.field(default_factory=dict)  # key: elements; what was there before its own appends
    client: int = 0
    number: int = 0  # by judge()

    def __str__(self):
        parts = [f"{key}+{elements}" for key, elements in self.appends.items()]
        parts += [f"{key}={len(elements)} elements, last {elements[-1] if elements else None}" for key, elements in self.reads.items()]
        return f"#{self.number} of client {self.client} [{self.start}..{self.end}] {'ok' if self.outcome else 'unknown'}: {', '.join(parts)}"


@dataclasses.dataclass(frozen=True)
class Problem:
    kind: str
    text: str

    def __str__(self):
        return f"{self.kind}: {self.text}"


# --- what needs no cycle ---


def longest_reads(txns):
    """The order of each key: its longest read."""
    order = {}
    for txn in txns:
        for key, elements in txn.reads.items():
            if txn.outcome is not False and len(elements) >= len(order.get(key, ())):
                order[key] = elements
    return order


def judge_orders(txns, order):
    for txn in txns:
        for key, elements in txn.reads.items():
            if txn.outcome is not False and order[key][:len(elements)] != elements:
                yield Problem("incompatible order", f"{key} was {elements[-5:]} for {txn}, and later {order[key][:len(elements)][-5:]}")
    for key, elements in order.items():
        for element, count in collections.Counter(elements).items():
            if count > 1:
                yield Problem("duplicate", f"{element} is {count} times in {key}")


def judge_writers(order, writers):
    """Every element was appended by somebody who was not refused, and all that one appends comes at once."""
    for key, elements in order.items():
        for place, element in enumerate(elements):
            writer = writers.get((key, element))
            if writer is None:
                yield Problem("garbage", f"nobody appended {element} to {key}")
            elif writer.outcome is False:
                yield Problem("G1a", f"{element} in {key} was refused: {writer}")
            elif place == 0 or elements[place - 1] not in writer.appends[key]:
                wanted = writer.appends[key]
                if elements[place:place + len(wanted)] != wanted:
                    yield Problem("torn", f"{key} has {elements[place:place + len(wanted)]} of {writer}")


def judge_intermediate(txns, writers):
    """Nobody reads a part of what one transaction appends to a list."""
    for txn in txns:
        for key, elements in txn.reads.items():
            writer = writers.get((key, elements[-1])) if elements and txn.outcome is not False else None
            if writer is not None and writer.appends[key][-1] != elements[-1]:
                yield Problem("G1b", f"{txn} saw a part of {writer}")


def judge_final(txns, order, final):
    """`final`: the keys that were read when all was over. What was done is there, and what nobody knows of is there whole or not at all."""
    for txn in txns:
        if txn.outcome is False or not txn.appends.keys() <= final:
            continue
        there = [key for key, elements in txn.appends.items() if elements[-1] in order.get(key, ())]
        if txn.outcome and len(there) < len(txn.appends):
            yield Problem("lost", f"{sorted(txn.appends.keys() - set(there))} lack {txn}")
        elif there and len(there) < len(txn.appends):
            yield Problem("torn", f"only {there} have {txn}")


# --- cycles ---


class Graph:
    """Edges between numbered transactions, each of some kinds."""

    def __init__(self, size):
        self.edges = [{} for _ in range(size)]

    def add(self, a, b, kind):
        if a != b:
            self.edges[a].setdefault(b, set()).add(kind)

    def next(self, a, kinds):
        return [b for b, has in self.edges[a].items() if has & kinds]

    def components(self, kinds):
        """Sets of transactions that all reach each other, of two at least: Tarjan's algorithm without recursion."""
        index, low, on_stack, stack, counter, found = {}, {}, set(), [], itertools.count(), []
        for root in range(len(self.edges)):
            if root in index:
                continue
            work = [(root, iter(self.next(root, kinds)))]
            index[root] = low[root] = next(counter)
            stack.append(root)
            on_stack.add(root)
            while work:
                node, successors = work[-1]
                for other in successors:
                    if other not in index:
                        index[other] = low[other] = next(counter)
                        stack.append(other)
                        on_stack.add(other)
                        work.append((other, iter(self.next(other, kinds))))
                        break
                    if other in on_stack:
                        low[node] = min(low[node], index[other])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[node])
                    if low[node] == index[node]:
                        component = set()
                        while node not in component:
                            component.add(stack.pop())
                        on_stack -= component
                        if len(component) > 1:
                            found.append(component)
        return found

    def path(self, a, b, kinds, within):
        """The shortest one from a to b, by nodes; None: there is none."""
        came, row = {a: None}, [a]
        while row and b not in came:
            following = []
            for node in row:
                for other in self.next(node, kinds):
                    if other in within and other not in came:
                        came[other] = node
                        following.append(other)
            row = following
        if b not in came:
            return None
        path = [b]
        while path[-1] != a:
            path.append(came[path[-1]])
        return path[::-1]


# From the worst to the mildest: its name, the edges of the way back, and the kind of the edge that closes the cycle, which is on
# the way at most once unless the way may have it too.
ANOMALIES = [
    ("G0", {"ww"}, "ww"),
    ("G1c", {"ww", "wr"}, "wr"),
    ("G-single", {"ww", "wr"}, "rw"),
    ("G2", {"ww", "wr", "rw"}, "rw"),
    ("G0-realtime", {"ww", "rt"}, "ww"),
    ("G1c-realtime", {"ww", "wr", "rt"}, "wr"),
    ("stale read", {"ww", "wr", "rt"}, "rw"),
    ("G2-realtime", {"ww", "wr", "rw", "rt"}, "rw"),
]


def find_cycle(graph, component):
    for name, kinds, closing in ANOMALIES:
        for a in sorted(component):
            for b in graph.next(a, {closing}):
                path = graph.path(b, a, kinds, component) if b in component else None
                if path:
                    return name, [a, *path]
    raise AssertionError("a component without a cycle")


def describe_cycle(graph, txns, cycle):
    lines = [f"\n    {txns[a]}\n      {'/'.join(sorted(graph.edges[a][b]))} to" for a, b in zip(cycle, cycle[1:])]
    return "".join(lines) + f"\n    {txns[cycle[0]]}"


def add_data_edges(graph, order, writers, txns):
    for key, elements in order.items():
        for a, b in zip(elements, elements[1:]):
            graph.add(writers[key, a].number, writers[key, b].number, "ww")
    for txn in txns:
        for key, elements in txn.reads.items():
            if elements:
                graph.add(writers[key, elements[-1]].number, txn.number, "wr")
            if len(elements) < len(order[key]):
                graph.add(txn.number, writers[key, order[key][len(elements)]].number, "rw")


def add_time_edges(graph, txns):
    """Not all of them: who ended before another began that has ended since is reached through that one."""
    events = sorted([(txn.start, False, txn.number) for txn in txns] + [(txn.end, True, txn.number) for txn in txns])
    frontier, before = set(), {}
    for _, ends, number in events:
        if not ends:
            before[number] = frozenset(frontier)
            for other in frontier:
                graph.add(other, number, "rt")
        else:
            frontier -= before[number]
            frontier.add(number)


def judge(history, final=frozenset()):
    """All problems of a history. `final`: the keys that were read at the end, and hold all that there is."""
    writers = {(key, element): txn for txn in history for key, elements in txn.appends.items() for element in elements}
    order = longest_reads(history)
    problems = [*judge_orders(history, order), *judge_writers(order, writers), *judge_intermediate(history, writers),
                *judge_final(history, order, final)]
    if any(problem.kind in ("garbage", "duplicate", "incompatible order", "G1a") for problem in problems):
        return problems  # there is no one order to look for cycles in
    seen = {(key, element) for key, elements in order.items() for element in elements}
    txns = [txn for txn in history if txn.outcome or (txn.outcome is None and any(
        (key, element) in seen for key, elements in txn.appends.items() for element in elements))]
    for number, txn in enumerate(txns):
        txn.number = number
    graph = Graph(len(txns))
    add_data_edges(graph, order, writers, txns)
    add_time_edges(graph, txns)
    for component in graph.components({"ww", "wr", "rw", "rt"}):
        name, cycle = find_cycle(graph, component)
        problems.append(Problem(name, describe_cycle(graph, txns, cycle)))
    return problems
