"""Makes the tests independent of their caller: scripts/check calls isolate() before anything else, and its jobs inherit what it sets.

A caller may ignore or block signals (nohup, CI runners), have no standard input, any umask, locale, time zone and home, proxies, and
variables that AWS clients, PostgreSQL's, git, Python or `gramme` read. None of that reaches a test: a test sets what it needs.

tests/tap.py calls isolate_process() and drop_client_settings(), for a file that is run by hand.
"""

import atexit
import os
import pathlib
import re
import shutil
import signal
import tempfile

# Variables that are kept: where programs and libraries are, where packages come from, and the settings of tests/README.md.
MACHINE = ("PATH", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "NODE_EXTRA_CA_CERTS", "npm_config_registry", "npm_config_cafile", "MIRROR", "ROOTS")
SETTINGS = ("GRAMME_ALL", "GRAMME_BIN", "GRAMME_BUILD", "GRAMME_CONSOLE_ITEMS", "GRAMME_EVERY", "GRAMME_LOSSES", "GRAMME_PATIENCE_MS",
            "GRAMME_OPERATIONS", "GRAMME_POSTGRES_BIN", "GRAMME_RELEASE", "GRAMME_ROT", "GRAMME_SECONDS", "GRAMME_SEED", "GRAMME_STEPS")
# A checkout may belong to another user, as under sudo or in a container; git looks for that permission in the home, too.
FIXED = {"LANG": "C.UTF-8", "TZ": "UTC", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
SYSTEM_FOLDERS = ("/usr/sbin", "/usr/bin", "/sbin", "/bin")  # the PATH of a user may lack the first
TMPDIR_MAX = 48  # bytes: the path of a socket has 107 at most, and tests make folders in folders


def isolate(cache, *more):
    """For this process and all that it starts. Compilers and npm keep downloads and results in `cache`; `more` names variables to keep."""
    isolate_process()
    caller = dict(os.environ)
    os.environ.clear()
    os.environ.update({name: caller[name] for name in (*MACHINE, *SETTINGS, *more) if name in caller})
    os.environ.update({**FIXED, **npm_settings(caller, cache), "PATH": full_path(caller), "XDG_CACHE_HOME": str(cache)})
    if is_usable(caller.get("TMPDIR", "")):
        os.environ["TMPDIR"] = caller["TMPDIR"]
    tempfile.tempdir = None  # computed anew
    os.environ["HOME"] = tempfile.mkdtemp(prefix="gramme-home-")
    atexit.register(shutil.rmtree, os.environ["HOME"], ignore_errors=True)


def isolate_process():
    """Opens files 0 to 2, lets children have the default action of every signal and none blocked, and sets the usual umask."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # gets the lowest number that is free
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:  # Python ignores these, and subprocess resets them
        if signal.getsignal(number) == signal.SIG_IGN:
            # A handler that does nothing still ignores the signal here, and exec resets it to the default.
            signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.umask(0o022)


def drop_client_settings():
    for name in [name for name in os.environ if name.startswith("AWS_") or name.lower().endswith("_proxy")]:
        del os.environ[name]


def full_path(caller):
    folders = [folder for folder in caller.get("PATH", "").split(":") if folder]
    return ":".join([*folders, *(folder for folder in SYSTEM_FOLDERS if folder not in folders)])


def is_usable(folder):
    """Whether tests can make their files there: PostgreSQL enters as another user when we are root."""
    return bool(re.fullmatch(r"/[\w/.-]+", folder)) and len(folder) <= TMPDIR_MAX and os.access(folder, os.W_OK | os.X_OK) and \
        all(path.stat().st_mode & 0o001 for path in (pathlib.Path(folder), *pathlib.Path(folder).parents))


def npm_settings(caller, cache):
    """npm downloads as it does for the caller; no other program here uses the caller's proxies."""
    proxies = {"proxy": "http_proxy", "https_proxy": "https_proxy", "noproxy": "no_proxy"}
    found = {setting: caller.get(variable) or caller.get(variable.upper()) for setting, variable in proxies.items()}
    return {"npm_config_cache": f"{cache}/npm", "npm_config_userconfig": caller.get("npm_config_userconfig", f"{caller.get('HOME', '')}/.npmrc"),
            **{f"npm_config_{setting}": value for setting, value in found.items() if value}}
