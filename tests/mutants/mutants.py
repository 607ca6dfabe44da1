#!/usr/bin/python3
"""Changes the C sources one small thing at a time, and shows each change that no test notices. `make mutants` calls this.

    mutants.py                                try 20 mutants of the C files that differ from the parent of the last commit
    mutants.py --base main --number 200       try 200 mutants of the files that differ from main
    mutants.py src/http src/engine/ahead.c    take these files and folders
    mutants.py --seed 7 --list src/http       print the mutants as diffs and run nothing

The copy of the tree in build-mutants/ has a build of its own. Mutants are written, built and tested there, so the checkout
never changes. The unit tests of the mutant's folder run first, then the cases in text files, then the other unit tests
and the tests over the wire. The first job that fails kills the mutant. A mutant that survives is a hole in the tests, or
an equivalent one, which belongs into equivalent.txt. The exit status is 1 when fewer than --floor percent were killed.
"""

import argparse
import concurrent.futures
import importlib.machinery
import importlib.util
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

import mutate

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
STAGES = ("unit", "cases", "rest")
PARTS = ("src", "lib", "tools", "apps")
WORKERS = os.cpu_count() + 1
JOB_SECONDS, JOB_TIMES = 20, 10  # timeout of a job: so many seconds, and so many times what it took without a mutant


class Broken(Exception):
    """Nothing can be measured, for the reason in the text."""


def run(command, cwd, **options):
    return subprocess.run(command, cwd=cwd, text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)


def git(*arguments):
    result = run(["git", *arguments], ROOT)
    if result.returncode:
        raise Broken(result.stdout.strip())
    return result.stdout.splitlines()


# --- Which mutants --------------------------------------------------------------------------------


def c_files(base, paths):
    """The files below the paths; without paths those that differ from the revision, committed or not."""
    if paths:
        names = git("ls-files", "--cached", "--others", "--exclude-standard", "--", *paths)
    else:
        names = git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard")
    return sorted(name for name in set(names)
                  if name.endswith(".c") and name.startswith(tuple(f"{part}/" for part in PARTS)) and "/tests/" not in name
                  and (ROOT / name).exists())


def choose(mutants, number, seed):
    """Draws the file, then the operator, then the place, so that long files do not get more mutants than others."""
    drawn, groups = random.Random(seed), {}
    for mutant in mutants:
        groups.setdefault(mutant.path, {}).setdefault(mutant.operator, []).append(mutant)
    chosen = []
    while groups and len(chosen) < number:
        path = drawn.choice(sorted(groups))
        operator = drawn.choice(sorted(groups[path]))
        places = groups[path][operator]
        chosen.append(places.pop(drawn.randrange(len(places))))
        if not places:
            del groups[path][operator]
        if not groups[path]:
            del groups[path]
    return chosen


# --- The copy -------------------------------------------------------------------------------------


class Tree:
    """A copy of the tree, with a build in build-check/ as scripts/check expects it."""

    def __init__(self, root):
        self.root = root
        self.build_directory = root / "build-check"

    def copy(self):
        """Leaves equal files untouched, which keeps the next build incremental."""
        names = {name for name in git("ls-files", "--cached", "--others", "--exclude-standard") if (ROOT / name).is_file()}
        for folder, folders, files in os.walk(self.root):
            place = pathlib.Path(folder).relative_to(self.root)
            folders[:] = [name for name in folders if not name.startswith("build") and name != "node_modules"]
            for name in files:
                if str(place / name) not in names:
                    (self.root / place / name).unlink()
        for name in names:
            source, target = ROOT / name, self.root / name
            if not target.exists() or source.read_bytes() != target.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)

    def configure(self):
        if not (self.build_directory / "build.ninja").exists():
            result = run(["meson", "setup", "build-check", "-Db_sanitize=address,undefined"], self.root)
            if result.returncode:
                raise Broken(result.stdout)

    def build(self, targets):
        """Returns what the compiler printed when it failed, else None."""
        result = run(["ninja", "--quiet", "-C", "build-check", *targets], self.root,
                     env={**os.environ, "CCACHE_NOHASHDIR": "1"})
        return result.stdout if result.returncode else None

    def write(self, path, text):
        (self.root / path).write_text(text)


