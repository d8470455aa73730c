# make run         the playground at http://127.0.0.1:8000
# make test        everything but the comparison with PyTorch
# make test-torch  the comparison with PyTorch (installs it)
# make test-lowest the tests of engine and service, with the lowest versions that pyproject.toml allows
# make test-python INTERPRETER=python3.12 [TESTS=tests/backend]   the same, or a part of it, with another Python
# make wheel       what pip installs, into dist/; check-wheel installs and uses it
# make bench       how long a trace and a picture take, and the engine next to its peers
# make bench-load  the service under load: learners, hostile clients, killed processes (LOAD="--seconds 60 fairness")
# make bench-bodies   10 000 mutated request bodies against a server
# make hostile     hostile programs in the jail, gate on and gate off, each test for SECONDS (600)
# make bench-web   how fast the page draws and scrubs, in Chromium
# make generate    the files that are generated from the source
# make record      what PyTorch says and does, recorded anew (installs it)
# make format      format the source
# make clean       delete what was made, environment included

VENV := .venv
CONSTRAINTS := constraints.txt
INTERPRETER := python3
export VENV CONSTRAINTS INTERPRETER  # for scripts/bootstrap
PYTHON := $(VENV)/bin/python
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
MADE := .make
FRONTEND := $(shell find frontend/src frontend/public -type f 2>/dev/null) \
	engine/palette.json $(wildcard frontend/*.html frontend/*.js frontend/*.ts frontend/*.json)
PAGE := frontend/dist/index.html
NPM := npm --prefix frontend
TESTS := tests
# What only computes runs in two processes, and so do the files of tests in the browser; what has limits of time does not.
COMPUTING := tests/engine tests/golden tests/backend/lessons tests/backend/test_cli.py tests/test_docs.py tests/test_architecture.py
SIDE_BY_SIDE := -n 2 --dist worksteal
FILE_BY_FILE := -n 2 --dist loadfile

# Node brings its own certificates; a network may need those that the system trusts.
CERTIFICATES := $(wildcard /etc/ssl/certs/ca-certificates.crt)
ifneq ($(CERTIFICATES),)
export NODE_EXTRA_CA_CERTS ?= $(CERTIFICATES)
endif

.PHONY: run build test lint types unit e2e test-frontend check-generated test-torch test-jupyter test-lowest \
	test-python wheel check-wheel bench bench-load hostile bench-bodies bench-web generate record format clean
.DELETE_ON_ERROR:

run: build
	@exec gradflow serve

build: $(MADE)/python $(PAGE)

# Types and the page's own tests at once, when both environments are there.
test: lint check-generated
	$(MAKE) -j2 types test-frontend
	$(MAKE) unit
	$(MAKE) e2e

lint: $(MADE)/test
	ruff check .
	ruff format --check .

types: $(MADE)/test
	mypy

unit: $(MADE)/test
ifeq ($(TESTS),tests)
	$(PYTHON) -m pytest $(SIDE_BY_SIDE) $(COMPUTING)
	$(PYTHON) -m pytest $(TESTS) $(addprefix --ignore=,$(COMPUTING) tests/e2e tests/oracle)
else
	$(PYTHON) -m pytest $(TESTS)
endif

e2e: $(MADE)/test $(MADE)/browser $(PAGE)
	$(PYTHON) -m pytest $(FILE_BY_FILE) tests/e2e

test-frontend: $(MADE)/modules
	$(NPM) run check
	$(NPM) run lint
	$(NPM) run test

check-generated: $(MADE)/test $(MADE)/modules
	$(PYTHON) -m scripts.generate.openapi --check frontend/openapi.json
	$(PYTHON) -m scripts.generate.first_run --check frontend/src/fixtures
	$(PYTHON) -m scripts.generate.rules --check frontend/src/fixtures/rules.json
	$(PYTHON) -m scripts.generate.elements --check frontend/src/fixtures/elements.json
	$(PYTHON) -m scripts.generate.folding --check frontend/src/fixtures/folding.json
	$(PYTHON) -m scripts.generate.fonts --check backend/pictures/fonts
	$(PYTHON) -m scripts.generate.taken_names --check
	$(PYTHON) -m scripts.generate.docs --check
	cp frontend/src/api/schema.d.ts $(MADE)/schema.d.ts
	$(NPM) run types
	cmp frontend/src/api/schema.d.ts $(MADE)/schema.d.ts

test-torch: $(MADE)/torch
	$(PYTHON) -m pytest $(SIDE_BY_SIDE) tests/oracle

test-jupyter: $(MADE)/jupyter $(MADE)/browser $(PAGE)
	$(PYTHON) -m pytest tests/e2e/test_notebook.py

# Both have an environment of their own.
test-lowest: $(MADE)/lowest.txt
	$(MAKE) unit VENV=.venv-lowest MADE=$(MADE)/lowest CONSTRAINTS=$<

test-python: VERSION = $(shell $(INTERPRETER) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
test-python:
	$(MAKE) unit VENV=.venv-$(VERSION) MADE=$(MADE)/$(VERSION) INTERPRETER=$(INTERPRETER)

wheel: $(MADE)/test $(PAGE)
	scripts/wheel dist

check-wheel: wheel
	$(PYTHON) scripts/check_wheel.py dist/*.whl constraints.txt

bench: export OPENBLAS_NUM_THREADS := 1
bench: $(MADE)/peers
	status=0; for each in trace peers pictures; do PYTHONPATH=. $(PYTHON) bench/$$each.py || status=1; done; exit $$status

bench-load: $(MADE)/test $(PAGE)
	PYTHONPATH=. $(PYTHON) -m bench.load $(LOAD)

hostile: SECONDS := 600
hostile: $(MADE)/test
	GRADFLOW_HOSTILE_SECONDS=$(SECONDS) $(PYTHON) -m pytest tests/backend/jail/test_gate_off.py tests/backend/jail/test_hostile_programs.py

bench-bodies: $(MADE)/test
	GRADFLOW_MUTATIONS=10000 $(PYTHON) -m pytest tests/backend/steady/test_hostile_bodies.py

bench-web: $(MADE)/test $(MADE)/browser $(PAGE)
	PYTHONPATH=. $(PYTHON) bench/web.py

generate: $(MADE)/test $(MADE)/modules
	$(PYTHON) -m scripts.generate.openapi frontend/openapi.json
	$(PYTHON) -m scripts.generate.first_run frontend/src/fixtures
	$(PYTHON) -m scripts.generate.rules frontend/src/fixtures/rules.json
	$(PYTHON) -m scripts.generate.elements frontend/src/fixtures/elements.json
	$(PYTHON) -m scripts.generate.folding frontend/src/fixtures/folding.json
	$(PYTHON) -m scripts.generate.fonts backend/pictures/fonts
	$(PYTHON) -m scripts.generate.taken_names
	$(PYTHON) -m scripts.generate.docs
	$(NPM) run types

RECORDERS := names modules signatures saved_attributes memory_order unbatched_writes filled_keywords errors printing promotion golden

record: $(MADE)/torch
	set -e; for each in $(RECORDERS); do $(PYTHON) -m scripts.record.$$each; done

format: $(MADE)/test $(MADE)/modules
	ruff check --fix .
	ruff format .
	$(NPM) run format

clean:
	rm -rf $(MADE) $(VENV) $(VENV)-* dist frontend/node_modules frontend/dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Each stamp says that something is installed; it is made anew when what it is made from changes.

$(MADE)/lowest.txt: pyproject.toml scripts/lowest.py
	@mkdir -p $(MADE)
	$(INTERPRETER) scripts/lowest.py > $@

$(MADE)/python: pyproject.toml $(CONSTRAINTS) scripts/bootstrap
	@mkdir -p $(MADE)
	scripts/bootstrap python
	@touch $@

$(MADE)/test: $(MADE)/python
	scripts/bootstrap python test
	@touch $@

$(MADE)/torch: $(MADE)/test
	scripts/bootstrap python test,oracle
	@touch $@

$(MADE)/jupyter: $(MADE)/test
	scripts/bootstrap python test,jupyter
	@touch $@

$(MADE)/peers: $(MADE)/torch
	scripts/bootstrap python test,oracle,bench
	scripts/bootstrap graphviz
	@touch $@

$(MADE)/node: $(MADE)/python
	scripts/bootstrap node
	@touch $@

$(MADE)/modules: frontend/package-lock.json frontend/package.json frontend/.npmrc $(MADE)/node
	$(NPM) ci --no-audit --no-fund
	@touch $@

$(MADE)/browser: $(MADE)/test
	scripts/bootstrap browser
	@touch $@

$(PAGE): $(FRONTEND) $(MADE)/modules
	$(NPM) run build
	@touch $@
