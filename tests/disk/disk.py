"""A disk that fails when it is told to, or that loses its power: the Python side of disk.c."""

import contextlib
import errno
import os
import pathlib
import random
import shutil
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "wire"))

from server import binary

BUILD = pathlib.Path(binary()).parent
SHIM = BUILD / "tests/disk/disk.so"
WRITER = BUILD / "tests/disk/writer"
KINDS = ["open", "read", "write", "sync", "rename", "unlink", "truncate", "map", "folder"]
ALL_KINDS = (1 << len(KINDS)) - 1
SYNC_S = 60
LAYOUT = struct.Struct("Q9QQQIIQ")  # struct control
ERRORS = {"open": [errno.EMFILE, errno.EIO, errno.EACCES], "read": [errno.EIO], "write": [errno.EIO, errno.ENOSPC, errno.EINTR],
          "sync": [errno.EIO, errno.ENOSPC], "rename": [errno.EIO, errno.ENOSPC], "unlink": [errno.EIO], "truncate": [errno.EIO, errno.ENOSPC],
          "map": [errno.ENOMEM], "folder": [errno.ENOSPC]}


class Disk:
    """The folder `root` is what is on it, with `data` in it, not made yet."""

    def __init__(self, folder, journal=False):
        self.folder = pathlib.Path(folder)
        self.root = self.folder / "root"
        self.data = self.root / "data"
        self.root.mkdir()
        self.shim = self.folder / SHIM.name
        self.shim.symlink_to(SHIM.resolve())  # LD_PRELOAD takes no path with a blank
        self.control, self.journal, self.trash = self.folder / "control", self.folder / "journal", self.folder / "trash"
        self.trash.mkdir(exist_ok=True)
        self.journal.write_bytes(b"")
        self.keeps_journal = journal
        self.arm()

    def env(self):
        sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        env = {"LD_PRELOAD": str(self.shim), "GRAMME_DISK": str(self.root), "GRAMME_DISK_CONTROL": str(self.control), "ASAN_OPTIONS": sanitizer}
        if self.keeps_journal:
            env.update({"GRAMME_DISK_JOURNAL": str(self.journal), "GRAMME_DISK_TRASH": str(self.trash)})
        return env

    @contextlib.contextmanager
    def mounted(self):
        """What is started meanwhile is on this disk."""
        before = {name: os.environ.get(name) for name in self.env()}
        os.environ.update(self.env())
        try:
            yield self
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})

    # --- failing ---

    def arm(self, fail_at=0, error=errno.EIO, kinds=ALL_KINDS, times=1):
        """Counts from here on; the call `fail_at`, and so many from it on, fails."""
        with open(self.control, "r+b" if self.control.exists() else "wb") as file:
            file.write(LAYOUT.pack(0, *[0] * 9, fail_at, times, error, kinds, 0))

    def calls(self):
        return LAYOUT.unpack(self.control.read_bytes())[0]

    def failed(self):
        return LAYOUT.unpack(self.control.read_bytes())[-1]

    # --- losing power ---

    def wait_synced(self, path):
        """Until all that the file has now was synced, or it is gone; says whether it was in time."""
        file, end = path.stat(), time.monotonic() + SYNC_S
        while path.exists() and time.monotonic() < end:
            lines = [line.split(" ") for line in self.journal.read_text(errors="surrogateescape").splitlines()]
            if any(kind == "S" and int(rest[0]) == file.st_ino and int(rest[1]) >= file.st_size for kind, *rest in lines):
                return True
            time.sleep(0.005)
        return not path.exists()

    def lose_power(self, rng, lied=False):
        """Takes away what was not synced, and what the journal of a file system may not have; returns what was done. `lied`: what was
        synced goes, too."""
        lines = self.journal.read_bytes().decode(errors="surrogateescape").splitlines()
        synced, overwritten, names = {}, set(), []
        ordered = rng.random() < 0.5  # a sync of any file writes all names before it, as journals do
        for line in lines:
            kind, *rest = line.split(" ")
            if kind == "S":
                synced[int(rest[0])] = int(rest[1])
                overwritten.discard(int(rest[0]))
                if ordered:
                    names.clear()
            elif kind == "O":
                overwritten.add(int(rest[0]))
            elif kind == "D":
                folder = rest[0].removesuffix("/.")
                names = [] if ordered else [name for name in names if os.path.dirname(name[-2 if name[0] in "RU" else -1]) != folder]
            else:
                names.append((kind, *rest))
        undone = self.undo_names(rng, names)
        cut = self.cut_tails(rng, {} if lied else synced)
        self.journal.write_bytes(b"")
        shutil.rmtree(self.trash)
        self.trash.mkdir()
        # From here on everything is on the disk.
        for path in self.root.rglob("*"):
            if path.is_file():
                self.append(f"S {path.stat().st_ino} {path.stat().st_size}\n")
        return f"{undone} names undone, {cut} tails cut, {'ordered' if ordered else 'strict'}"

    def append(self, line):
        with open(self.journal, "a") as file:
            file.write(line)

    def undo_names(self, rng, names):
        """A file system may have written down only the first of the names that were not synced."""
        count = rng.choice([0, len(names), rng.randint(0, len(names))])
        for kind, *paths in reversed(names[len(names) - count:]):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                if kind == "C":
                    os.unlink(paths[0])
                elif kind == "M":
                    shutil.rmtree(paths[0])
                elif kind == "R":
                    os.rename(paths[1], paths[0])
                    if paths[2] != "-":
                        os.link(paths[2], paths[1])
                elif kind == "U" and paths[1] != "-":
                    os.link(paths[1], paths[0])
        return count

    def cut_tails(self, rng, synced):
        cut = 0
        for path in sorted(self.root.rglob("*")):
            if not path.is_file() or path.is_socket():
                continue
            size, sure = path.stat().st_size, synced.get(path.stat().st_ino, 0)
            if sure < size:
                self.cut_tail(rng, path, sure, size)
                cut += 1
        return cut

    def cut_tail(self, rng, path, sure, size):
        """Nothing, a part or all of what was not synced is there; or its length is, and other bytes; sectors come in any order."""
        how = rng.choice(["none", "none", "part", "all", "zeros", "noise", "hole"])
        if path.name.startswith("MANIFEST-") and how == "hole":
            how = "noise"  # an edit behind a hole that can be read is taken for damage: see docs/TRUST.md
        with open(path, "r+b") as file:
            if how in ("none", "part"):
                file.truncate(sure if how == "none" else rng.randint(sure, size))
            elif how in ("zeros", "noise"):
                file.seek(sure)
                file.write(bytes(size - sure) if how == "zeros" else random.Random(rng.random()).randbytes(size - sure))
            elif how == "hole":
                begin = rng.randint(sure, size)
                file.seek(begin)
                file.write(bytes(min(512, size - begin)))