# --- The tests ------------------------------------------------------------------------------------


def load_check(root):
    """Imports scripts/check of the copy, which knows all jobs and counts their cases."""
    loader = importlib.machinery.SourceFileLoader("check_of_mutants", str(root / "scripts/check"))
    check = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = check
    loader.exec_module(check)
    return check


class Suite:
    """The jobs of scripts/check that judge mutants."""

    def __init__(self, tree):
        self.tree, self.check = tree, load_check(tree.root)
        self.seconds, self.broken = {}, set()  # without a mutant: what each job takes, and names of those that fail
        self.programs = [job for job in self.check.meson_jobs() if self.target(job)]
        clients = list(self.check.client_jobs())
        self.cases = [job for job in clients if job.name in ("wire/cases", "wire/cases shared")]  # "shared": on PostgreSQL
        self.wire = [job for job in self.check.python_jobs() if job.name.startswith("wire/")]
        self.wire += [job for job in clients if job.name.endswith((" shared", " followed")) and job not in self.cases]

    def target(self, job):
        """The program of the build that the job runs; None for other programs, and for canaries, which Meson judges."""
        words = map(pathlib.Path, job.command)
        return next((str(word.relative_to(self.tree.build_directory)) for word in words if self.tree.build_directory in word.parents), None)

    def stages(self, path):
        """Returns [(name, jobs)] for a file. In the last stage, jobs with the folder's name come first."""
        folder = path.split("/")[1]
        own = [job for job in self.programs if self.target(job).startswith(f"tests/unit/{folder}/")
               or (folder == "store" and job.name.startswith("store/"))]  # store_contract/
        others = [job for job in self.programs if job not in own]
        cases = [job for job in others if "_cases" in self.target(job)] + self.cases
        rest = [job for job in others + self.wire if job not in cases and job.name.split("/")[0] in ("unit", "fault", "store", "wire")]
        return [("unit", own), ("cases", cases), ("rest", sorted(rest, key=lambda job: folder not in job.name))]

    def targets(self, stage, jobs):
        """The last stage needs everything: tests over the wire use more programs than the server."""
        return ["all"] if stage == "rest" else sorted({self.target(job) or "gramme" for job in jobs})

    def failed(self, jobs):
        """Runs them at the same time, and returns the names of those that failed."""
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            return [job.name for job, output in zip(jobs, pool.map(self.run, jobs)) if output is not None]

    def run(self, job):
        """Returns None when the job passed, else its output."""
        if job.name in self.seconds:
            job.timeout_s = JOB_SECONDS + JOB_TIMES * self.seconds[job.name]
        result = self.check.run_job(job)
        self.seconds.setdefault(job.name, result.seconds)
        return result.output if result.failed else None


# --- The run --------------------------------------------------------------------------------------


def try_mutant(tree, suite, mutant, stages, seconds):
    """Returns ("killed", job), ("survived", why tests are missing or "") or ("invalid", output of the compiler)."""
    end = time.monotonic() + seconds
    tree.write(mutant.path, mutant.mutated)
    try:
        for name, jobs in suite.stages(mutant.path):
            if name not in stages or not jobs:
                continue
            problem = tree.build(suite.targets(name, jobs))
            if problem:
                return "invalid", problem
            jobs = [job for job in jobs if job.name not in suite.broken]
            for place in range(0, len(jobs), WORKERS):
                if time.monotonic() > end:
                    return "survived", f"time limit, {len(jobs) - place} jobs of the stage {name} did not run"
                failed = suite.failed(jobs[place:place + WORKERS])
                if failed:
                    return "killed", failed[0]
        return "survived", ""
    finally:
        tree.write(mutant.path, mutant.text)


