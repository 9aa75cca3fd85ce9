# `make demo` and `make test` are all that a newcomer needs; each makes its own .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= auto

.DEFAULT_GOAL := help
.PHONY: help demo play test test-numba lint types format fuzz fuzz-files clients constraints bench bench-train leaderboard tune docs notebooks notebook-run clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

demo: $(VENV)/.ready  ## train a network (a few minutes) and play it
	$(BIN)/python -m train.demo

play: $(VENV)/.ready  ## play against the agents, or watch them, in the browser
	$(BIN)/python -m drago_env play

test: lint types  ## lint, types and tests: the full check
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

lint: $(VENV)/.ready  ## ruff, style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.ready  ## mypy
	$(BIN)/mypy

format: $(VENV)/.ready  ## let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# the oldest and the newest that pyproject.toml allows
NUMBAS := 0.61.2 0.68.1
test-numba:  ## the compiled core with the oldest and the newest numba that are allowed
	set -e; for version in $(NUMBAS); do \
	  $(PYTHON) -m venv .venv-numba-$$version; \
	  .venv-numba-$$version/bin/python -m pip install --quiet -e . "numba==$$version" pytest; \
	  .venv-numba-$$version/bin/python -m pytest -q -o addopts= -p no:cacheprovider tests/test_compiled.py \
	    tests/test_seam.py $(wildcard tests/*/test_clauses*.py); \
	done

fuzz: $(VENV)/.ready  ## kernels against references over very many games (long)
	$(BIN)/python -m tests.mount_drago.fuzz --games 200000
	$(BIN)/python -m tests.dragon_delta.fuzz --games 100000
	$(BIN)/python -m tests.rupe_dei_draghi.fuzz --decisions 20000000

fuzz-files: $(VENV)/.ready  ## 1,000 damaged files of every kind at the doors that read them (long)
	$(BIN)/python -m tests.fuzz_files --files 1000 --seed 0

constraints: $(VENV)/.ready  ## pin every package of the environment in constraints.txt
	$(BIN)/python -m tests.constraints --write

bench: $(VENV)/.ready .venv-peers/.ready .venv-puffer/.ready  ## speed of every game, and against other environments; writes docs/speed.md
	$(BIN)/python -m benchmarks.speed --every-game --peers .venv-peers/bin/python .venv-puffer/bin/python $(if $(OLD),--old $(OLD)) --write docs/speed.md

bench-train: $(VENV)/.ready  ## speed of training beside MaskablePPO; writes docs/training-speed.md
	$(BIN)/python -m benchmarks.training --write docs/training-speed.md

clients: $(VENV)/.ready .venv-clients/.ready .venv-clients-2/.ready  ## every recipe for other libraries; writes the table of docs/use-with.md
	$(BIN)/python -m benchmarks.clients --pythons $(BIN)/python .venv-clients/bin/python .venv-clients-2/bin/python --write docs/use-with.md

leaderboard: $(VENV)/.ready  ## every agent against every other, in every game (long); writes docs/leaderboard*.md
	set -e; for game in $$($(BIN)/python -c 'from drago_env.games import BUILT_IN; print(*BUILT_IN)'); do \
	  $(BIN)/python -m agents.leaderboard --game $$game --write; \
	done

tune: $(VENV)/.ready  ## find the weights of the planners anew (long)
	$(BIN)/python -m agents.mount_drago.tune

docs: $(VENV)/.ready  ## the documentation as a site, in site/; every broken link is an error
	$(BIN)/python -m tests.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

notebooks: $(VENV)/.ready  ## run the notebooks anew and keep their outputs
	$(BIN)/python -m tests.notebooks

notebook-run: $(VENV)/.ready  ## train the small network that the third notebook looks into (3 minutes)
	rm -rf runs/notebook
	$(BIN)/python -m train.ppo --out runs/notebook --players 2 --steps 3000000 --seed 1 --thumbs False \
	  --evaluate-every 8 --evaluate-games 400
	mkdir -p notebooks/run
	cd runs/notebook && cp config.json metrics.csv evaluations.csv card.md network.safetensors ../../notebooks/run

clean:  ## remove environments and caches
	rm -rf $(VENV) .venv-peers .venv-puffer .venv-clients* .venv-numba-* site .mypy_cache .ruff_cache .pytest_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# uv where it is found, else pip; both with the pinned versions.
define install
	@if command -v uv >/dev/null; then \
	  UV_FIND_LINKS="$$PIP_FIND_LINKS" uv pip install --quiet --python $(1)/bin/python $(2); \
	else \
	  $(1)/bin/python -m pip install --quiet $(2); \
	fi
	@touch $@
endef

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(call install,$(VENV),-e '.[dev]' -c constraints.txt)

.venv-peers/.ready: benchmarks/peers-constraints.txt
	$(PYTHON) -m venv .venv-peers
	$(call install,.venv-peers,-r benchmarks/peers-constraints.txt)

# its games run without the many packages that it asks for
.venv-puffer/.ready: benchmarks/puffer-constraints.txt
	$(PYTHON) -m venv .venv-puffer
	$(call install,.venv-puffer,--no-deps --only-binary :all: -r benchmarks/puffer-constraints.txt)

.venv-clients/.ready: benchmarks/clients-constraints.txt pyproject.toml
	$(PYTHON) -m venv .venv-clients
	$(call install,.venv-clients,-e . -r benchmarks/clients-constraints.txt)

# imitation asks for an old Gymnasium, but runs with the present one
.venv-clients-2/.ready: benchmarks/clients-2-constraints.txt pyproject.toml
	$(PYTHON) -m venv .venv-clients-2
	$(call install,.venv-clients-2,-e . -r benchmarks/clients-2-constraints.txt)
	$(call install,.venv-clients-2,--no-deps imitation==1.0.1)
