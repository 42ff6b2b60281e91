# One command for each duty; CI runs the same ones (.ci/run).
#
#   make build   the program, in bin/rs-ros-node; needs Go and nothing else
#   make test    everything that can be tested here; installs what is missing
#   make help    the rest

GO        ?= go
BIN       := bin/rs-ros-node
# Two packages at a time: the tests start many processes beside them.
TEST      := $(GO) test -race -p 2 -count=1 -timeout 14m
# Optional parts: the USB camera, its virtual machine, writing past the page cache.
TAGS      := usb,usbvm,directsink
FUZZTIME  ?= 20s
SOAK      ?= 10m
BENCH     ?= .
BENCHTIME ?= 1s
PKG       ?= ./...
# Tests run in their own folders.
ifdef RS_BAGS
override RS_BAGS := $(abspath $(RS_BAGS))
export RS_BAGS
endif

.PHONY: help build build-usb fmt lint test unit e2e test-usb fuzz fuzz-short bench soak docker-check deps clean

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 14

build: ## bin/rs-ros-node, without C
	CGO_ENABLED=0 $(GO) build -o $(BIN) ./cmd/rs-ros-node

build-usb: ## the same with the USB camera; needs gcc and libusb-1.0-0-dev
	CGO_ENABLED=1 $(GO) build -tags usb -o $(BIN) ./cmd/rs-ros-node

fmt: ## format all Go files
	gofmt -w $$(git ls-files '*.go')

lint: docker-check ## formatting, go vet, staticcheck, docker-compose.yml
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not formatted (make fmt):"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	set -e; if pkg-config --exists libusb-1.0; then \
	  $(GO) vet -tags $(TAGS) ./...; \
	  printf 'plain: -tags=\nall: -tags=$(TAGS)\n' | $(GO) tool staticcheck -matrix ./...; \
	else \
	  echo "*** no libusb-1.0: the USB camera is not looked at"; [ -z "$$RS_NO_SKIP" ]; \
	  $(GO) tool staticcheck -checks inherit,-U1000 ./...; \
	fi

deps: ## the programs that tests run beside ours (Debian, root)
	test/install.sh

test: deps lint build ## all of it, with the race detector and real ROS programs
	$(TEST) $(PKG)
	$(TEST) -tags directsink ./bagstore/...

unit: ## only what needs no program but ours
	$(TEST) -short $$($(GO) list ./... | grep -v '/test/')

e2e: deps build ## only what runs beside real programs
	$(TEST) ./test/...

test-usb: deps ## the USB driver, and a virtual camera behind a real kernel
	$(TEST) -tags usb ./camdriver/d400/...
	test/usbvm/run.sh || { [ $$? -eq 77 ] && [ -z "$$RS_NO_SKIP" ]; }

fuzz: ## each fuzz target for FUZZTIME (20s)
	test/fuzz.sh $(FUZZTIME)

fuzz-short: ## each fuzz target for 20000 inputs, some seconds
	test/fuzz.sh 20000x

bench: ## benchmarks; BENCH and PKG choose; BENCH_PEERS=folder: docs/performance.md again
ifdef BENCH_PEERS
	test/bench/bag/run.sh
	test/bench/play/run.sh
	test/bench/record/run.sh
	$(GO) test -run '^$$' -bench Publish -benchtime 1x -timeout 60m ./test/bench/pub
else
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem -p 1 -timeout 60m $(PKG)
endif

soak: build ## the main job for SOAK (10m), a bag above 4 GiB, hundreds of killed recorders
	$(BIN) demo --duration $(SOAK)
	BAGSTORE_KILLS=500 $(GO) test -tags soak -count=1 -timeout 60m -run 'Huge|Kill' ./bagstore

docker-check: ## docker-compose.yml, as docker compose reads it
	@if docker compose version >/dev/null 2>&1; then docker compose config --quiet; \
	elif command -v docker-compose >/dev/null; then docker-compose config --quiet; \
	else echo "no docker compose here"; fi

clean: ## what was built
	rm -rf bin build
