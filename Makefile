# The verbs of this project. All paths are relative, so the clone may lie in any folder.

PYTHON ?= python3
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
# --no-deps: the locks are complete. --no-build-isolation: setuptools comes from the lock.
INSTALL := $(BIN)/python -m pip install --quiet --no-input --disable-pip-version-check
EDITABLE := $(INSTALL) --no-deps --no-build-isolation --editable .
LOCK := $(BIN)/pip-compile --quiet --strip-extras --generate-hashes --allow-unsafe --no-emit-index-url \
	--no-emit-find-links --no-header --build-deps-for=editable

# Packages of Debian that only tests need, and what these need that this machine has not. They are unpacked
# below .venv; nothing is installed.
DEBIAN := $(VENV)/debian
DEBIAN_PACKAGES := postgresql-15 postgresql-client-15 postgresql-15-pgtap postgresql-15-plpgsql-check \
	unzip 7zip nginx openssl
DEBIAN_DOWNLOAD := apt-get download -qq $(DEBIAN_PACKAGES) $$(apt-get --simulate --no-install-recommends install \
	$(DEBIAN_PACKAGES) | sed -n 's/^Inst \([^ ]*\) (.*/\1/p')

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## Show this list
	@echo "make VERB; ARGS=… is passed on to the tool behind run, test, lint and migrate"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r verb text; do \
		printf '  %-10s %s\n' "$$verb" "$$text"; done

.PHONY: run
run: $(VENV)/run.stamp ## Start everything here: database, API, worker (PORT=8000 DATA_DIR=var DEMO_PASSWORD=…)
	@exec $(BIN)/knowledgehub up $(ARGS)

.PHONY: test
test: $(VENV)/test.stamp $(DEBIAN).stamp ## Run all tests on PostgreSQL 18 and 15 (ARGS="tests/py -k name")
	@exec $(BIN)/python -m tests $(ARGS)

.PHONY: test-large
test-large: $(VENV)/test.stamp $(DEBIAN).stamp ## Test archives beyond 65,535 entries and 4 GiB: minutes, 15 GiB of disk
	@exec $(BIN)/python -m pytest tests/large $(ARGS)

.PHONY: test-slow
test-slow: $(VENV)/test.stamp $(DEBIAN).stamp ## Test what takes minutes by its nature: an idle stream behind nginx
	@exec $(BIN)/python -m pytest tests/slow $(ARGS)

.PHONY: lint
lint: $(VENV)/test.stamp ## Check style, formatting and types
	$(BIN)/ruff check $(ARGS)
	$(BIN)/ruff format --check
	$(BIN)/mypy

.PHONY: audit
audit: $(VENV)/made.stamp ## Look the locked packages up among known vulnerabilities (needs pypi.org itself)
	@$(PYTHON) -m venv $(VENV)/audit && $(VENV)/audit/bin/python -m pip install --quiet pip-audit
	@$(VENV)/audit/bin/pip-audit --strict --requirement requirements.lock --require-hashes --disable-pip

.PHONY: bench
bench: $(VENV)/run.stamp ## Measure what is promised of a course of 100,000 pages; fails when a figure is missed
	@exec $(BIN)/python -m bench

.PHONY: fmt
fmt: $(VENV)/test.stamp ## Format the Python files and fix what ruff can fix
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

.PHONY: migrate
migrate: $(VENV)/run.stamp ## Bring the database to this tree's schema
	@exec $(BIN)/knowledgehub migrate $(ARGS)

.PHONY: schema
schema: $(VENV)/test.stamp $(DEBIAN).stamp ## Write docs/schema.sql anew after a change of sql/migrations
	@exec $(BIN)/python -m tests.schema

.PHONY: lock
lock: $(VENV)/test.stamp ## Make both locks again from pyproject.toml (ARGS=--upgrade for newer releases)
	$(LOCK) $(ARGS) --output-file=requirements.lock pyproject.toml
	$(LOCK) $(ARGS) --extra=test --constraint=requirements.lock --output-file=requirements-test.lock pyproject.toml

$(VENV)/made.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "make: $(PYTHON) is missing or older than 3.11: install Python, or name one with PYTHON=python3.x" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
		echo "make: $(PYTHON) cannot make virtual environments: install the package python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/run.stamp: requirements.lock pyproject.toml | $(VENV)/made.stamp
	@echo "make: installing requirements.lock into $(VENV)"
	@$(INSTALL) --no-deps --require-hashes --requirement requirements.lock
	@$(EDITABLE)
	@touch $@

$(VENV)/test.stamp: requirements-test.lock requirements.lock pyproject.toml | $(VENV)/made.stamp
	@echo "make: installing requirements-test.lock into $(VENV)"
	@$(INSTALL) --no-deps --require-hashes --requirement requirements-test.lock
	@$(EDITABLE)
	@touch $@ $(VENV)/run.stamp

$(DEBIAN).stamp: Makefile | $(VENV)/made.stamp
	@command -v apt-get >/dev/null && command -v dpkg >/dev/null || { \
		echo "make: the tests need Debian's packages, which apt-get and dpkg unpack: $(DEBIAN_PACKAGES)" >&2; exit 1; }
	@echo "make: unpacking $(DEBIAN_PACKAGES) into $(DEBIAN)"
	@rm -rf $(DEBIAN).new && mkdir -p $(DEBIAN).new
	@cd $(DEBIAN).new && { $(DEBIAN_DOWNLOAD); } 2>/dev/null || { \
		[ "$$(id -u)" = 0 ] && apt-get update -qq && $(DEBIAN_DOWNLOAD); } || { \
		echo "make: apt-get cannot download what the tests need: $(DEBIAN_PACKAGES) (as root: apt-get update)" >&2; exit 1; }
	@cd $(DEBIAN).new && for package in *.deb; do dpkg -x "$$package" . || exit 1; done && rm -- *.deb
	@rm -rf $(DEBIAN) && mv $(DEBIAN).new $(DEBIAN)
	@touch $@
