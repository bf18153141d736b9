# Everything a person types; CMake and ninja do the work. `make help` lists the targets.

JOBS     ?= $(shell nproc)
BLST_DIR ?=
LAUNCHER := $(if $(shell command -v ccache),-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
SOURCES   = $(shell git ls-files 'src/*.[ch]' 'src/*.cpp' 'src/*.cu' 'src/*.cuh' 'include/*.h' 'tests/*.[ch]' 2>/dev/null)
CTEST     = ctest --output-on-failure --no-tests=error -j $(JOBS)

.DEFAULT_GOAL := build
.PHONY: build help packages check check-long layers format-check gcc asan tsan cuda-sanitize tsan-daemon portable release release-check peers fuzz demo format lint \
        bench-peer install clean

build: packages ## build/cuzk, build/cuzk-oracle, build/libcuzk.so and .a
	cmake --preset release $(LAUNCHER) >/dev/null
	ninja -C build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

packages: ## installs what packages.txt names and the machine lacks
	@tools/install_packages.sh

check: layers format-check build ## what every change must pass (under 12 minutes on 2 cores)
	cd build && $(CTEST) -LE long
	@python3 tests/e2e/peers.py --skips || true
	$(MAKE) gcc asan portable
	@echo "check: everything passed"

check-long: check fuzz ## everything, the long tests and a minute of every fuzz target too
	cd build && $(CTEST) -L long
	$(MAKE) asan ASAN_SKIP=
	$(MAKE) tsan-daemon
	@echo "check-long: everything passed"

layers:
	tools/check_layers.py --self-test
	tools/check_layers.py src

format-check: packages
	@clang-format-19 --dry-run -Werror $(SOURCES)

gcc: packages ## warning-free with gcc
	cmake --preset gcc $(LAUNCHER) -DCMAKE_C_FLAGS_RELEASE="-Og -DNDEBUG" -DCUZK_CUDA=OFF >/dev/null
	ninja -C build-gcc

# Tests labelled slow take minutes under a sanitizer: check-long clears ASAN_SKIP.
ASAN_SKIP ?= |slow

asan: packages ## unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
	cmake --preset asan $(LAUNCHER) >/dev/null
	ninja -C build-asan
	cd build-asan && ASAN_OPTIONS=allocator_may_return_null=1 $(CTEST) -LE 'long|heavy|e2e|peers$(ASAN_SKIP)'

tsan: packages ## unit tests under ThreadSanitizer
	cmake --preset tsan $(LAUNCHER) >/dev/null
	ninja -C build-tsan
	cd build-tsan && $(CTEST) -LE 'long|heavy|e2e|peers'

cuda-sanitize: build ## every CUDA kernel under compute-sanitizer's memcheck and racecheck (a GPU, minutes)
	tools/cuda_sanitize.sh build

tsan-daemon: packages ## the whole daemon under load, under ThreadSanitizer
	cmake --preset tsan $(LAUNCHER) >/dev/null
	ninja -C build-tsan cuzk
	cd build-tsan && $(CTEST) -R '^e2e_serve_tsan$$'

portable: build ## unit tests of what computes, with plain C arithmetic forced
	cd build && CUZK_CPU=portable $(CTEST) -LE 'long|heavy|e2e|peers|shape|layer:(base|bench|engine|server|srs)'

peers: build ## proofs judged by other people's implementations (node needed; skipped by name without it)
	cd build && $(CTEST) -L peers
	@python3 tests/e2e/peers.py --skips || true

release: packages ## build-release/cuzk: every GPU, needs glibc alone; no daemon (minutes: 7 architectures)
	cmake --preset portable-binary $(LAUNCHER) >/dev/null
	ninja -C build-release cuzk
	$(MAKE) release-check

release-check: ## what build-release/cuzk needs and which GPUs it has code for
	tools/check_release.py build-release/cuzk 75 80 86 89 90 100 120

fuzz: packages ## every fuzz target for FUZZ_SECONDS (60)
	cmake --preset fuzz $(LAUNCHER) >/dev/null
	ninja -C build-fuzz
	tests/fuzz/run.sh build-fuzz $${FUZZ_SECONDS:-60}

demo: packages ## seals, proves and verifies a real 2 KiB sector
	cmake --preset release $(LAUNCHER) >/dev/null
	ninja -C build cuzk
	tools/demo.sh build/cuzk

format: packages ## rewrites the sources in the house format
	clang-format-19 -i $(SOURCES)

lint: build ## clang-tidy
	run-clang-tidy-19 -quiet -p build -j $(JOBS) '.*/src/.*\.c$$'

bench-peer: packages ## the same work by blst, in one run: make bench-peer BLST_DIR=/path/to/blst
	@test -n "$(BLST_DIR)" || { echo "bench-peer: BLST_DIR must name a checkout of blst" >&2; exit 2; }
	cmake --preset release -B build-peer $(LAUNCHER) -DCUZK_BLST_DIR=$(BLST_DIR) -DCUZK_TESTS=OFF >/dev/null
	ninja -C build-peer bench_peer
	build-peer/bench_peer

install: build ## into DESTDIR and the prefix that CMake was given
	cmake --install build

clean: ## removes build folders, kept test parameters too
	rm -rf build build-*
