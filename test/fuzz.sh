#!/usr/bin/env bash
# Runs every fuzz target of the module, one after another, for the time or the number
# of inputs given:
#   test/fuzz.sh 20s|20000x [folder …]
# Up to Go 1.26 a time may end in "context deadline exceeded" where nothing was found
# (golang/go#75804), a number doesn't.
# Shrinking what is new is bounded: by default it takes a minute an input, in which
# nothing is tried. What it finds lands in the package's testdata/fuzz and stays there as a test,
# beside the corpus: small inputs, named by what is odd about them or, where a fuzzer found
# that they reach new code, by their hash.
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
	go test -run='^$' -fuzz="^$target\$" -fuzztime="$time" -fuzzminimizetime=200x "$package" </dev/null || failed=1
done <<<"$found"
exit "$failed"
