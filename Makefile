# make demo | test | check | bench | clean.  Every target does its own set-up; it needs Python 3.11 or newer and make.
#   make demo PYTHON=python3.12      another interpreter
#   make bench DATA=../shared/data   benchmarks on a folder of data; without DATA on the small data of the tests
#   make fuzz                        ten minutes of searching for input that breaks it
#   make bench-rivals                speed beside other evaluators, which are installed into scratch environments

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
DATA   ?=

.DEFAULT_GOAL := help
.PHONY: help demo test check check-static check-tests docs bench bench-rivals fuzz clean

help:
	@sed -n '1,5s/^# *//p' $(firstword $(MAKEFILE_LIST))

# The stamps follow pyproject.toml, so set-up runs again exactly when a dependency or an entry point changes.
$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("rootcall needs Python 3.11 or newer; try: make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.developing: $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(VENV)/.installed
	@$(BIN)/rootcall demo

test: $(VENV)/.developing
	$(BIN)/pytest -n $(JOBS) -q

# Everything CI runs: format, lint, types, import contract, generated pages, tests with warnings as errors and coverage.
check: check-static check-tests

check-static: $(VENV)/.developing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/generate.py --check

check-tests: $(VENV)/.developing
	$(BIN)/pytest -n $(JOBS) -q -W error --cov --cov-report=term

docs: $(VENV)/.developing
	$(BIN)/python docs/generate.py

# With DATA the bars must hold; the small data of the tests only shows that the benchmarks run.
BUGCASES := $(firstword $(wildcard $(DATA)/bugcases.jsonl tests/data/bugcases.jsonl.gz))
WHEN     := $(wildcard $(or $(DATA),.)/selection/when2call.jsonl.gz)
BFCL     := $(firstword $(wildcard $(DATA)/bfcl/mutated.jsonl.gz tests/data/bfcl_small.jsonl.gz))
FAULTS   := $(firstword $(wildcard $(DATA)/faults_A.jsonl.gz tests/data/faults_small.jsonl.gz))
DUCKLING := $(firstword $(wildcard $(DATA)/arguments/duckling_en_ko.jsonl.gz tests/data/duckling_days.jsonl.gz))
TAU      := $(wildcard $(if $(DATA),$(addprefix $(DATA)/tau/,gpt-4o-airline.jsonl.gz avaljotsingh-retail-preconditions.jsonl.gz agentrx-retail-labelled.jsonl.gz)))
MASTRA   := $(firstword $(wildcard $(DATA)/mastra) tests/data/mastra)
FORMATS  := $(wildcard $(or $(DATA),.)/formats)
BOXES    := $(firstword $(wildcard $(DATA)/grounding/boxscores.jsonl.gz tests/data/boxscores_small.jsonl.gz))
QUINTD   := $(wildcard $(or $(DATA),.)/grounding/quintd1.jsonl.gz)
ALARMS   := benchmarks/false_alarms
RIVALS   := $(wildcard $(if $(DATA),$(DATA)/bfcl/mutated.jsonl.gz))

bench: $(VENV)/.developing
	@$(BIN)/python benchmarks/startup.py
	@$(if $(BUGCASES),$(BIN)/python benchmarks/bugcases.py $(BUGCASES) $(if $(DATA),--bar))
	@$(BIN)/python benchmarks/speed.py $(firstword $(wildcard $(DATA)/tau/gpt-4o-airline.jsonl.gz src/rootcall/data/tau-airline.jsonl.gz)) --tools src/rootcall/data/tau-airline-tools.json $(if $(DATA),--bar 3)
	@$(if $(FAULTS),$(BIN)/python benchmarks/faults.py $(FAULTS) $(if $(DATA),--bar))
	@$(if $(WHEN),$(BIN)/python benchmarks/selection.py $(WHEN))
	@$(BIN)/python benchmarks/behaviour.py $(WHEN) --replies tests/data/replies_second.jsonl --bar
	@$(BIN)/python benchmarks/dates.py $(DUCKLING) --bar
	@$(if $(FORMATS),$(BIN)/python benchmarks/formats.py $(FORMATS) --bar)
	@$(BIN)/python benchmarks/grounding.py $(BOXES) --glossary benchmarks/grounding_basketball.yaml $(if $(DATA),--bar)
	@$(if $(QUINTD),$(BIN)/python benchmarks/grounding.py $(QUINTD))
	@$(BIN)/python benchmarks/mastra_parity.py $(MASTRA) --bar
	@$(BIN)/python benchmarks/mastra_differences.py $(MASTRA)/code.jsonl.gz $(or $(TAU),tests/data/tau_policy.jsonl.gz) --bar
	@$(BIN)/python benchmarks/policy.py $(or $(TAU),tests/data/tau_policy.jsonl.gz) $(if $(TAU),--bar)
	@$(BIN)/python $(ALARMS).py --answers $(ALARMS)_a.jsonl $(ALARMS)_b.jsonl --sheet $(ALARMS)_sheet.jsonl.gz --bar
	@$(if $(BFCL),$(BIN)/python benchmarks/bfcl.py $(BFCL) --bar)
	@$(MAKE) --no-print-directory bench-rivals

# Downloads two gigabytes of other evaluators into scratch folders the first time; they are kept for the next.
bench-rivals: $(VENV)/.developing
	@$(BIN)/python benchmarks/rivals.py $(RIVALS)
	@$(BIN)/python benchmarks/mastra_speed.py $(MASTRA)/code.jsonl.gz $(if $(DATA),--bar)

# Searches for input that breaks reading or judging, ten minutes long.
fuzz: $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	@$(BIN)/python benchmarks/fuzz.py $(or $(SECONDS),600)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf src/*.egg-info
