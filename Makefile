# The front door. Meson and Ninja do the work behind it.
#
#   make          build build/gramme
#   make run      install what is missing, build, serve on port 8000 with the data in ./data
#   make demo     the same in memory with five systems on it, sample traffic, and a page that shows them
#                 (ARGS="--port 8100 --data demo-data"); Ctrl-C stops all of it
#   make check    install what the tests need, build with sanitizers, run every test (WERROR=1: a
#                 warning of the compiler fails it, as it does for us; yours may know more of them;
#                 ARGS="unit/ wire/cases": only the jobs whose name contains a word; ARGS=--times: where the time
#                 went; ARGS="--repeat 5 --under-load": five times, beside four busy processes)
#   make check-fast   style, unit tests and text cases: the inner loop of a change
#   make check-releases   make, make check and Debian's packages on every supported release of Debian and Ubuntu, as root
#   make install  install the release build: gramme, the five systems, the client library, units for
#                 systemd, manual pages (PREFIX, DESTDIR); make uninstall removes them
#   make packages   all packages into dist/, with their checksums; make package-deb, -tarball, -npm, -python one of them
#                 for this kind of machine, or, as root, for another (ARCH=arm64)
#   make check-packages   build packages, install them in clean systems and use them there, as root (ARGS="deb arm64" takes some)
#   make bench    measure the release build, also beside others (ARGS=--long, ARGS=--write,
#                 ARGS="--only rivals"; ARGS=--help tells more)
#   make instructions   record what each request costs, which make check holds on to
#   make fuzz     fuzz every parser and codec, FUZZ_SECONDS each
#   make crash    kill -9 under load, and in a mix of all that depends on time, CRASH_SECONDS each
#   make torture  all that tries to break it, at random, for SECONDS: histories over kills, simulation,
#                 power losses, system calls that fail, damage (ARGS="power kill" takes some of it)
#   make check-postgres   the store, the API and several servers on PostgreSQL 16 to 18, from npm (ARGS=18 takes one)
#   make check-cluster   suites on a cluster of three with PostgreSQL, Patroni and etcd, then its failures at random
#                 under load for CLUSTER_SECONDS (ARGS="machine server_killed" takes some of them, ARGS="--groups 4" has both servers write)
#   make ecosystem   tools of others, from npm and Debian, used for real; docs/ECOSYSTEM.md gets the table (ARGS=dynamoose takes one)
#   make coverage what the tests reach, with a floor for branches (FLOOR=84, ARGS="unit fault")
#   make mutants  change the C sources one small thing at a time and show each change that no test notices
#                 (ARGS="--number 200 --seed 1 src/http"; ARGS=--help tells more)
#   make differ   random requests beside DynamoDB Local, whose answers are compared
#                 (ARGS="--seed 1 --operations 50000"; ARGS=--help tells more)
#   make docs     fill the generated parts of docs/
#   make format   clang-format every C and C++ file
#   make tidy     clang-tidy over the sources, slow and not part of the checks
#   make clean    remove what the build made; ./data stays

PREFIX ?= /usr/local
PORT ?= 8000
DATA ?= data
ARGS ?=
CRASH_SECONDS ?= 300
CLUSTER_SECONDS ?= 300
SECONDS ?= 600
TORTURE ?= 0
FLOOR ?= 84
FUZZ_SECONDS ?= 60
WERROR ?=
ARCH ?=
KINDS := tarball npm python deb

PYTHON := /usr/bin/python3
C_FILES := $(foreach folder,src lib tools apps tests,'$(folder)/*.[ch]' '$(folder)/*.cc')

all: build/build.ninja
	@scripts/quietly ninja --quiet -C build

run: all
	@exec build/gramme serve --port $(PORT) --data $(DATA) $(ARGS)

demo: all
	@exec build/apps/demo/gramme-demo run $(ARGS)

check: build/build.ninja build-check/build.ninja build-tsan/build.ninja
	@$(PYTHON) scripts/check --build --torture $(TORTURE) $(ARGS)

check-fast: build-check/build.ninja
	@$(PYTHON) scripts/check --build --fast $(ARGS)

check-releases:
	@scripts/check-releases

# PREFIX may be another one than build/ was configured with.
install: all
	@grep -qx 'prefix=$(PREFIX)' build/meson-private/gramme-client.pc || \
	    { meson configure build -Dprefix=$(PREFIX) && scripts/quietly ninja --quiet -C build; }
	@meson install -C build --no-rebuild --quiet
	@echo "installed under $(DESTDIR)$(PREFIX)"

uninstall: build/build.ninja
	@DESTDIR=$(DESTDIR) scripts/uninstall build
	@echo "removed from $(DESTDIR)$(PREFIX)"

