#!/usr/bin/env bash
# Runs every fuzz target of the module, one after another, for a time or a number of
# inputs:
#   test/fuzz.sh 20s|20000x [folder …]
# Up to Go 1.26, a run with a time may fail with "context deadline exceeded" although
# nothing was found (golang/go#75804); a run with a number doesn't.
# Minimizing a new input is bounded: by default it takes a minute, in which nothing else
# is tried. Inputs that fail are written to the package's testdata/fuzz and stay there
# as tests. The tag checked adds bounds checks to code that has none. The corpus is there,
# too: small inputs, named after their oddity or, if a fuzzer found that they reach new
# code, by their hash.
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:?time or inputs for each target, such as 20s or 20000x}
shift
[[ $# -gt 0 ]] || set -- .

found=$(grep -rHoE '^func Fuzz[A-Za-z0-9_]*' --include='*_test.go' "$@" | sort -u)
failed=0
while IFS=: read -r file declaration; do
	package=./$(dirname "${file#./}")
	target=${declaration#func }
	echo "== $package $target"
	go test -C "$package" -tags checked -run='^$' -fuzz="^$target\$" -fuzztime="$time" -fuzzminimizetime=200x . </dev/null || failed=1
done <<<"$found"
exit "$failed"
