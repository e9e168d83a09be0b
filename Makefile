# One command each: make demo, make test, make setup, make studio, make bench, make lint, make lock.
# Needs Python >= 3.11 with pip, and make. Everything else is installed here, into .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: help demo test setup setup-dev test-tools studio bench lint lock clean

help:
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: setup ## simulate a human that is pushed and recovers; write demo.npz, demo.glb, demo.mp4
	$(BIN)/python -m gambol.cli.demo

setup: $(VENV)/installed ## the environment only

$(VENV)/installed: pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit("gambol needs Python 3.11 or newer, found " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@

setup-dev: $(VENV)/installed-dev

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@

test-tools: ## browser, GL and Node packages for the tests, where they may be installed
	@sh tests/install-tools.sh

test: setup-dev test-tools lint ## all tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

studio: setup ## live in the browser
	$(BIN)/gambol studio

bench: setup ## benchmarks, one metric a line
	$(BIN)/gambol bench

lint: setup-dev ## ruff and mypy
	$(BIN)/ruff check src tests examples benchmarks
	$(BIN)/mypy

lock: ## resolve the dependencies again
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --universal --generate-hashes --no-header --no-annotate --quiet -o requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra dev --extra synthesis --extra cluster -c requirements.lock --universal --generate-hashes --no-header --no-annotate --quiet -o requirements-dev.lock

clean:
	rm -rf $(VENV) demo.npz demo.glb demo.mp4 tests/node/node_modules
