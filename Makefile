# Two commands do everything: `make demo` runs hookline on real hook files, `make test` runs all checks and tests.
# Each sets itself up in a fresh virtual environment, from the lock files in requirements/.

PYTHON ?= python3
VENV := .venv
DEMO := .venv-demo
# The lock names every distribution; without --no-deps, older releases of pip look past it for extras.
PIP_FLAGS := --quiet --disable-pip-version-check --require-hashes --no-deps
LOCAL := --quiet --disable-pip-version-check --no-deps --no-build-isolation

.PHONY: demo test lint types floors unit coverage hosts adapters kill bench fuzz lock format docs site tools clean help

help:
	@sed -n 's/^# //p; s/^\([a-z]*\):.*## \(.*\)/  make \1: \2/p' $(MAKEFILE_LIST)

demo: $(DEMO)/.ready tools ## install hookline, run real hook files through it, and an agent with hooks
	$(DEMO)/bin/python examples/demo.py
	$(DEMO)/bin/python examples/agent_demo.py

test: $(VENV)/.ready tools lint floors docs site ## every check and every test
	$(MAKE) --no-print-directory -j 2 types unit

lint: $(VENV)/.ready ## ruff: rules and format
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types: $(VENV)/.ready ## mypy --strict
	$(VENV)/bin/mypy

floors: $(VENV)/.ready ## import-linter: a module imports only from floors below
	$(VENV)/bin/lint-imports

docs: $(VENV)/.ready ## generated pages are what the code generates
	$(VENV)/bin/python tools/generate.py --check

site: $(VENV)/.ready ## the pages as a site in site/; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build

unit: $(VENV)/.ready tools ## pytest
	$(VENV)/bin/python -m pytest -n 2

coverage: $(VENV)/.ready tools ## pytest, with branch coverage
	$(VENV)/bin/python -m pytest -n 2 --cov --cov-report=term

kill: $(VENV)/.ready ## kill processes at random points of approvals and of the journal, a thousand times each
	HOOKLINE_KILLS=1000 $(VENV)/bin/python -m pytest -q tests/unit/trust/test_store.py tests/unit/journal/test_kills.py -k kill

hosts: $(VENV)/.ready ## run hookline in real agent hosts, offline; installs them into your cache, and wants npm
	$(VENV)/bin/python -m tests.hosts

adapters: $(VENV)/.ready ## play the adapters in real agent frameworks, at their oldest and latest releases
	$(VENV)/bin/python -m tests.adapters

fuzz: $(VENV)/.ready tools ## property tests with new seeds: `make fuzz` again for others
	HOOKLINE_FUZZ=1 $(VENV)/bin/python -m pytest -q -n 2 tests/fuzz tests/laws tests/trust tests/unit/dialects

bench: $(VENV)/.ready ## benchmarks, each beside its floor and its peers
	$(VENV)/bin/python -m bench.dispatch
	$(VENV)/bin/python -m bench.command
	$(VENV)/bin/python -m bench.startup
	$(VENV)/bin/python -m bench.inputs
	$(VENV)/bin/python -m bench.hostile
	$(VENV)/bin/python -m bench.server
	$(VENV)/bin/python -m bench.host
	$(VENV)/bin/python -m bench.flood
	$(VENV)/bin/python -m bench.journal
	$(VENV)/bin/python -m bench.guards
	$(VENV)/bin/python -m bench.shell_reader

format: $(VENV)/.ready ## bring code and generated pages into form
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/python tools/generate.py

lock: $(VENV)/.ready ## write the lock files again (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  pyproject.toml --extra agent requirements/build.in -o requirements/run.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  pyproject.toml requirements/build.in --group dev -o requirements/dev.txt
	uv lock --quiet && sed -i 's/, size = [0-9]*//' uv.lock

# Sample hooks read their payload with jq; the pages that the tests type ask with curl.
tools:
	@missing=; for tool in jq curl; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	  [ -z "$$missing" ] || { apt-get update -qq && apt-get install -y -qq $$missing; } || \
	  { echo "missing:$$missing (apt-get install$$missing)" >&2; exit 1; }

$(VENV)/.ready: requirements/dev.txt pyproject.toml
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install $(PIP_FLAGS) -r requirements/dev.txt
	$(VENV)/bin/pip install $(LOCAL) -e .
	touch $@

$(DEMO)/.ready: requirements/run.txt pyproject.toml
	rm -rf $(DEMO)
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/pip install $(PIP_FLAGS) -r requirements/run.txt
	$(DEMO)/bin/pip install $(LOCAL) .
	touch $@

clean: ## remove what the other targets made
	rm -rf $(VENV) $(DEMO) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage site
