#!/usr/bin/env bash
# Makes a profile for the compiler from the benchmarks of what cameras, recorders and players do most:
#   test/bench/pgo.sh make FILE
#   test/bench/pgo.sh compare FILE
# compare runs the same benchmarks, built without and with the profile, in turns, and prints the medians (ns, or CPU ms). The build uses
# a profile that is cmd/rs-ros-node/default.pgo; it is worth its place if most lines gain, on a machine at rest.
#   BENCHTIME  of each benchmark (1s)
#   COUNT      how often compare runs both (5)
#   PKG        the packages; the default is below
set -euo pipefail
cd "$(dirname "$0")/../.."

what=${1:?make or compare}
profile=$(realpath -m "${2:?the file of the profile}")
read -ra packages <<<"${PKG:-./bagstore ./bagstore/internal/lz4 ./bagstore/rsbag ./camdriver/process ./msgs/cloud \
	./msgs/imagetransport ./msgs/jpeg ./node/record ./node/replay}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# name PACKAGE: what its files are called
name() { tr / _ <<<"${1#./}"; }

# build FOLDER FLAG: the test programs of all packages
build() {
	local package
	for package in "${packages[@]}"; do
		go test -c "$2" -o "$work/$1/$(name "$package")" "$package"
	done
}

# run FOLDER PACKAGE ARGUMENT…: its benchmarks, in its own folder, where its data are
run() {
	local program
	program=$work/$1/$(name "$2")
	(cd "$2" && shift 2 && "$program" -test.run '^$' -test.bench . -test.benchtime "${BENCHTIME:-1s}" -test.timeout 60m "$@")
}

case $what in
make)
	build off -pgo=off
	for package in "${packages[@]}"; do
		run off "$package" -test.cpuprofile "$work/$(name "$package").prof"
	done
	mkdir -p "$(dirname "$profile")"
	go tool pprof -proto -output "$profile" "$work"/*.prof
	ls -l "$profile"
	;;
compare)
	build off -pgo=off
	build on "-pgo=$profile"
	for _ in $(seq "${COUNT:-5}"); do
		for package in "${packages[@]}"; do
			for build in off on; do
				run "$build" "$package" | awk -v build="$build" -v package="$package" \
					'/^Benchmark/ { for (i = 2; i < NF; i++) if ($(i + 1) == "ns/op" || $(i + 1) == "cpu-ms/frame") { print package, $1, build, $i; next } }' >>"$work/times"
			done
		done
	done
	sort -k1,3 -k4,4g "$work/times" | awk '
		{ name = $1 " " $2; n[name, $3]++; times[name, $3, n[name, $3]] = $4; if (!seen[name]++) order[++names] = name }
		function median(name, build) { return times[name, build, int((n[name, build] + 1) / 2)] }
		END {
			printf "%-70s %14s %14s %7s\n", "benchmark", "without", "with", "ratio"
			for (i = 1; i <= names; i++) {
				a = median(order[i], "off"); b = median(order[i], "on")
				printf "%-70s %14.5g %14.5g %7.3f\n", order[i], a, b, b / a
				logs += log(b / a)
			}
			printf "%-70s %14s %14s %7.3f\n", "geometric mean", "", "", exp(logs / names)
		}'
	;;
*)
	echo "make or compare, not $what" >&2
	exit 2
	;;
esac
