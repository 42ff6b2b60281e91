#!/usr/bin/env bash
# Runs unit tests for 64-bit and 32-bit ARM in an emulator (Debian's qemu-user-static):
#   test/arm.sh [demo] [-run PATTERN] [package …]
# The default is every package, without the tests that need other programs. With "demo" it then runs the demo. Failed
# tests are tried once more and listed (docs/internals/decisions/0014-second-try.md).
# Without the emulator the tests are skipped; with RS_NO_SKIP set, that is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

with_demo= run=()
if [[ ${1:-} == demo ]]; then
	with_demo=yes
	shift
fi
if [[ ${1:-} == -run ]]; then
	run=(-run "$2")
	shift 2
fi
packages=("$@") all=
[[ $# -gt 0 ]] || all=yes packages=($(go list ./... | grep -v /test))

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
suite=$(go tool -modfile=test/tools/go.mod -n gotestsum) # for this machine, not for ARM

# platform ARCHITECTURE EMULATOR
platform() {
	local failed=0
	export GOARCH=$1
	if ! command -v "$2" >/dev/null; then
		echo "*** no $2: linux/$1 is not tested" >&2
		[[ -z ${RS_NO_SKIP:-} ]]
		return
	fi
	# Tests that start themselves again need the emulator's name.
	RS_EMULATOR=$2 "$suite" --format standard-quiet --rerun-fails=1 --rerun-fails-max-failures=3 \
		--rerun-fails-run-root-test --packages "${packages[*]}" -- -short -count=1 -timeout 30m -exec "$2" "${run[@]}" || failed=1
	if [[ $all ]]; then
		go test -C cmd/rs-lerobot -short -count=1 -timeout 30m -exec "$2" "${run[@]}" ./... || failed=1
	fi
	[[ $with_demo ]] || return "$failed"
	go build -o "$out/$1" ./cmd/rs-ros-node || return 1
	local demo=("$2" "$out/$1" -q demo --duration 2s --depth 424x240@6 --color 424x240@6 --infra1 off --infra2 off)
	"${demo[@]}" || { echo "*** the demo failed; once more" >&2; "${demo[@]}"; } || failed=1
	return "$failed"
}

# The Dockerfile's flags, so that test/compose reuses the compiled packages.
export CGO_ENABLED=0 GOARM=7 GOFLAGS="$(go env GOFLAGS) -trimpath"
failed=0
# An emulator hardly uses a second processor, so both run at the same time.
platform arm qemu-arm-static >"$out/log" 2>&1 &
echo "== linux/arm64"
platform arm64 qemu-aarch64-static || failed=1
wait $! || failed=1
echo "== linux/arm"
cat "$out/log"
exit "$failed"
