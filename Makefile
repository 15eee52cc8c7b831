# The front door: it spells the Meson commands, so that nobody has to know them.
# "make help" lists the targets.

CC      ?= cc
ifeq ($(origin CC),default)
CC      := gcc
endif
PREFIX  ?= /usr/local
DESTDIR ?=
T       ?=
SECONDS_EACH ?= 0
# Set DEPS=no where packages are managed by other means.
DEPS    ?= yes

# A folder for each configuration and compiler; gcc's release one is build/.
suffix   = $(if $(filter-out gcc cc,$(notdir $(CC))),-$(notdir $(CC)))
RELEASE  = build$(suffix)
ASAN     = build-asan$(suffix)
TSAN     = build-tsan$(suffix)
FUZZ     = build-fuzz
DEBUG    = build-debug$(suffix)
COVERAGE = build-coverage
VALGRIND = build-valgrind
AMALGAM  = build-amalgamation
PROFILES = build-profiles$(suffix)
KERNELS  = 6.1 6.12
ARM      = build-arm
SPARGIO  = build-spargio$(suffix)
SYSROOT  = build-arm-sysroot

release_options = --buildtype=debugoptimized -Db_ndebug=true
asan_options    = --buildtype=debug -Doptimization=1 -Dbench=false \
		  -Db_sanitize=address,undefined -Db_lundef=false
tsan_options    = --buildtype=debug -Doptimization=1 -Dbench=false \
		  -Db_sanitize=thread -Db_lundef=false
fuzz_options    = --buildtype=debug -Doptimization=1 -Dbench=false -Dfuzz=true \
		  -Db_sanitize=address,undefined -Db_lundef=false
# Threads add to the same counters.
coverage_options = --buildtype=debug -Dbench=false -Db_coverage=true \
		  -Dc_args=-fprofile-update=atomic
# A folder of its own: it must be configured where valgrind's header is.
valgrind_options = --buildtype=debug -Dbench=false -Donly_spargio=true
profiles_options = --buildtype=debugoptimized -Dbench=false -Donly_spargio=true
spargio_options = --buildtype=debugoptimized -Db_ndebug=true -Dbench=false \
		  -Dtests=false -Donly_spargio=true
arm_options     = --buildtype=debug -Doptimization=1 -Dbench=false \
		  -Donly_spargio=true --cross-file $(SYSROOT)/paths.ini \
		  --cross-file tools/aarch64.cross.ini

# $(call deps,groups)
deps  = @[ "$(DEPS)" = no ] || tools/deps.sh $(1)
# $(call quietly,command): what it prints matters only if it fails
quietly = @log=$$(mktemp) && { $(1) >"$$log" 2>&1 || \
	{ cat "$$log" >&2; rm -f "$$log"; exit 1; }; } && rm -f "$$log"
# $(call setup,folder,options): configure once
setup   = $(call quietly,[ -f $(1)/build.ninja ] || \
	CC='$(CC)' CXX='$(cxx)' meson setup $(1) $(2) --prefix='$(PREFIX)')
# $(call ninja,folder): progress on a terminal, silence elsewhere
ninja   = $(if $(MAKE_TERMOUT),@ninja -C $(1),$(call quietly,ninja -C $(1)))

# Of the same make, for tests of the runtime in C++.
cxx      = $(if $(findstring clang,$(CC)),clang++,g++)
compilers = build $(if $(suffix),clang)

.PHONY: all help run test check check-tsan check-arm check-valgrind interop browser \
	check-profiles check-kernels amalgamation check-amalgamation long chaos \
	check-api check-hostile hostile-search sim coverage fuzz bench fmt lint install install-spargio \
	debug deb clean

all:	## build everything, binary at build/arancini
	$(call deps,$(compilers))
	$(call setup,$(RELEASE),$(release_options))
	$(call ninja,$(RELEASE))

help:	## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | \
		awk -F'|' '{ printf "make %-18s %s\n", $$1, $$2 }'

run: all	## build and run the collector, its data under ./data
	@exec $(RELEASE)/arancini run

