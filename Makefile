# Ordeal: one Makefile, no recursion, no configure. `make help` lists the targets.
#
# The user's: CC CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR BUILD V=1, and
# UNITY_DIR TOMLC99_DIR for those who have Unity and tomlc99 already.

VERSION = 0.1.0

BUILD ?= build
PREFIX ?= /usr/local
SCENARIO ?= scenarios/bank-under-partition.toml
ONLY ?=
JOBS ?= $(shell nproc)
JOBS := $(JOBS)
FUZZ_SECONDS ?= 20
SOAK_FUZZ_SECONDS ?= 600
TWICE_SEEDS ?= 1 2 3
FRESH_SUITES ?= bookworm trixie
WERROR ?= -Werror
CLANG ?= clang
ifeq ($(origin CC),default)
CC = gcc
endif

# A -j of the command line still wins over this one.
MAKEFLAGS += -j$(JOBS) --no-builtin-rules
.DEFAULT_GOAL = all
.SECONDARY:
.DELETE_ON_ERROR:

# --- Flags -------------------------------------------------------------------

PKGS = libsodium libzstd libprotobuf-c libcjson libpq libmariadb libcurl sqlite3
# It has no pkg-config file.
PG_QUERY_LIBS = -lpg_query

ASAN = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

OUR_CPPFLAGS = -I. -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE
OUR_CFLAGS = -std=c17 -pthread -Wall -Wextra -Wshadow -Wstrict-prototypes \
    -Wmissing-prototypes -Wold-style-definition -Wvla -Wpointer-arith \
    -Wwrite-strings -Wundef -Wformat=2 $(WERROR)

# Warnings of gcc alone: an error's text may be cut short, and the sanitizers'
# own code confuses its search for uninitialised variables.
gcc_flags = $(if $(findstring clang,$(1)),,-Wno-format-truncation \
    $(if $(findstring -fsanitize,$(2)),-Wno-maybe-uninitialized))

# The same commit gives the same bytes in whatever folder. gcov wants to know the folder.
path_flags = $(if $(findstring coverage,$(1)),,-ffile-prefix-map=$(CURDIR)=.)

# Asked once, and not before `ready` has had a chance to install them.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $(PKGS) z3))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $$(shell pkg-config --libs $(PKGS)))$(PKG_LIBS)

# Files with needs of their own.
flags_of = $(if $(filter trial/scenario/%,$(1)),-isystem $(BUILD)/deps/toml) \
    $(if $(filter base/version.c,$(1)),-DORDEAL_VERSION='"$(VERSION)"') \
    $(if $(filter checkers/rows/scan.c,$(1)),-O3) \
    $(if $(filter tests/%,$(1)),-isystem $(BUILD)/deps/unity) \
    $(if $(filter tests/fuzz/%,$(1)),-Wno-missing-prototypes)

# --- Sources -----------------------------------------------------------------

ROOMS = base sim nemesis history programs store smt checkers verify audit predict record trial

lib_src := $(sort $(wildcard $(foreach r,$(ROOMS),$(r)/*.c $(r)/*/*.c $(r)/*/*/*.c)))
cli_src := $(filter-out cli/main.c,$(sort $(wildcard cli/*.c)))
main_src := $(wildcard cli/main.c)
bench_src := $(sort $(wildcard bench/*.c))
# Of the tests: a database of known instants, histories without the order in which they were made, logs of few keys.
truth_src := $(sort $(wildcard tests/checkers/interval/truth*.c) tests/programs/generator/anonymize.c tests/audit/key_value_log.c tests/audit/called_log.c)
test_src := $(sort $(wildcard tests/test_*.c tests/*/test_*.c tests/*/*/test_*.c))
fuzz_src := $(sort $(wildcard tests/fuzz/fuzz_*.c))
hostile_src := $(sort $(wildcard tests/hostile/*.c))
# Fixtures that stand in for parts of the library, and the tests that are linked with them.
stage_src := tests/store/server_fixture.c tests/store/coordinator/coordinator_fixture.c \
    tests/store/clients/client_fixture.c tests/store/shard/replica_stage.c
stages_of = $(if $(filter %/test_coordinator %/test_coordinator_talk,$(1)),tests/store/server_fixture \
        tests/store/coordinator/coordinator_fixture) \
    $(if $(filter %/test_client %/test_client_storm,$(1)),tests/store/server_fixture \
        tests/store/clients/client_fixture) \
    $(if $(filter %/test_replica %/test_replica_duty,$(1)),tests/store/shard/replica_stage)
support_src := $(filter-out $(test_src) $(hostile_src) $(stage_src) tests/fuzz/% tests/oom/%, \
    $(sort $(wildcard tests/*.c tests/*/*.c tests/*/*/*.c)))
