#!/usr/bin/env bash
# Runs unit tests for 64-bit and 32-bit ARM in an emulator (Debian's qemu-user-static):
#   test/arm.sh [-run PATTERN] [package …]
# The default is every package, without the tests that need other programs. Without the
# emulator the tests are skipped; with RS_NO_SKIP set, that is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

run=()
if [[ ${1:-} == -run ]]; then
	run=(-run "$2")
	shift 2
fi
[[ $# -gt 0 ]] || set -- $(go list ./... | grep -v /test)

failed=0
export CGO_ENABLED=0 GOARM=7
for arch in arm64:qemu-aarch64-static arm:qemu-arm-static; do
	emulator=${arch#*:}
	if ! command -v "$emulator" >/dev/null; then
		echo "*** no $emulator: linux/${arch%:*} is not tested" >&2
		[[ -z ${RS_NO_SKIP:-} ]] || failed=1
		continue
	fi
	echo "== linux/${arch%:*}"
	# Tests that start themselves again need the emulator's name.
	GOARCH=${arch%:*} RS_EMULATOR=$emulator go test -short -count=1 -timeout 30m -exec "$emulator" "${run[@]}" "$@" || failed=1
done
exit "$failed"
