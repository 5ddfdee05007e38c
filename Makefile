# SPDX-License-Identifier: GPL-3.0-or-later
#
# make               sets up what this machine lacks and builds build/softlabel
# make demo          the whole chain on the sample data
# make test          every quick test
# make test-long     the other ones
# make test-tsan     stages with threads under ThreadSanitizer (builds build-tsan)
# make test-memcheck every verb under valgrind
# make figures       the table of docs/trust.md, from some 200,000 trials; soak: its figures of many rows and long runs
# make fuzz          inputs that a fuzzer makes up, for FUZZ_SECONDS each (5) of the readers
# make bench         time and memory
# make install       into PREFIX (/usr/local), below DESTDIR if that is set
# make archive       dist/softlabel-VERSION-linux-x86_64.tar.zst, which runs on any Linux; make wheel: the same for pip
# make check-format  the layout of the sources against .clang-format
# make clean

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

BUILD ?= build
PREFIX ?=
MESON_ARGS ?= --buildtype=release $(if $(CI),-Dwerror=true) $(if $(PREFIX),--prefix=$(abspath $(PREFIX)))
TEST_ARGS ?=

export PATH := $(CURDIR)/$(BUILD):$(PATH)
meson_test = SOFTLABEL_PYTHON=$$(tools/setup --python) \
	meson test -C $(BUILD) --no-rebuild --print-errorlogs $(TEST_ARGS)

.PHONY: all tests demo test test-long test-tsan test-memcheck figures soak fuzz bench install archive wheel check-format clean

all:
	@tools/setup --configure $(BUILD) $(MESON_ARGS)
	@ninja -C $(BUILD) softlabel

# What the tests start, besides.
tests: all
	@ninja -C $(BUILD) all meson-test-prereq

demo: all
	@examples/demo.sh

test: tests
	@$(meson_test) --no-suite long

test-long: tests
	@$(meson_test) --suite long

test-tsan:
	@tools/setup --configure build-tsan --buildtype=plain '-Dc_args=-O1 -g1' '-Dcpp_args=-O1 -g1' -Db_sanitize=thread -Db_lundef=false
	@ninja -C build-tsan softlabel tests/faults/thread-marks.so
	@tests/faults/races build-tsan/softlabel build-tsan/tests/faults

test-memcheck: tests
	@tests/faults/memcheck $(BUILD)/softlabel $(BUILD)/tests/faults

figures soak: tests
	@tests/faults/$@ $(BUILD)/softlabel $(BUILD)/tests/faults

# libFuzzer is clang's. What it finds is put into build-fuzz/found.
fuzz:
	@tools/setup --configure $(BUILD) $(MESON_ARGS)
	@ninja -C $(BUILD) softlabel
	@clang=$$(tools/setup --fuzzer); \
	[ -n "$$clang" ] || { echo 'fuzz: skipped, no clang with libFuzzer here'; exit 0; }; \
	cache=$$(command -v ccache || true); \
	CC="$$cache clang" CXX="$$cache clang++" tools/setup --configure build-fuzz -Dfuzz=true -Db_lundef=false \
	  --buildtype=plain -Doptimization=1; \
	ninja -C build-fuzz tests/fuzz/fuzz; \
	tests/fuzz/run build-fuzz/tests/fuzz/fuzz $(BUILD)/softlabel build-fuzz/found $(FUZZ)

bench: tests
	@tests/bench/run

install: all
	@meson install -C $(BUILD) --no-rebuild

archive wheel: all
	@ninja -C $(BUILD) packaging/softlabel-portable
	@packaging/$@ $(BUILD) dist

check-format:
	@formatter=$$(tools/setup --tool clang-format-14); \
	if [ -n "$$formatter" ]; then \
	  git ls-files -z --cached --others --exclude-standard '*.[ch]' '*.cc' '*.cpp' '*.hpp' | \
	    xargs -0 --no-run-if-empty "$$formatter" --dry-run --Werror; \
	else \
	  echo 'check-format: skipped, no clang-format 14 here'; \
	fi

clean:
	rm -rf build build-asan build-tsan build-fuzz dist
