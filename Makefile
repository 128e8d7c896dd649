# roofcast from a fresh clone: `make demo`, `make test`. The set-up is part of each, and quick when repeated.
.NOTPARALLEL:
.PHONY: help demo build test check accuracy stubs format clean

# What a user has in PYTHONPATH or in ~/.local must not change what is built and tested here.
unexport PYTHONPATH PYTHONHOME
export PYTHONNOUSERSITE = 1

help:
	@echo "make demo    build roofcast and print predictions for Llama-3.1-70B on H100"
	@echo "make build   the command build/release/bin/roofcast, and roofcast for .venv/bin/python"
	@echo "make test    every test: C++, Python, notebooks (about 15 minutes the first time)"
	@echo "make check   formatting, clang-tidy, sanitizers, fuzzers, the installed library, the wheel"
	@echo "make accuracy  errors against the measured data, into docs/accuracy.json and README.md"
	@echo "make stubs   write python/roofcast/_core.pyi from the extension"
	@echo "make format  clang-format every C++ file"
	@echo "make clean   remove build/ and .venv/"

demo: build
	@bash .ci/demo

build:
	@.ci/setup demo
	@.ci/venv
	@.ci/configure release
	@cmake --build build/release --target roofcast _core

test:
	@.ci/setup test
	@.ci/venv test
	@.ci/configure release -DROOFCAST_CALIBRATION=ON -DROOFCAST_TESTS=ON
	@cmake --build build/release
	@.ci/test

check:
	@.ci/setup check
	@.ci/venv
	@.ci/check

# By hand, where the measured data is: $$ROOFCAST_DATA, or shared/data beside the checkout.
accuracy: build
	@.venv/bin/python docs/accuracy.py

stubs: build
	@.ci/setup check
	@.ci/stubs

format:
	@.ci/setup check
	@find core hardware models calibration cli python tests \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 | xargs -0 clang-format -i

clean:
	rm -rf build .venv dist .pytest_cache .mypy_cache
