#!/usr/bin/env bash
# Vets every package for every platform, tests included, and builds the program:
#   test/cross.sh [tests] [platform …]
# With "tests" it also links every package's test program. All platforms are tried, and
# the script fails if one of them fails.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=
if [[ ${1:-} == tests ]]; then
	tests=yes
	shift
fi
[[ $# -gt 0 ]] || set -- linux/amd64 linux/386 linux/arm64 linux/arm/6 linux/arm/7 linux/riscv64 \
	darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 freebsd/amd64

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

failed=0
export CGO_ENABLED=0
# Nothing of this is run, so optimizing would only double the time.
quick='-gcflags=all=-N -l'
for platform in "$@"; do
	echo "== $platform"
	IFS=/ read -r GOOS GOARCH GOARM <<<"$platform"
	export GOOS GOARCH GOARM
	go build "$quick" -o "$out/program" ./cmd/rs-ros-node || failed=1
	for module in . cmd/rs-lerobot; do
		go vet -C "$module" "$quick" ./... || failed=1
		[[ ! $tests ]] || go test -C "$module" "$quick" -ldflags='-s -w' -c -o /dev/null ./... || failed=1
	done
done
exit "$failed"