all_src := $(lib_src) $(cli_src) $(main_src) $(bench_src) \
    $(test_src) $(support_src) $(stage_src) $(hostile_src) $(fuzz_src) $(wildcard tests/fuzz/driver.c)

headers := $(sort $(filter-out %_private.h, \
    $(wildcard $(foreach r,$(ROOMS),$(r)/*.h $(r)/*/*.h $(r)/*/*/*.h))))
scenarios := $(sort $(wildcard scenarios/*.* scenarios/*/*.*))
manuals := $(sort $(wildcard docs/*.1))
cli_tests := $(sort $(wildcard tests/cli/*.sh))
tool_tests := $(sort $(wildcard tests/tools/*.sh))

# --- Variants ----------------------------------------------------------------
#
# $(call variant,NAME,compiler,flags,what must be ready) makes the rules for
# everything under build/NAME/: objects in obj/, the three libraries, `ordeal`,
# `bench`, the tests and the fuzz targets.

Q = $(if $(filter 1,$(V)),,@)
quietly = $(if $(filter 1,$(V)),,@printf '  %-3s %s\n' $(1) '$(strip $(2))$(if $(filter release,$(3)),, ($(3)))';)

define variant
$(1)_lib := $(lib_src:%.c=$(BUILD)/$(1)/obj/%.o)
$(1)_cli := $(cli_src:%.c=$(BUILD)/$(1)/obj/%.o)
$(1)_support := $(support_src:%.c=$(BUILD)/$(1)/obj/%.o)
$(1)_all := $(all_src:%.c=$(BUILD)/$(1)/obj/%.o)
$(1)_tests := $(test_src:%.c=$(BUILD)/$(1)/%)
$(1)_fuzz := $(fuzz_src:%.c=$(BUILD)/$(1)/%)
$(1)_archives := $(BUILD)/$(1)/libcli.a $(BUILD)/$(1)/libordeal.a

# What was compiled with other flags, or made of other files, is out of date.
$(BUILD)/$(1)/flags: FORCE
	@tools/keep.sh $$@ '$(2) $(3) $$(OUR_CPPFLAGS) $$(OUR_CFLAGS) $$(CPPFLAGS) $$(CFLAGS) $(VERSION)'
$(BUILD)/$(1)/members: FORCE
	@tools/keep.sh $$@ '$(lib_src) $(cli_src) $(support_src)'

$(BUILD)/$(1)/obj/%.o: %.c $(BUILD)/$(1)/flags | $(4)
	$$(call quietly,CC,$$<,$(1))
	@mkdir -p $$(@D)
	$$(Q)$(2) $$(OUR_CPPFLAGS) $$(PKG_CFLAGS) $$(CPPFLAGS) $$(OUR_CFLAGS) $(3) \
	    $$(call gcc_flags,$(2),$(3)) $$(call path_flags,$(3)) $$(call flags_of,$$<) $$(CFLAGS) -UNDEBUG -MMD -MP -c $$< -o $$@
$$(filter $(BUILD)/$(1)/obj/tests/%,$$($(1)_all)): | ready-check

$(BUILD)/$(1)/libordeal.a: $$($(1)_lib)
$(BUILD)/$(1)/libcli.a: $$($(1)_cli)
$(BUILD)/$(1)/libtestsupport.a: $$($(1)_support)
$(BUILD)/$(1)/lib%.a: $(BUILD)/$(1)/members
	$$(call quietly,AR,$$@,$(1))
	@rm -f $$@
	$$(Q)$$(AR) rcsD $$@ $$(filter %.o,$$^)

link_$(1) = $(2) $(3) $$(CFLAGS) $$(LDFLAGS) -pthread -o $$@ $$(filter %.o,$$^) $$(filter %.a,$$^)
libs_$(1) = $(BUILD)/deps/toml/libtoml.a $$(PG_QUERY_LIBS) $$(PKG_LIBS) $$(LDLIBS)

$(BUILD)/$(1)/ordeal: $(main_src:%.c=$(BUILD)/$(1)/obj/%.o) $$($(1)_archives)
	$$(call quietly,LD,$$@,$(1))
	$$(Q)$$(link_$(1)) $$(libs_$(1))

$(BUILD)/$(1)/bench: $(bench_src:%.c=$(BUILD)/$(1)/obj/%.o) \
    $(truth_src:%.c=$(BUILD)/$(1)/obj/%.o) $$($(1)_archives)
	$$(call quietly,LD,$$@,$(1))
	$$(Q)$$(link_$(1)) $$(libs_$(1))

$(BUILD)/$(1)/hostile: $(hostile_src:%.c=$(BUILD)/$(1)/obj/%.o) $$($(1)_archives)
	$$(call quietly,LD,$$@,$(1))
	$$(Q)$$(link_$(1)) $$(libs_$(1))

$$($(1)_tests): $(BUILD)/$(1)/%: $(BUILD)/$(1)/obj/%.o $(BUILD)/$(1)/libtestsupport.a $$($(1)_archives)
	$$(call quietly,LD,$$@,$(1))
	@mkdir -p $$(@D)
	$$(Q)$$(link_$(1)) $(BUILD)/deps/unity/libunity.a $$(libs_$(1))

$(foreach t,$(test_src:%.c=%),$(if $(strip $(call stages_of,$(t))), \
    $(eval $(BUILD)/$(1)/$(t): $(patsubst %,$(BUILD)/$(1)/obj/%.o,$(call stages_of,$(t))))))

# A fuzz target has the fuzzer's main in the variant `fuzz`; elsewhere the
# driver's, which replays the corpus.
$$($(1)_fuzz): $(BUILD)/$(1)/%: $(BUILD)/$(1)/obj/%.o \
    $(if $(filter fuzz,$(1)),,$(BUILD)/$(1)/obj/tests/fuzz/driver.o) \
    $(BUILD)/$(1)/libtestsupport.a $$($(1)_archives)
	$$(call quietly,LD,$$@,$(1))
	@mkdir -p $$(@D)
	$$(Q)$$(link_$(1)) $(if $(filter fuzz,$(1)),-fsanitize=fuzzer) $$(libs_$(1))

-include $$($(1)_all:.o=.d)
endef

$(eval $(call variant,release,$$(CC),-O2 -g,ready))
$(eval $(call variant,debug,$$(CC),-O0 -g,ready))
$(eval $(call variant,sanitize,$$(CC),-O1 -g $(ASAN),ready))
$(eval $(call variant,coverage,gcc,-O0 -g --coverage,ready-check))
$(eval $(call variant,fuzz,$$(CLANG),-O1 -g -fsanitize=fuzzer-no-link $(ASAN),ready-fuzz))
$(eval $(call variant,gcc-O0,gcc,-O0,ready-check))
# As on aarch64, where char has no sign.
$(eval $(call variant,gcc-O3,gcc,-O3 -funsigned-char,ready-check))
$(eval $(call variant,clang-O0,$$(CLANG),-O0,ready-check))
$(eval $(call variant,clang-O3,$$(CLANG),-O3,ready-check))

# Preloaded by tests/tools/oom.sh: it makes allocations fail.
$(BUILD)/failing.so: tests/oom/failing.c | ready-check
	$(call quietly,LD,$@,release)
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE -Wall -Wextra $(WERROR) -O2 -fPIC -shared $< -o $@

# --- Targets -----------------------------------------------------------------

all: $(BUILD)/release/ordeal $(BUILD)/release/libordeal.a ## build ./ordeal and libordeal.a
	@ln -sf $(BUILD)/release/ordeal ordeal

run: all ## set up, build, run the main scenario (SCENARIO=file)
	./ordeal run $(SCENARIO)

debug: $(BUILD)/debug/ordeal ## build build/debug/ordeal, for the debugger

twice_builds = $(foreach v,gcc-O0 gcc-O3 clang-O0 clang-O3 sanitize,$(BUILD)/$(v)/ordeal)
twice_run = tools/twice.sh $(twice_builds)
corpus_runs = $(foreach f,$(sanitize_fuzz), \
    '$(f) $(wildcard tests/fuzz/corpus/$(patsubst fuzz_%,%,$(notdir $(f)))/*)')
postgres_tests = $(patsubst %,'% $(BUILD)/sanitize/tests/programs',$(sort $(wildcard tests/postgres/*.sh)))
# Too much for a build with sanitizers, in which they do a hundredth of it.
bulk_tests = $(BUILD)/release/tests/oracle/test_bulk $(BUILD)/release/tests/differential/test_differential
# A thousand runs that no checker may accuse, and in which every fault must be felt.
clean_runs = tools/clean-runs.sh $(BUILD)/gcc-O3/ordeal 1..22
# Every rare path of the store is reached: by some protocol, and in `make soak` by each that has it.
rare_paths = tools/paths.sh $(BUILD)/gcc-O3/ordeal
# With DATABASES=1: those that need PostgreSQL, MariaDB and what else there is.
database_tests = $(if $(DATABASES),tests/databases/recipes.sh)
run_tests = ORDEAL=$(abspath $(BUILD))/sanitize/ordeal tools/run-tests.sh

check: all $(BUILD)/failing.so $(BUILD)/release/hostile $(sanitize_tests) $(bulk_tests) $(sanitize_fuzz) $(twice_builds) $(clang-O0_all) ## set up, build, pass every test
	@$(run_tests) $(bulk_tests) $(sanitize_tests) $(tool_tests) $(cli_tests) $(database_tests) $(postgres_tests) $(corpus_runs) \
	    tools/rooms.sh 'tools/golden.sh $(BUILD)/gcc-O3/ordeal' \
	    'tools/judged.sh $(BUILD)/gcc-O3/ordeal' 'TWICE_SEEDS= TWICE_TRANSACTIONS=1000 $(twice_run)' \
	    '$(clean_runs)' '$(rare_paths) 150' 'tools/soak.sh sample'

units = $(if $(ONLY),$(foreach t,$(sanitize_tests),$(if $(findstring $(ONLY),$(t)),$(t))),$(sanitize_tests))
unit: $(units) ## run the unit tests alone (ONLY=word: those with it in their path, down to a single one)
	@$(run_tests) $(units)

check-postgres: ready-postgres $(filter $(BUILD)/sanitize/tests/programs/%,$(sanitize_tests)) ## compare with a real PostgreSQL, which is installed if need be
	@REQUIRED=postgres $(run_tests) $(postgres_tests)

check-databases: all $(BUILD)/sanitize/ordeal ## put every database of `ordeal record recipes` on trial; installs their servers
	@tools/deps.sh databases || echo 'some servers are not to be had here'
	@REQUIRED='postgres mariadb sqlite' ORDEAL=$(abspath $(BUILD))/release/ordeal TEST_SECONDS=3600 tools/run-tests.sh tests/databases/recipes.sh $(wildcard tests/cli/record*.sh)

twice: $(twice_builds) ## compare trace hashes between compilers and optimisation levels
	@$(twice_run)

golden: $(BUILD)/gcc-O3/ordeal ## renew tests/golden/traces, after a change that is meant to change runs
	@tools/golden.sh $(BUILD)/gcc-O3/ordeal --renew

judged: $(BUILD)/gcc-O3/ordeal ## renew the table of docs/store.md: which workload is judged by whom
	@tools/judged.sh $(BUILD)/gcc-O3/ordeal --renew

portable: all ## build for aarch64 with the cross compiler, compare with this machine under qemu
	@tools/portable.sh

rooms: ## compare every include with the table of rooms
	@tools/rooms.sh

fuzz: $(fuzz_fuzz) ## fuzz each target for FUZZ_SECONDS
	@tools/fuzz.sh $(FUZZ_SECONDS) $(fuzz_fuzz)

# Nobody knows of a bug that only checkers see which are not there: that is no failure here.
may_be_undecided = || [ $$? -eq 3 ]

# A page that names what is missed is worth having too: only a call that is wrong leaves none.
matrix: all ## renew docs/matrix.md: which checker sees which bug
	@sed -n '/^## Guided sweeps/,$$p' docs/matrix.md >$(BUILD)/guided.md
	@./ordeal prove --mutate --out $(BUILD)/matrix --force || [ $$? -ne 2 ]
	@sed 's|--out DIR|--out $(BUILD)/matrix|' $(BUILD)/matrix/matrix.md >docs/matrix.md
	@[ ! -s $(BUILD)/guided.md ] || { echo; cat $(BUILD)/guided.md; } >>docs/matrix.md

guided: all ## renew the last section of docs/matrix.md: plain and guided sweeps compared (BUG="one another", RUNS=128)
	@RUNS=$${RUNS:-128} tools/guided.sh $(BUG) >$(BUILD)/guided.md
	@sed '/^## Guided sweeps/,$$d' docs/matrix.md >$(BUILD)/page.md
	@sed -e :a -e '/^\n*$$/{$$d;N;ba' -e '}' $(BUILD)/page.md >docs/matrix.md
	@{ echo; cat $(BUILD)/guided.md; } >>docs/matrix.md

# Each command of the first four need not pass twice with a commit; the last goes on where it was stopped.
soak: all $(BUILD)/failing.so $(BUILD)/release/hostile $(BUILD)/release/tests/audit/test_tiny_audit $(sanitize_tests) $(bulk_tests) $(twice_builds) $(fuzz_fuzz) ## the long versions, towards the goals of docs/reliability.md; goes on where it was stopped
	@tools/soak.sh once tests env ORDEAL_SOAK=1 ROUNDS=1000 TEST_SECONDS=86400 $(run_tests) $(bulk_tests) \
	    $(sanitize_tests) $(cli_tests) $(postgres_tests)
	@tools/soak.sh once twice $(twice_run)
	@tools/soak.sh once paths $(rare_paths) 1000 each
	@tools/soak.sh once prove sh -c './ordeal prove --seeds 1000 --clean 10000 --mutate $(may_be_undecided)'
	@tools/soak.sh once reproducible tests/tools/reproducible.sh whole
	@tools/soak.sh once portable tools/portable.sh
	@for suite in $(FRESH_SUITES); do tools/soak.sh once fresh-$$suite tools/fresh.sh $$suite || exit 1; done
	@SOAK_FUZZ_SECONDS=$(SOAK_FUZZ_SECONDS) tools/soak.sh hostile oom damaged clean kills fuzz audits controls

mutate: ready-check ## put small faults into files, count those that tests notice (ONLY=checkers/order, MUTANTS=30, SEED=1)
	@tools/mutate.sh '$(ONLY)'

coverage: $(coverage_tests) ## run the unit tests, print the lines they reach
	@tools/coverage.sh $(BUILD)/coverage $(coverage_tests)

bench: $(if $(bench_src),$(BUILD)/release/bench) ## build and run the benchmarks (BENCH="base oh": only these)
	@$(if $(bench_src),$(BUILD)/release/bench $(BENCH),echo 'bench: no benchmarks yet')

deps: ## install what Ordeal stands on (as root or through sudo)
	@tools/deps.sh all

install: all ## install under PREFIX (and DESTDIR)
	@install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/lib/pkgconfig'
	@install -m 755 $(BUILD)/release/ordeal '$(DESTDIR)$(PREFIX)/bin/ordeal'
	@install -m 644 $(BUILD)/release/libordeal.a '$(DESTDIR)$(PREFIX)/lib/libordeal.a'
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' ordeal.pc.in \
	    >'$(DESTDIR)$(PREFIX)/lib/pkgconfig/ordeal.pc'
	@for f in $(headers); do \
	    install -D -m 644 $$f "$(DESTDIR)$(PREFIX)/include/ordeal/$$f" || exit 1; done
	@for f in $(scenarios); do \
	    install -D -m 644 $$f "$(DESTDIR)$(PREFIX)/share/ordeal/$$f" || exit 1; done
	@for f in $(manuals); do \
	    install -D -m 644 $$f "$(DESTDIR)$(PREFIX)/share/man/man1/$${f##*/}" || exit 1; done
	@echo 'installed under $(DESTDIR)$(PREFIX)'

uninstall: ## remove what install put there
	@rm -f '$(DESTDIR)$(PREFIX)/bin/ordeal' '$(DESTDIR)$(PREFIX)/lib/libordeal.a' \
	    '$(DESTDIR)$(PREFIX)/lib/pkgconfig/ordeal.pc' \
	    $(foreach f,$(notdir $(manuals)),'$(DESTDIR)$(PREFIX)/share/man/man1/$(f)')
	@rm -rf '$(DESTDIR)$(PREFIX)/include/ordeal' '$(DESTDIR)$(PREFIX)/share/ordeal'

clean: ## remove what was built, but not what deps fetched
	@for d in $(BUILD)/*; do [ "$$d" = $(BUILD)/deps ] || rm -rf "$$d"; done
	@rm -f ordeal

distclean: clean ## remove build/ as a whole
	@rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1#\2/p' $(firstword $(MAKEFILE_LIST)) | \
	    awk -F '#' '{ printf "%-17s %s\n", $$1, $$2 }'

# The tools take these from the environment.
export BUILD CC JOBS TWICE_SEEDS UNITY_DIR TOMLC99_DIR
export LSAN_OPTIONS = suppressions=$(CURDIR)/tools/lsan.supp:print_suppressions=0

# What is missing is installed before the first file is compiled. Each of these
# looks every time, which takes no longer than asking a compiler for its name.
ready:
	@tools/deps.sh build
ready-check: ready
	@tools/deps.sh check
ready-fuzz: ready-check
	@tools/deps.sh fuzz
ready-postgres: ready-check
	@tools/deps.sh postgres

FORCE:

.PHONY: all run debug check unit twice golden judged portable rooms fuzz matrix guided soak mutate coverage bench deps install \
    uninstall clean distclean help ready ready-check ready-fuzz ready-postgres check-postgres check-databases FORCE
