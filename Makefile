# Each verb is the same as `python -m tasks VERB`, which also works where there is no make.
PYTHON ?= python3

.PHONY: help setup check test bench demo fix clean
help:
	@$(PYTHON) -m tasks help
setup check test bench demo fix clean:
	@$(PYTHON) -m tasks $@
