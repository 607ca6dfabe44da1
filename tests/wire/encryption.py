"""What the tests of encrypted directories share: keys, and looking for what must not be there."""

import os
import pathlib


def make_key(path, form="hex"):
    """A fresh key in a file that only its owner may read."""
    key = os.urandom(32)
    path = pathlib.Path(path)
    path.write_bytes(key if form == "raw" else key.hex().encode() + b"\n")
    path.chmod(0o600)
    return path


def files_with(folder, *texts):
    """The files under a folder, or the one, that have one of the texts in them, as they are or in UTF-16."""
    wanted = [form for text in texts for form in (text.encode(), text.encode("utf-16-le"))]
    paths = [folder] if folder.is_file() else sorted(path for path in folder.rglob("*") if path.is_file())
    assert paths, folder
    return [str(path) for path in paths if any(form in content(path) for form in wanted)]


def content(path):
    try:
        return path.read_bytes()
    except FileNotFoundError:  # the server deletes files while it runs
        return b""


def fingerprint(folder):
    """Every name with everything that is there, to see that nothing was touched."""
    return {str(path.relative_to(folder)): content(path) if path.is_file() else None for path in folder.rglob("*")
            if path.name != "control"}