test:	## everything a user should see pass
	$(call deps,$(compilers) test format)
	$(call setup,$(RELEASE),$(release_options))
	$(call ninja,$(RELEASE))
	@tests/run $(RELEASE)

check:	## unit tests, fuzz replay, layers, style, format, under ASan and UBSan
	$(call deps,$(compilers) test format)
	$(call setup,$(ASAN),$(asan_options))
	$(call ninja,$(ASAN))
	@tests/run $(ASAN) --no-suite slow --no-system

coverage:	## line and branch coverage of each layer by the unit tests
	$(call deps,$(compilers) test coverage)
	$(call setup,$(COVERAGE),$(coverage_options))
	$(call ninja,$(COVERAGE))
	@tests/run $(COVERAGE) --no-suite slow --no-suite tree --no-system
	@tools/coverage.sh $(COVERAGE)

check-tsan:	## the same under TSan
	$(call deps,$(compilers) test format)
	$(call setup,$(TSAN),$(tsan_options))
	$(call ninja,$(TSAN))
	@tests/run $(TSAN) --no-suite slow --no-system

check-arm:	## the runtime's unit tests built for AArch64, under qemu, on epoll
	$(call deps,build test arm)
	@tools/arm-sysroot.sh $(SYSROOT)
	$(call setup,$(ARM),$(arm_options))
	$(call ninja,$(ARM))
	@tests/run $(ARM) --no-suite slow --no-suite tree --no-system

amalgamation:	## the runtime as one file and one header, in build-amalgamation/
	@tools/amalgamate.sh $(AMALGAM)
	@echo $(AMALGAM)/spargio.c $(AMALGAM)/spargio.h

check-amalgamation:	## that file with other flags, compilers, sanitizers, valgrind and C++
	$(call deps,build test clang valgrind)
	@tools/check-amalgamation.sh $(AMALGAM)

check-valgrind:	## some of the runtime's unit tests under memcheck, on epoll
	$(call deps,build test valgrind)
	$(call setup,$(VALGRIND),$(valgrind_options))
	$(call ninja,$(VALGRIND))
	@tools/check-valgrind.sh $(VALGRIND)

check-profiles:	## the runtime's unit tests as on Linux 5.10 to 6.12, by a shim
	$(call deps,$(compilers) test)
	$(call setup,$(PROFILES),$(profiles_options))
	$(call ninja,$(PROFILES))
	@tests/run $(PROFILES) --suite profiles --jobs 4 --no-system # they wait a lot

check-kernels:	## the runtime's unit tests and a collector on real kernels, in qemu
	$(call deps,$(compilers) test kernels)
	$(call setup,$(RELEASE),$(release_options))
	$(call ninja,$(RELEASE))
	@tests/kernels/run.py $(RELEASE) build-kernels $(if $(T),--only $(T)) $(KERNELS)

check-api:	## Schemathesis over docs/openapi.yaml against the built binary (SEED=n)
	$(call deps,$(compilers) api)
	$(call setup,$(RELEASE),$(release_options))
	$(call ninja,$(RELEASE))
	@[ "$(DEPS)" = no ] || tools/deps.sh --pypi $(RELEASE)/api/site-packages \
		tests/api/requirements.txt
	@/usr/bin/python3 tests/api/main.py --build $(RELEASE) \
		$(if $(SEED),--seed $(SEED))

interop:	## real routers, FRR and GoBGP, against the built binary
	$(call deps,$(compilers) test interop)
	$(call setup,$(RELEASE),$(release_options))
	$(call ninja,$(RELEASE))
	@tests/run $(RELEASE) --only-interop

browser:	## the dashboard in a real browser, against the built binary
	$(call deps,$(compilers) test browser)
	$(call setup,$(RELEASE),$(release_options))
	$(call ninja,$(RELEASE))
	@tests/run $(RELEASE) --only-browser

check-hostile:	## tests/hostile against a collector under ASan and UBSan
	$(call deps,$(compilers) test)
	$(call setup,$(ASAN),$(asan_options))
	$(call ninja,$(ASAN))
	@tests/run $(ASAN) --only-hostile

