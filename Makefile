# StudyHub's commands. `make run` and `make test` need Python >= 3.11 and make; everything else they fetch.
PYTHON ?= python3
PORT ?= 8000
HOST ?= 127.0.0.1
TORCH_INDEX_URL ?=
PY := .venv/bin/python
PIP := $(PY) -m pip install -q --disable-pip-version-check
FRONTEND := studyhub/web/frontend
TEMPLATES := studyhub cards

.PHONY: help setup run models test thorough e2e chaos bench gpu soak fuzz oracle check lint types walls templates compose node frontend clean

help:
	@echo "make run      study at http://$(HOST):$(PORT)   (PORT=..., HOST=..., TORCH_INDEX_URL=...)"
	@echo "make models   the trained models that pictures look at, into var/models (177 MB to fetch; make run fetches them too)"
	@echo "make test     every test: SQLite, then PostgreSQL and Redis, then a browser where there is one"
	@echo "make thorough the tests on SQLite, each property tried four times as often as make test tries it"
	@echo "make check    lint, types, walls, front end, then make test"
	@echo "make setup    .venv with everything make check needs"
	@echo "make bench    how fast it is here against its goals: products, engine, payload, and the way of a picture"
	@echo "make gpu      the tests and the benchmark of a GPU; where there is none they say so and skip"
	@echo "make soak     whether memory grows over 10,000 pictures, how soon a worker is free, whether three devices converge"
	@echo "make fuzz     a million answers made by chance: nothing raised, nothing slow"
	@echo "make oracle   our verdicts on pairs of formulas beside those of Khan Academy's KAS (needs Node and npm)"
	@echo "make e2e | chaos | frontend | clean"

$(PY):
	$(PYTHON) -m venv .venv

# One stamp per set of packages; a changed pyproject.toml installs again.
.venv/.torch: $(PY)
	@if [ -n "$(TORCH_INDEX_URL)" ]; then $(PIP) "torch>=2.9,<2.14" --index-url "$(TORCH_INDEX_URL)"; fi
	@touch $@

.venv/.run: pyproject.toml .venv/.torch
	@echo "Installing StudyHub into .venv (about half a minute) ..."
	$(PIP) -e ".[postgres]"
	@touch $@

.venv/.test: pyproject.toml .venv/.torch
	@echo "Installing StudyHub and its tests into .venv (about a minute) ..."
	$(PIP) -U "pip>=25.1"
	$(PIP) -e ".[postgres,models]" --group test --group e2e
	@touch $@ .venv/.run

.venv/.setup: pyproject.toml .venv/.test
	$(PIP) --group lint
	@touch $@

setup: .venv/.setup

run: .venv/.run
	$(PY) manage.py up --host $(HOST) --port $(PORT)

models: .venv/.run
	$(PY) manage.py models

test: .venv/.test
	$(PY) tests/run.py

thorough: .venv/.test
	THOROUGH=1 $(PY) tests/run.py --only sqlite

e2e: .venv/.test
	$(PY) tests/run.py --only e2e

chaos: .venv/.test
	$(PY) -m pytest tests/chaos -m chaos -q

.venv/.bench: pyproject.toml .venv/.run
	$(PIP) -e ".[postgres,bench]"
	@touch $@

bench: .venv/.bench
	$(PY) -m benchmarks floor engine payload model embed queue latency grading

# Without a GPU both say what they skip.
gpu: .venv/.test
	$(PY) -m pytest -q -n 0 -m gpu tests/attention_engine tests/benchmarks
	$(PY) -m benchmarks gpu

soak: .venv/.test
	$(PY) -m benchmarks.soak
	$(PY) -m benchmarks.leaving
	$(PY) -m tests.soak

fuzz: .venv/.test
	$(PY) -m tests.cards.grading.fuzz

oracle: .venv/.test
	$(PY) -m tests.oracle

lint: .venv/.setup
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

types: .venv/.setup
	.venv/bin/mypy

walls: .venv/.setup
	.venv/bin/lint-imports --no-logo

templates: .venv/.setup
	.venv/bin/djlint $(TEMPLATES) --lint --quiet

compose: .venv/.setup
	@POSTGRES_PASSWORD=x SECRET_KEY=x STUDYHUB_JWT_KEY=x .venv/bin/docker-compose -f docker-compose.yml config -q && echo "docker-compose.yml is valid"

# The built files are committed; this rebuilds them and compares.
node: .venv/.setup
	@if command -v npm >/dev/null; then \
	  cd $(FRONTEND) && npm ci --no-audit --no-fund --loglevel=error && npm run check && npm run build --silent \
	  && cd - >/dev/null && git diff --exit-code --stat -- studyhub/web/static; \
	else echo "SKIPPED: front-end checks (no Node on this machine)"; fi

frontend:
	cd $(FRONTEND) && npm ci --no-audit --no-fund && npm run build

check: lint types walls templates compose node test

clean:
	rm -rf .venv var node_modules $(FRONTEND)/node_modules test-results
