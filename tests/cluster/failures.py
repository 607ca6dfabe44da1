"""What happens to a cluster: each is something that breaks, for a while, and is mended."""

import signal
import time


class Failures:
    """Things that go wrong, one at a time. Each returns how it is told."""

    def __init__(self, rng, network, databases, servers):
        self.rng, self.network, self.databases, self.servers = rng, network, databases, servers

    def kinds(self):
        kinds = [self.server_killed, self.server_stopped, self.other_server_killed, self.other_server_stopped, self.postgres_killed,
                 self.machine_killed, self.standby_killed, self.machine_stopped]
        cuts = [self.server_cut, self.other_server_cut, self.machine_cut, self.machine_apart]
        return kinds + cuts if self.network.can_cut else kinds

    def sleep(self, low, high):
        time.sleep(self.rng.uniform(low, high))

    def leader(self):
        return self.servers.leader() or self.rng.choice(self.servers.nodes)

    def other(self):
        leader = self.leader()
        return next(node for node in self.servers.nodes if node is not leader)

    def primary(self):
        return self.databases.primary() or self.rng.choice(list(self.databases.machines.values()))

    # --- servers of gramme ---

    def server_killed(self):
        self.leader().signal(signal.SIGKILL)
        return "leader killed"

    def other_server_killed(self):
        self.other().signal(signal.SIGKILL)
        return "other server killed"

    def stop(self, server):
        """Longer than its lead or its lease lasts, or not."""
        server.signal(signal.SIGSTOP)
        self.sleep(1, 14)
        server.signal(signal.SIGCONT)

    def server_stopped(self):
        self.stop(self.leader())
        return "leader stopped, and goes on"

    def other_server_stopped(self):
        self.stop(self.other())
        return "other server stopped, and goes on"

    def cut(self, server):
        """From the databases, not from its clients."""
        machines = list(self.databases.machines)
        self.network.cut(server.name, machines)
        self.sleep(2, 14)
        self.network.mend(server.name, machines)

    def server_cut(self):
        self.cut(self.leader())
        return "leader cut from the databases"

    def other_server_cut(self):
        self.cut(self.other())
        return "other server cut from the databases"

    # --- databases ---

    def postgres_killed(self):
        self.primary().kill_postgres()
        return "PostgreSQL primary killed"

    def machine_killed(self):
        machine = self.primary()
        machine.kill()
        self.sleep(1, 10)
        machine.start()
        return "primary's machine killed"

    def standby_killed(self):
        primary = self.primary()
        machine = self.rng.choice([machine for machine in self.databases.machines.values() if machine is not primary])
        machine.kill()
        self.sleep(1, 10)
        machine.start()
        return "standby's machine killed"

    def machine_stopped(self):
        machine = self.primary()
        stopped = machine.everything()
        machine.signal(signal.SIGSTOP, stopped)
        self.sleep(3, 30)
        machine.signal(signal.SIGCONT, stopped)
        return "primary's machine stopped, and goes on"

    def machine_cut(self):
        machine = self.primary()
        self.network.cut(machine.name)
        self.sleep(3, 35)
        self.network.mend(machine.name)
        return "primary's machine cut off"

    def machine_apart(self):
        """From the other databases, but not from the servers that write to it."""
        machine = self.primary()
        others = [name for name in self.databases.machines if name != machine.name]
        self.network.cut(machine.name, others)
        self.sleep(3, 35)
        self.network.mend(machine.name, others)
        return "primary's machine cut from the others"
