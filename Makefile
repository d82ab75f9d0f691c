# Every target sets up what it needs in .venv; a fresh machine needs only Python >= 3.11 and make.
PYTHON ?= python3
SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := .venv/$(SCRIPTS)

.PHONY: check check-lowest check-newest demo experiment test fuzz lint programs docs dist sbom clean bench bench-boosting bench-cli \
  bench-estimators bench-exact bench-experiment \
  bench-frames bench-generalisation bench-limits bench-torch

demo: .venv/demo.ready  ## find thresholds on real data; writes demo-output/
	$(BIN)/ordcut demo --output demo-output --force

# Threads of PyTorch that wait must not keep cores busy: on a busy machine, that takes ten times as long.
experiment: export OMP_WAIT_POLICY = passive
experiment: .venv/experiment.ready  ## the paper's experiment on a few synthetic faces; writes experiment-output/
	rm -rf experiment-output
	$(BIN)/python -m experiments paper --quick --device cpu --out experiment-output

# What `make check` runs: the core and its documented examples, without estimators, engines, PyTorch, the command
# line, plots, pages, the experiment and the benchmarks.
CORE := data limits pruning smoothing solvers thresholds uncertainty
CORE_MODULES := exact jit labelings metrics objectives optimal paths tables threads
CORE_TESTS := $(CORE:%=tests/%) $(CORE_MODULES:%=tests/test_%.py) tests/test_bad_input.py tests/test_decisions.py \
  tests/test_laws.py tests/test_invariance.py src/ordcut/_core src/ordcut/studies
NEEDS_ONNX := src/ordcut/_core/thresholds/exports.py::ordcut._core.thresholds.exports.Exports.to_onnx

check: .venv/check.ready  ## for everyday work: lint, types and the tests of the core, in a few minutes
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy src --exclude src/ordcut/torch/ --disable-error-code import-not-found
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2 $(CORE_TESTS) --deselect $(NEEDS_ONNX)

# Where releases of other packages do not fit together, they warn that something is deprecated. Warnings of the compiler
# about their code come when they are installed, not in a test.
RESOLUTION_lowest := lowest-direct
RESOLUTION_newest := highest
check-lowest check-newest: check-%:  ## the core and the command line with the lowest or newest packages allowed
	$(PYTHON) -m venv --clear .venv-$*
	.venv-$*/$(SCRIPTS)/python -m pip install --quiet uv==0.13.8
	.venv-$*/$(SCRIPTS)/uv pip install --quiet --compile-bytecode --python .venv-$*/$(SCRIPTS)/python \
	  --resolution $(RESOLUTION_$*) --editable ".[cli,excel,plots]" --group check
	.venv-$*/$(SCRIPTS)/python -m pytest -n 2 -W ignore::DeprecationWarning $(CORE_TESTS) tests/cli \
	  --deselect $(NEEDS_ONNX)

test: .venv/test.ready programs lint  ## lint, types and all tests
	$(BIN)/python -m pytest -n 2 --dist loadgroup
ifneq ($(wildcard tests/corpus/*),)
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m hypothesis --hypothesis-profile=replay tests
endif

MINUTES ?= 10
FUZZ ?= tests
fuzz: .venv/test.ready  ## explore FUZZ with fresh seeds for MINUTES; failures go into tests/corpus
	end=$$(($$(date +%s) + 60 * $(MINUTES))); while [ $$(date +%s) -lt $$end ]; do \
	  $(BIN)/python -m pytest -n 2 --dist loadgroup -m hypothesis --hypothesis-profile=fuzz $(FUZZ) || exit 1; \
	done

lint: .venv/test.ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# What tests need of the system and pip does not have: a browser, and Java for Spark.
MISSING = $(strip $(if $(shell command -v chromium || command -v chromium-browser),,chromium) \
  $(if $(shell command -v java),,openjdk-17-jre-headless))

programs:  ## install the programs that tests need and the system lacks, as root on Debian
	@if [ -z "$(MISSING)" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $(MISSING); \
	else echo "Missing: $(MISSING). Tests that need them are skipped; to run them, install these with" \
	  "your system's package manager, or as root on Debian or Ubuntu with: make programs"; fi

docs: .venv/docs.ready  ## build the documentation into docs/_build/html, warnings as errors
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html

dist: .venv/dist.ready  ## build wheel and sdist into dist/, and check them as a user gets them
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python .ci/check_dist.py dist

sbom: .venv/dist.ready  ## list the packages that the wheel in dist/ uses, as CycloneDX, in ordcut.cdx.json
	$(PYTHON) -m venv --clear .venv-sbom
	.venv-sbom/$(SCRIPTS)/python -m pip install --quiet --constraint constraints.txt dist/*.whl
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --mc-type library --output-reproducible \
	  --output-file ordcut.cdx.json .venv-sbom/$(SCRIPTS)/python

bench: .venv/bench.ready  ## measure everything anew; writes benchmarks/results/
	$(BIN)/python -m benchmarks

bench-estimators: .venv/bench-estimators.ready  ## compare the estimators with other packages
	$(BIN)/python -m benchmarks.estimators

bench-boosting: .venv/test.ready  ## boosted trees for ordered classes; writes benchmarks/boosting/results/
	$(BIN)/python -m benchmarks.boosting

bench-frames: .venv/test.ready  ## thresholds in engines, 1e8 rows; writes benchmarks/frames/results/
	$(BIN)/python -m benchmarks.frames

bench-cli: .venv/test.ready  ## measure the command line against what it cannot do without
	$(BIN)/python -m benchmarks.cli

bench-limits: .venv/bench-limits.ready  ## thresholds within limits, and an exact solver of OR-Tools
	$(BIN)/python -m benchmarks.limits

bench-torch: .venv/bench-torch.ready  ## measure thresholds in training
	$(BIN)/python -m benchmarks.torch

bench-generalisation: .venv/bench-estimators.ready  ## judge labelings on rows not seen
	$(BIN)/python -m benchmarks.generalisation

bench-exact: .venv/test.ready  ## adversarial problems against a brute force in fractions
	$(BIN)/python -m benchmarks.exactness

bench-experiment: .venv/bench-experiment.ready  ## the paper's experiment and its Table 1
	$(BIN)/python -m benchmarks.experiment

# One stamp for each group of packages, made anew when what it is made from changes.
.venv/%.ready: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet "pip>=25.1"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable . --group $*
	touch $@

clean:
	rm -rf .venv .venv-* dist ordcut.cdx.json demo-output experiment-output docs/_build docs/gallery docs/generated .mypy_cache .ruff_cache .pytest_cache .hypothesis
