# Every target sets up what it needs in .venv; a fresh machine needs only Python >= 3.11 and make.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint docs bench bench-estimators bench-generalisation clean

demo: .venv/demo.ready  ## find thresholds on real data; writes demo-output/
	$(BIN)/ordcut demo --output demo-output

test: .venv/test.ready lint  ## lint, types and all tests
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: .venv/test.ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: .venv/docs.ready  ## build the documentation into docs/_build/html, warnings as errors
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html

bench: .venv/bench.ready  ## measure everything anew; writes benchmarks/results/
	$(BIN)/python -m benchmarks

bench-estimators: .venv/bench-estimators.ready  ## compare the estimators with other packages
	$(BIN)/python -m benchmarks.estimators

bench-generalisation: .venv/bench-estimators.ready  ## judge labelings on rows not seen
	$(BIN)/python -m benchmarks.generalisation

# One stamp for each group of packages, made anew when what it is made from changes.
.venv/%.ready: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet "pip>=25.1"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable . --group $*
	touch $@

clean:
	rm -rf .venv demo-output docs/_build docs/gallery docs/generated .mypy_cache .ruff_cache .pytest_cache .hypothesis
