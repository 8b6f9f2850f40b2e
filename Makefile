# `make help` says what there is. Every target sets up what it needs.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:

CACHE := $(or $(ARIADNE_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ariadne)
BUILD := build/release
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
TRUTH_CASES ?= 100

# Objects compiled in one checkout serve the next, wherever it lies.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

step := scripts/step.sh
# Read when a recipe runs, since setup writes the file.
PYTHON = $(shell sed -n 's/^ARIADNE_PYTHON := //p' "$(CACHE)/paths.mk")
WHEEL_PYTHON = $(shell sed -n 's/^ARIADNE_WHEEL_PYTHON := //p' "$(CACHE)/paths.mk")
PYSPARK = $(shell sed -n 's/^ARIADNE_PYSPARK := //p' "$(CACHE)/paths.mk")
sources := find include src tests bench -name '*.h' -o -name '*.cc'

.PHONY: help setup configure build command library wheel interop parity test test-all ctest pytest wheeltest sparktest consumer format-check format \
        lint tidy asan demo bench install clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

setup: ## Install system packages, the Python environment, DuckDB and the crates (cached)
	@$(step) "Set up the dependencies" "follow the line above that says 'what to do', then run make again" \
	  scripts/setup.sh

configure: setup
	@$(step) "Configure $(BUILD)" "read the message above; after a change of machine: make clean" \
	  cmake --preset release -DARIADNE_CACHE="$(CACHE)" --log-level=WARNING

build: configure ## Build everything into build/release
	@$(step) "Build" "mend the first error above" cmake --build $(BUILD) -j $(JOBS)

command: configure
	@$(step) "Build the ariadne command" "mend the first error above" \
	  cmake --build $(BUILD) -j $(JOBS) --target ariadne_command

library: configure
	@$(step) "Build the ariadne command and library" "mend the first error above" \
	  cmake --build $(BUILD) -j $(JOBS) --target ariadne_command ariadne_shared

wheel: build ## Build the Python wheel into build/wheels, and build/wheel-env, an environment with it
	@$(step) "Build the Python wheel" "read the message above" scripts/wheel.sh $(WHEEL_PYTHON) $(BUILD)

test: build ctest pytest wheeltest sparktest parity consumer format-check ## Set up, build and run the tests
	@printf '\033[1m==> All tests passed\033[0m\n' >&2

test-all: TRUTH_CASES := 2000
test-all: export ARIADNE_RANDOM_ROUNDS := 34
test-all: export ARIADNE_LONG_TESTS := 1
test-all: test asan tidy ## Also what takes longer: 2,000 random cases, every crash, large files, sanitizers, clang-tidy

ctest: build
	@$(step) "C++ tests" "run one alone: ctest --test-dir $(BUILD) -R NAME --output-on-failure" \
	  ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(JOBS) --output-junit ctest.xml

pytest: build
	@$(step) "Python tests: interop, truth ($(TRUTH_CASES) random cases), command line" \
	  "run one alone: ARIADNE_BIN=$(BUILD)/ariadne $(PYTHON) -m pytest FILE -k NAME" \
	  env ARIADNE_BIN="$(CURDIR)/$(BUILD)/ariadne" ARIADNE_TRUTH_CASES=$(TRUTH_CASES) \
	  $(PYTHON) -m pytest -q tests --junitxml=$(BUILD)/pytest.xml

wheeltest: wheel
	@$(step) "Tests of the Python package" "run one alone: build/wheel-env/bin/python -m pytest FILE -k NAME" \
	  env ARIADNE_BIN="$(CURDIR)/$(BUILD)/ariadne" build/wheel-env/bin/python -m pytest -q tests/python \
	  --junitxml=$(BUILD)/wheeltest.xml

sparktest: wheel
	@$(step) "Tests on a cluster of Spark" \
	  "run one alone: PYTHONPATH=$(PYSPARK) build/wheel-env/bin/python -m pytest FILE -k NAME" \
	  env ARIADNE_BIN="$(CURDIR)/$(BUILD)/ariadne" PYTHONPATH="$(PYSPARK)" build/wheel-env/bin/python -m pytest -q \
	  tests/spark --junitxml=$(BUILD)/sparktest.xml

parity:
	@$(step) "What docs/parity.md names has run" "name a test that exists, or mend why it did not run" \
	  $(PYTHON) scripts/check_parity.py docs/parity.md $(BUILD)/ctest.xml $(BUILD)/pytest.xml

interop: build ## Open our indexes in the real JVM library and back (PEER_JAR=its jar; Maven fetches Spark)
	@$(step) "The JVM library and we, on each other's indexes" "set PEER_JAR to the jar of the JVM library" \
	  env ARIADNE_BIN="$(CURDIR)/$(BUILD)/ariadne" PEER_JAR="$(PEER_JAR)" \
	  $(PYTHON) -m pytest -q tests/interop/test_jvm_library.py

consumer: library
	@$(step) "A project that uses the installed library" "read tests/consumer/run.sh" \
	  tests/consumer/run.sh $(BUILD) $(PYTHON)

format-check:
	@$(step) "Merges" "settle the two versions named above" \
	  bash -c "! grep -rnE '^(<{7}|>{7}) ' README.md docs src include tests delta/src scripts python bench"
	@$(step) "Formatting" "make format" bash -c "$(sources) | xargs clang-format --dry-run -Werror"

format: setup ## Format the C++ sources
	@$(sources) | xargs clang-format -i

tidy: build
	@$(step) "clang-tidy" "mend what it names" run-clang-tidy -quiet -p $(BUILD) -j $(JOBS) \
	  -extra-arg=-Wno-unknown-warning-option '/src/.*\.cc$$'

lint: format-check tidy ## Check formatting, run clang-tidy

asan: setup
	@$(step) "Configure build/asan" "read the message above" \
	  cmake --preset asan -DARIADNE_CACHE="$(CACHE)" --log-level=WARNING
	@$(step) "Build with sanitizers" "mend the first error above" cmake --build build/asan -j $(JOBS)
	@$(step) "C++ tests with sanitizers" "ctest --test-dir build/asan -R NAME --output-on-failure" \
	  env -u ARIADNE_LONG_TESTS ctest --test-dir build/asan --output-on-failure --no-tests=error -j $(JOBS)

demo: command ## Index 365 real files, find some, join, compare with a full scan
	@$(step) "Flights of 2013, a file a day" "is the disk full? rm -r demo and run make demo again" \
	  $(PYTHON) scripts/demo_data.py demo/lake
	@$(step) "Demo" "rm -r demo/index and run make demo again" $(BUILD)/ariadne demo demo/lake

bench: setup ## Measure update, locate and join against full scans (minutes)
	@$(step) "Configure the benchmarks" "read the message above" \
	  cmake --preset release -DARIADNE_CACHE="$(CACHE)" -DARIADNE_BUILD_BENCH=ON --log-level=WARNING
	@$(step) "Build" "mend the first error above" cmake --build $(BUILD) -j $(JOBS)
	@$(step) "Benchmarks" "read bench/run.py --help" \
	  env ARIADNE_BIN="$(CURDIR)/$(BUILD)/ariadne" $(PYTHON) bench/run.py

install: library ## Install into PREFIX (default /usr/local)
	@$(step) "Install into $(PREFIX)" "choose another PREFIX, or run as root" \
	  cmake --install $(BUILD) --prefix "$(PREFIX)"

clean: ## Remove build/
	rm -rf build
