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

# The browser of the tests, unpacked like the packages below unless it is installed; it needs some fonts.
CHROMIUM := $(VENV)/chromium
CHROMIUM_PACKAGES := chromium chromium-common fonts-liberation

# Packages of Debian that only tests need, and what these need that this machine has not. They are unpacked
# below .venv; nothing is installed.
DEBIAN := $(VENV)/debian
DEBIAN_PACKAGES := postgresql-15 postgresql-client-15 postgresql-15-pgtap postgresql-15-plpgsql-check \
	unzip 7zip nginx openssl

# What `make bench` compares with, each below .venv in an environment of its own.
PEERS := $(VENV)/peers
PEERS_ON_NODE := $(addprefix bench/peers/node/,package.json package-lock.json)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## Show this list
	@echo "make VERB; ARGS=… is passed on to the tool behind run, test, lint and migrate"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r verb text; do \
		printf '  %-11s %s\n' "$$verb" "$$text"; done

.PHONY: run
run: $(VENV)/run.stamp ## Start everything here: database, API, worker (PORT=8000 DATA_DIR=var DEMO_PASSWORD=…)
	@exec $(BIN)/knowledgehub up $(ARGS)

.PHONY: test
test: $(VENV)/test.stamp $(DEBIAN).stamp $(CHROMIUM).stamp ## Run all tests on PostgreSQL 18 and 15 (ARGS="tests/py -k name")
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

.PHONY: screenshots
screenshots: $(VENV)/test.stamp $(DEBIAN).stamp $(CHROMIUM).stamp ## Write pictures of every view of the page to screenshots/
	@exec $(BIN)/python -m tests.screenshots $(ARGS)

.PHONY: audit
audit: $(VENV)/made.stamp ## Look the locked packages up among known vulnerabilities (needs the public index itself)
	@$(PYTHON) -m venv $(VENV)/audit && $(VENV)/audit/bin/python -m pip install --quiet pip-audit
	@$(VENV)/audit/bin/pip-audit --strict --requirement requirements.lock --require-hashes --disable-pip

.PHONY: bench
bench: $(VENV)/test.stamp $(CHROMIUM).stamp $(PEERS)/pgqueuer.stamp $(PEERS)/procrastinate.stamp peers-on-node
bench: ## Measure what is promised; fails when a figure is missed (ARGS="tagging streams")
	@exec $(BIN)/python -m bench $(ARGS)

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

$(PEERS)/%.stamp: bench/peers/python/%.txt | $(VENV)/made.stamp
	@echo "make: installing $< into $(PEERS)/$*"
	@rm -rf $(PEERS)/$* && $(BIN)/python -m venv $(PEERS)/$*
	@$(PEERS)/$*/bin/python -m pip install --quiet --no-input --disable-pip-version-check --no-deps \
		--require-hashes --requirement $<
	@touch $@

# Not having them is no failure: the benchmark says whom it left out.
.PHONY: peers-on-node
peers-on-node: | $(VENV)/made.stamp
	@cmp -s bench/peers/node/package-lock.json $(PEERS)/node/installed.json || { \
		echo "make: installing bench/peers/node/package-lock.json into $(PEERS)/node" && \
		rm -rf $(PEERS)/node && mkdir -p $(PEERS)/node && cp $(PEERS_ON_NODE) $(PEERS)/node && \
		npm ci --prefix $(PEERS)/node --ignore-scripts --no-audit --no-fund --loglevel=error --silent && \
		cp bench/peers/node/package-lock.json $(PEERS)/node/installed.json; } || { \
		rm -rf $(PEERS)/node; echo "make: npm is missing or cannot install bench/peers/node/package-lock.json" >&2; }

# The recipe that unpacks the Debian packages $(1), and those they need that this machine has not, into $(2).
define unpack
@command -v apt-get >/dev/null && command -v dpkg >/dev/null || { \
	echo "make: the tests need Debian's packages, which apt-get and dpkg unpack: $(1)" >&2; exit 1; }
@echo "make: unpacking $(1) into $(2)"
@rm -rf $(2).new && mkdir -p $(2).new
@download() { apt-get download -qq $(1) $$(apt-get --simulate --no-install-recommends install $(1) \
		| sed -n 's/^Inst \([^ ]*\) (.*/\1/p'); }; \
	cd $(2).new && { download; } 2>/dev/null || { \
		[ "$$(id -u)" = 0 ] && apt-get update -qq && download; } || { \
		echo "make: apt-get cannot download what the tests need: $(1) (as root: apt-get update)" >&2; exit 1; }
@cd $(2).new && for package in *.deb; do dpkg -x "$$package" . || exit 1; done && rm -- *.deb
@rm -rf $(2) && mv $(2).new $(2)
endef

$(DEBIAN).stamp: Makefile | $(VENV)/made.stamp
	$(call unpack,$(DEBIAN_PACKAGES),$(DEBIAN))
	@touch $@

ifeq ($(wildcard /usr/bin/chromium),)
$(CHROMIUM).stamp: $(CHROMIUM)/usr/lib/chromium/chromium
endif
$(CHROMIUM).stamp: | $(VENV)/made.stamp
	@touch $@

$(CHROMIUM)/usr/lib/chromium/chromium: | $(VENV)/made.stamp
	$(call unpack,$(CHROMIUM_PACKAGES),$(CHROMIUM))