# The archive is in the packages for npm and Python; Debian's have a program of their own.
package-%: | deps-package
	@ARCH=$(ARCH) packaging/$*/build dist

packages: $(KINDS:%=package-%)
	@if scripts/release-root possible here; then \
	    for kind in $(KINDS); do ARCH=arm64 packaging/$$kind/build dist || exit 1; done; \
	else echo "Those for arm64 are left out."; fi
	@cd dist && sha256sum *.deb *.tar.gz *.tgz *.whl >SHA256SUMS && echo "and dist/SHA256SUMS"

check-packages: | deps-package
	@for test in $(if $(ARGS),$(ARGS:%=packaging/tests/test_%.py),packaging/tests/test_*.py); do \
	    $(PYTHON) tests/tap.py $$test || exit 1; done

bench: all
	@scripts/quietly ninja --quiet -C build bench_programs
	@scripts/deps bench || echo "Going on without them: who needs them takes no part."
	@$(PYTHON) tests/bench/run.py $(ARGS)

instructions: all | deps-test
	@$(PYTHON) tests/bench/instructions.py

crash: build-check/build.ninja
	@scripts/quietly ninja --quiet -C build-check
	@$(PYTHON) tests/torture/torture.py --seconds 0 --rounds 3 --round $(CRASH_SECONDS) kill 'time, mixed'

torture: build-check/build.ninja
	@scripts/quietly ninja --quiet -C build-check
	@$(PYTHON) tests/torture/torture.py --seconds $(SECONDS) $(ARGS)

check-postgres: build-check/build.ninja
	@scripts/quietly ninja --quiet -C build-check
	@tests/postgres/run $(ARGS)

ecosystem: build/build.ninja build-check/build.ninja | deps-ecosystem
	@scripts/quietly ninja --quiet -C build
	@scripts/quietly ninja --quiet -C build-check
	@$(PYTHON) tests/ecosystem/run.py $(if $(ARGS),$(ARGS),--write)

check-cluster: build-check/build.ninja | deps-cluster
	@scripts/quietly ninja --quiet -C build-check
	@$(PYTHON) tests/cluster/cluster.py -- $(PYTHON) scripts/check --on-cluster
	@$(PYTHON) tests/cluster/cluster.py --seconds $(CLUSTER_SECONDS) $(ARGS)

# In a copy of the tree with a build of its own, build-mutants/.
mutants: | deps-test
	@$(PYTHON) tests/mutants/mutants.py $(ARGS)

# Takes as long as make check, and its own build.
coverage: | deps-test
	@$(PYTHON) scripts/coverage --floor $(FLOOR) $(ARGS)

differ: all
	@scripts/deps bench || echo "Going on without them: who needs them takes no part."
	@$(PYTHON) tests/differ/differ.py $(ARGS)

fuzz: deps-fuzz
	@scripts/fuzz $(FUZZ_SECONDS)

docs: all
	@scripts/docs build/gramme

tidy: build/build.ninja
	@clang-tidy --quiet -p build $$(git ls-files 'src/*.c' 'lib/*.c' 'tools/*.c')

format: deps-test
	@clang-format -i $$(git ls-files --cached --others --exclude-standard $(C_FILES))

clean:
	rm -rf build build-check build-coverage build-tsan build-fuzz build-mutants

# build/ is the release build for users; build-check/ has the sanitizers for memory and undefined
# behaviour, build-tsan/ the one for threads. Ninja calls Meson again by itself when a meson.build
# changes. The packages are looked at every time, which costs a few milliseconds; their rule is
# order-only, so it never makes the configuration stale.
build/build.ninja: | deps-build
	@echo "Building build/gramme; the first time takes a while."
	@scripts/quietly meson setup build --prefix=$(PREFIX) -Dtests=false -Dwerror=$(if $(WERROR),true,false)

build-check/build.ninja: | deps-test
	@echo "Building build-check with sanitizers; the first time takes a while."
	@scripts/quietly meson setup build-check -Doptimization=1 -Db_sanitize=address,undefined -Dwerror=$(if $(WERROR),true,false)

build-tsan/build.ninja: | deps-test
	@scripts/quietly meson setup build-tsan -Doptimization=1 -Db_sanitize=thread -Db_lundef=false -Dtests=false -Dwerror=$(if $(WERROR),true,false)

deps-build deps-test deps-fuzz deps-package deps-cluster deps-ecosystem:
	@scripts/deps $(@:deps-%=%)

.PHONY: all run demo check check-fast check-postgres check-cluster ecosystem check-releases check-packages packages install uninstall bench instructions crash torture coverage mutants differ fuzz docs tidy format clean deps-build deps-test deps-fuzz deps-package deps-cluster deps-ecosystem
