# Every target makes its own environment: Python 3.11 or newer and make are all that is needed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# Most tests wait for other processes most of the time, so two at once on each core.
TWICE  := $(shell expr 2 '*' $$(nproc 2>/dev/null || echo 2))

.PHONY: help demo demo-league demo-cluster test coverage test-slow test-sandbox test-cgroup test-cluster bots test-bots test-browser check format proto bench bench-full clean
.DEFAULT_GOAL := help

help:  ## List the targets.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'Highstreet needs Python 3.11 or newer; say which with: make PYTHON=python3.12'; exit 1; }
	@echo 'Setting up $(VENV) …'
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r constraints.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m pip check --disable-pip-version-check
	@touch $@

demo: $(READY)  ## Play a match and a tournament between sample bots, and verify both.
	rm -rf build/demo
	$(BIN)/highstreet play --transport grpc --recipes greedy random random --out build/demo/match
	$(BIN)/highstreet verify build/demo/match
	$(BIN)/highstreet tournament run tournaments/examples/demo.toml --out build/demo/tournament
	$(BIN)/highstreet tournament verify build/demo/tournament

demo-league: $(READY)  ## Run a league with sample bots and pages on localhost; PORT=8123 for the pages.
	$(BIN)/python tournaments/examples/demo_league.py build/demo-league $(if $(PORT),--web-port $(PORT))

demo-cluster: $(READY)  ## Play the demo tournament on a Dask scheduler and two workers here.
	rm -rf build/demo-cluster
	$(BIN)/python tournaments/examples/cluster/local.py tournaments/examples/demo.toml --out build/demo-cluster
	$(BIN)/highstreet tournament verify build/demo-cluster

test: $(READY)  ## Run the quick tests.
	$(BIN)/python -m pytest -n $(TWICE) -m 'not slow' --ignore=tests/sandbox --ignore=tests/cluster

# Without the longest tests: they reach no branch that the others do not reach.
coverage: $(READY)  ## Measure the branch coverage of the engine, which must be 100 %.
	$(BIN)/python -m pytest -n auto -m 'not slow' -k 'not all_others_fail' tests/engine --cov --cov-report=term

test-slow: $(READY)  ## Run the slow tests: kills, attacks, two servers, the wheel.
	$(BIN)/python -m pytest -n $(TWICE) --dist worksteal -m 'slow and not alone' --ignore=tests/sandbox --ignore=tests/cluster
	$(BIN)/python -m pytest -n0 -m alone tests/attacks

test-sandbox: $(READY)  ## Attack the sandbox, as root and as an ordinary user (needs bubblewrap).
	HIGHSTREET_SANDBOX=required $(BIN)/python -m pytest -n $(TWICE) --dist loadgroup tests/sandbox

test-cgroup: $(READY)  ## Test control groups of version 2 in a guest of qemu; says what to install.
	HIGHSTREET_CGROUP=required $(BIN)/python -m pytest -n0 tests/sandbox/test_cgroup.py

test-cluster: $(READY)  ## Play on a Dask cluster of this machine, and kill its parts; KILLS=20 for more.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt distributed
	$(if $(KILLS),HIGHSTREET_KILLS=$(KILLS)) $(BIN)/python -m pytest -n0 tests/cluster

bots: $(READY)  ## Build the sample bots of every language whose toolchain is here.
	$(BIN)/python sample_bots/build.py $(LANGUAGES)

test-bots: $(READY)  ## Test the sample bots of every language whose toolchain is here.
	HIGHSTREET_LANGUAGES=$${HIGHSTREET_LANGUAGES:-here} $(BIN)/python -m pytest -n $(TWICE) --dist loadgroup tests/languages

test-browser: .venv-browser/.ready  ## Look at the report in a real browser (needs Chromium).
	.venv-browser/bin/python -m pytest -n 2 --dist loadfile tests/browser

.venv-browser/.ready: constraints.txt requirements-browser.txt
	@$(PYTHON) -m venv --clear .venv-browser
	@.venv-browser/bin/python -m pip install --quiet --disable-pip-version-check -r constraints.txt -r requirements-browser.txt
	@touch $@

check: $(READY)  ## Lint, types, layers, protocol.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/buf lint proto
	$(BIN)/buf format --diff --exit-code proto

format: $(READY)  ## Format the sources.
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/buf format --write proto

proto: $(READY)  ## Generate the Python messages and the reference pages from proto/.
	$(BIN)/python proto/generate.py
	$(BIN)/python proto/document.py

bench: $(READY)  ## Measure everything beside peers and bare transports, in five minutes.
	$(BIN)/python -m benchmarks $(if $(FASTCHESS),--fastchess $(FASTCHESS))

bench-full: $(READY)  ## The same with more rounds and larger sizes, in half an hour.
	$(BIN)/python -m benchmarks --full $(if $(FASTCHESS),--fastchess $(FASTCHESS))

clean:  ## Remove everything that was made here.
	rm -rf $(VENV) .venv-peers .venv-browser .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