search_options = $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS))

hostile-search:	## look for messages that cost the collector too much (SECONDS=300, SEED=n)
	$(call deps,$(compilers) test)
	$(call setup,$(RELEASE),$(release_options))
	$(call ninja,$(RELEASE))
	@/usr/bin/python3 tests/hostile/search.py --build $(RELEASE) $(search_options)

long:	## a million fibers, storm, 50 crashes, restart, an hour's soak (T=storm: only that); 80 minutes
	$(call deps,$(compilers) test)
	$(call setup,$(RELEASE),$(release_options))
	$(call ninja,$(RELEASE))
	@tests/long $(RELEASE) $(T)

# SECONDS is a variable of bash, not of make: what the caller gave counts.
chaos_options = $(if $(SEED),--seed $(SEED)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(if $(SECONDS),--seconds $(SECONDS)) $(if $(JOBS),--jobs $(JOBS)) \
		$(if $(FAULTS),--faults $(FAULTS)) $(if $(LONG),--long) \
		$(if $(SHORT),--short) $(if $(KNOWN_OPEN),--known-open)

chaos:	## faults at random against the built binary (SECONDS=300, SEED=n ROUNDS=n, JOBS=n)
	$(call deps,$(compilers) chaos)
	$(call setup,$(RELEASE),$(release_options))
	$(call ninja,$(RELEASE))
	@[ "$(DEPS)" = no ] || tools/deps.sh --pypi $(RELEASE)/chaos-python \
		tests/chaos/requirements.txt
	@/usr/bin/python3 tests/chaos/main.py --build $(RELEASE) $(chaos_options)

SEEDS ?= 1..300

sim:	## simulated routers and collectors with faults (SEEDS=A..B, LOG=yes for one)
	$(call deps,$(compilers) test)
	$(call setup,$(RELEASE),$(release_options))
	$(call ninja,$(RELEASE) tests/sim/sim_world)
	@$(RELEASE)/tests/sim/sim_world $(if $(LOG),--log) $(SEEDS)

fuzz: override CC = clang
fuzz:	## run fuzz target T=name until stopped (SECONDS_EACH=20: all, bounded)
	$(call deps,build test clang)
	$(call setup,$(FUZZ),$(fuzz_options))
	$(call ninja,$(FUZZ))
	@tests/fuzz/run $(FUZZ) '$(T)' '$(SECONDS_EACH)'

bench: all	## print the numbers the docs quote, one JSON object a line
	@bench/run $(RELEASE)

fmt:	## rewrite the C files as .clang-format wants them
	$(call deps,format)
	@tools/check-format.sh --fix

lint:	## clang-tidy, cppcheck, shellcheck
	$(call deps,$(compilers) test lint)
	$(call setup,$(DEBUG),--buildtype=debug)
	$(call ninja,$(DEBUG))
	@tools/lint.sh $(DEBUG)

debug:	## an unoptimised build with assertions, in build-debug/
	$(call deps,$(compilers) test)
	$(call setup,$(DEBUG),--buildtype=debug)
	$(call ninja,$(DEBUG))

install: all	## install under $(DESTDIR)$(PREFIX)
	$(call quietly,meson setup --reconfigure $(RELEASE) --prefix='$(PREFIX)')
	$(call ninja,$(RELEASE))
	@DESTDIR='$(DESTDIR)' meson install -C $(RELEASE) --no-rebuild --quiet

install-spargio: ## the runtime alone; nothing of the collector is built
	$(call deps,spargio $(if $(suffix),clang))
	$(call setup,$(SPARGIO),$(spargio_options))
	$(call quietly,meson setup --reconfigure $(SPARGIO) --prefix='$(PREFIX)')
	$(call ninja,$(SPARGIO))
	@DESTDIR='$(DESTDIR)' meson install -C $(SPARGIO) --no-rebuild --quiet

deb:	## the Debian packages, in build-deb/
	$(call deps,build deb)
	@tools/deb.sh build-deb

clean:	## remove the build folders
	rm -rf build build-*