def run_without(tree, suite, paths, stages):
    """Runs all jobs that may judge a mutant. One that fails already would kill every mutant, so it is left out."""
    wanted = [(name, jobs) for path in paths for name, jobs in suite.stages(path) if name in stages]
    jobs = {job.name: job for _, jobs in wanted for job in jobs}
    if not jobs:
        raise Broken("no test covers these files")
    print(f"{len(jobs)} jobs without a mutant", flush=True)
    targets = {target for name, jobs in wanted for target in suite.targets(name, jobs)}
    problem = tree.build(sorted(targets))
    if problem:
        raise Broken(problem)
    suite.broken = set(suite.failed(jobs.values()))
    for name in sorted(suite.broken):
        print(f"left out: {name} fails without a mutant", flush=True)
    if len(suite.broken) == len(jobs):
        raise Broken("all jobs fail without a mutant")


def try_all(tree, suite, chosen, stages, seconds):
    """Returns [(mutant, fate, why)], and prints a line for each."""
    fates = []
    for number, mutant in enumerate(chosen, 1):
        begin = time.monotonic()
        fate, why = try_mutant(tree, suite, mutant, stages, seconds)
        fates.append((mutant, fate, why))
        note = f" by {why}" if fate == "killed" else f" ({why})" if fate == "survived" and why else ""
        print(f"{number:3}/{len(chosen)} {time.monotonic() - begin:6.1f} s  {fate}{note}: {mutant}", flush=True)
        if fate == "survived":
            print(mutant.diff(), flush=True)
    return fates


def score(fates, floor):
    """Prints the survivors and the score. Returns the exit status."""
    count = {fate: sum(each == fate for _, each, _ in fates) for fate in ("killed", "survived", "invalid")}
    judged = count["killed"] + count["survived"]
    for mutant, fate, why in fates:
        if fate == "survived":
            print(f"\nsurvived: {mutant}{why and ' (' + why + ')'}\n{mutant.diff()}")
    percent = 100 * count["killed"] / judged if judged else 0
    print(f"\n{count['killed']} of {judged} mutants killed, {percent:.1f} %"
          f"{', ' + str(count['invalid']) + ' do not compile' if count['invalid'] else ''}", flush=True)
    return 0 if judged and percent >= floor else 1


def main():
    parser = argparse.ArgumentParser(description="Show changes of the C sources that no test notices.")
    parser.add_argument("paths", nargs="*", help="mutate these files and folders (default: C files that differ from the base)")
    parser.add_argument("--base", default="HEAD~1", help="compare with this revision to find changed files (default: %(default)s)")
    parser.add_argument("--number", type=int, default=20, help="try so many mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="choose the same mutants again (default: random, printed)")
    parser.add_argument("--seconds", type=float, default=600, help="start no job after so many seconds of a mutant (default: %(default)s)")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=STAGES, help="run only these stages (default: all)")
    parser.add_argument("--floor", type=float, default=97, help="fail when fewer percent are killed (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="print the mutants and run nothing")
    options = parser.parse_args()
    seed = random.randrange(10**6) if options.seed is None else options.seed
    known = mutate.read_equivalents((HERE / "equivalent.txt").read_text())
    try:
        all_of_them = [mutant for path in c_files(options.base, options.paths) for mutant in mutate.mutants(path, (ROOT / path).read_text())]
        chosen = choose([mutant for mutant in all_of_them if not mutate.is_equivalent(mutant, known)], options.number, seed)
        print(f"{len(chosen)} of {len(all_of_them)} mutants, seed {seed}", flush=True)
        if options.list:
            print("\n".join(mutant.diff() for mutant in chosen))
            return 0
        tree = Tree(ROOT / "build-mutants")
        tree.copy()
        tree.configure()
        suite = Suite(tree)
        run_without(tree, suite, sorted({mutant.path for mutant in chosen}), options.stages)
        return score(try_all(tree, suite, chosen, options.stages, options.seconds), options.floor)
    except Broken as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
