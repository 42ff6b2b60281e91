#!/usr/bin/env bash
# Runs unit tests for 64-bit and 32-bit ARM in an emulator (Debian's qemu-user-static):
#   test/arm.sh [demo] [-run PATTERN] [package …]
# The default is every package, without the tests that need other programs. With "demo" it then runs the demo. What
# fails is tried once more, and named (docs/decisions/0014-second-try.md).
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
[[ $# -gt 0 ]] || set -- $(go list ./... | grep -v /test)

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
suite=$(go tool -n gotestsum) # for this machine, not for ARM

failed=0
export CGO_ENABLED=0 GOARM=7
for arch in arm64:qemu-aarch64-static arm:qemu-arm-static; do
	emulator=${arch#*:} arch=${arch%:*}
	if ! command -v "$emulator" >/dev/null; then
		echo "*** no $emulator: linux/$arch is not tested" >&2
		[[ -z ${RS_NO_SKIP:-} ]] || failed=1
		continue
	fi
	echo "== linux/$arch"
	# Tests that start themselves again need the emulator's name.
	GOARCH=$arch RS_EMULATOR=$emulator "$suite" --format standard-quiet --rerun-fails=1 --rerun-fails-max-failures=3 \
		--rerun-fails-run-root-test --packages "$*" -- -short -count=1 -timeout 30m -exec "$emulator" "${run[@]}" || failed=1
	[[ $with_demo ]] || continue
	GOARCH=$arch go build -o "$out/rs-ros-node" ./cmd/rs-ros-node || { failed=1; continue; }
	demo=("$emulator" "$out/rs-ros-node" --no-log demo --duration 2s --depth 424x240@6 --color 424x240@6 --infra1 off --infra2 off)
	"${demo[@]}" || { echo "*** the demo failed; once more" >&2; "${demo[@]}"; } || failed=1
done
exit "$failed"
