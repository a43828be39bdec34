# make demo   a first release in its own virtual environment
# make test   lint, types, import rules and all tests; make cover: the same tests, and whether they reach 95 % of the lines;
#             make compiled: loops compared again with the compiler; make docs-all: every page of the docs is run too
# make test-db  databases, PostgreSQL among them
# make docs   the pages as a site, in build/docs
# make quick  the inner loop: lint, house rules, worked examples, small rooms
# make studio the studio in your browser; make test-studio: its tests, in a real browser
# make test-spark  the Spark engine on Spark itself; needs Java 17 or newer; make spark-campaign: real data on Spark and without, byte for byte
# make mutants  mutation tests of the verifier; takes hours of processor time at first, minutes after a change
# make fuzz   long property runs; make fuzz-files: changed bytes of every file; make bench: the performance bars

# The first interpreter on the path that is new enough; `make demo PYTHON=...` chooses another.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= auto
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal
ONCE := -m "not compiler and not every_page and not postgresql and not spark"
QUICK := tests/house tests/golden tests/unit/model tests/unit/methods
LOOPS := tests/golden tests/properties tests/unit/methods tests/unit/analyst tests/unit/measure tests/unit/attack \
	tests/unit/generate tests/unit/verify tests/contract/test_interpreted_and_compiled.py \
	tests/contract/test_real_data.py tests/unit/lab/test_every_experiment.py
BY_PERSON := --id patient_id --terms diagnosis
SECONDS ?= 60
SEED ?= 1

# Without bytecode on disk, every worker and every command of a test would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: spark-campaign demo studio test test-studio quick check unit cover compiled test-db test-spark docs docs-all fuzz fuzz-files bench refining defaults campaign mutants clean

demo: $(VENV)/.installed
	rm -rf demo
	mkdir -p demo
	$(BIN)/disjoin generate visits --records 3000 --seed 1 -o demo/visits.csv
	@echo
	@echo '$$ disjoin inspect demo/visits.csv $(BY_PERSON)'
	@$(BIN)/disjoin inspect demo/visits.csv $(BY_PERSON)
	@echo
	@echo '$$ disjoin disassociate demo/visits.csv $(BY_PERSON) -k 5 -m 2 -o demo/release'
	@$(BIN)/disjoin disassociate demo/visits.csv $(BY_PERSON) -k 5 -m 2 -o demo/release
	@echo
	@echo '$$ disjoin verify demo/release --original demo/visits.csv $(BY_PERSON)'
	@$(BIN)/disjoin verify demo/release --original demo/visits.csv $(BY_PERSON)
	@echo
	@echo '$$ disjoin show demo/release --typical'
	@$(BIN)/disjoin show demo/release --typical
	@echo
	@echo 'The release is in demo/release: open demo/release/report.html in a browser.'

studio: $(VENV)/.studio
	$(BIN)/disjoin studio

# A real server, real files and the distribution's chromium; tests say why they are left out where there is none.
# With DISJOIN_SHOTS=1 the pictures of docs/start/studio.md are made anew.
test-studio: $(VENV)/.tested-studio
	DISJOIN_STUDIO=1 $(BIN)/python -m pytest -n 0 tests/studio

test: $(VENV)/.tested check unit

quick: $(VENV)/.tested
	$(BIN)/ruff check src tests benchmarks
	HYPOTHESIS_PROFILE=short $(PYTEST) -m "not slow and not realdata" $(QUICK)

check: $(VENV)/.tested
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

# All tests once. Loops are interpreted; what is compiled is left to `compiled`.
unit: $(VENV)/.tested
	$(PYTEST) $(ONCE)

# The same tests while coverage watches, which takes half as long again; it sees the lines of loops, as these are interpreted.
cover: $(VENV)/.tested
	$(PYTEST) $(ONCE) --cov=disjoin --cov-report= --cov-fail-under=0
	$(BIN)/coverage report --skip-covered

# Databases, with a PostgreSQL server that the tests start and stop; they say so if there is none.
test-db: $(VENV)/.tested
	$(BIN)/python -m pytest -n 0 -rs tests/databases tests/unit/readers/test_databases.py

# What compares loops with their oracles, again with the compiler.
compiled: $(VENV)/.tested
	$(PYTEST) --compiled $(LOOPS)

# The site, in build/docs; a warning is an error. build/docs.zip is the same for networks that are closed.
docs: $(VENV)/.documented
	$(BIN)/python -m sphinx -W -n -q -b html docs build/docs
	$(BIN)/python -m zipfile -c build/docs.zip build/docs
	@echo 'Open build/docs/index.html.'

# One run at a time: a session of Spark takes both cores of a small machine.
test-spark: $(VENV)/.spark
	DISJOIN_COMPILE=never $(BIN)/python -m pytest -p no:xdist -rs tests/spark

$(VENV)/.spark: $(VENV)/.tested pyproject.toml
	$(BIN)/python -m pip install --quiet -e '.[spark]' 'pyspark[connect]>=4.0,<5'
	touch $@

docs-all: $(VENV)/.tested
	$(PYTEST) tests/docs

fuzz: $(VENV)/.tested
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -n $(JOBS) --compiled tests/properties tests/contract tests/unit

fuzz-files: $(VENV)/.tested
	PYTHONPATH=tests $(BIN)/python -m fuzz_files --seconds $(SECONDS) --seed $(SEED)

# Small changes of the verifier's code, each of which a test must notice. It goes on where it was stopped (build/mutants.jsonl);
# `make mutants ONLY="verify/table --again"` tries survivors of a part once more.
mutants: $(VENV)/.tested
	PYTHONPATH=tests nice $(BIN)/python -m mutants $(ONLY)

bench: $(VENV)/.tested
	$(BIN)/python -m benchmarks.bench --page

spark-campaign: $(VENV)/.spark
	PYTHONPATH=tests $(BIN)/python -m spark.campaign
	PYTHONPATH=tests $(BIN)/python -m spark.campaign --killed
	PYTHONPATH=tests $(BIN)/python -m spark.campaign --csv

refining: $(VENV)/.tested
	$(BIN)/python -m benchmarks.refining

campaign: $(VENV)/.tested
	$(BIN)/python -m benchmarks.campaign

defaults: $(VENV)/.tested
	$(BIN)/python -m benchmarks.defaults

$(VENV)/.created:
	@test -n "$(PYTHON)" || { echo "disjoin needs Python 3.11 or newer; none was found. Try make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.documented: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@

$(VENV)/.studio: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[studio]"
	touch $@

$(VENV)/.tested-studio: $(VENV)/.tested
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test,test-studio]"
	touch $@

clean:
	rm -rf src/disjoin/__pycache__/compiled
	rm -rf $(VENV) demo .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
