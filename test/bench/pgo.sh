#!/usr/bin/env bash
# Makes a profile for the compiler from the benchmarks of what cameras, recorders and players do most, and shows what it gains:
#   test/bench/pgo.sh make FILE
#   test/bench/pgo.sh compare FILE
# compare runs whole commands, built without and with the profile, in turns, and prints medians of their time in user mode.
#   BENCHTIME  of each benchmark that make runs (1s)
#   PKG        their packages; the default is below
#   COUNT      how often compare runs both (7)
set -euo pipefail
cd "$(dirname "$0")/../.."

what=${1:?make or compare}
profile=$(realpath -m "${2:?the file of the profile}")
read -ra packages <<<"${PKG:-./bagstore/rosbag ./bagstore/internal/lz4 ./bagstore/realsense/rsbag ./camdriver/process ./msgs/cloud \
	./msgs/imagetransport ./msgs/jpeg ./record ./replay}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# profiled PACKAGE: its profile, from its own folder, where its data are
profiled() {
	local name=${1//[.\/]/_}
	go test -c -pgo=off -o "$work/$name" "$1"
	(cd "$1" && "$work/$name" -test.run '^$' -test.bench . -test.benchtime "${BENCHTIME:-1s}" -test.timeout 60m \
		-test.cpuprofile "$work/$name.prof")
}

# user BUILD ARGUMENT…: seconds in user mode
user() {
	rm -rf "$work/out" && mkdir "$work/out"
	(
		TIMEFORMAT=%U
		time "$work/$1" -q "${@:2}" >"$work/log" 2>&1
	) 2>&1 || { cat "$work/log" >&2; return 1; }
}

# median FILE: of its numbers
median() { sort -g "$1" | awk '{ n[NR] = $1 } END { print n[int((NR + 1) / 2)] }'; }

# turns NAME ARGUMENT…: a line of the table
turns() {
	local build name=$1
	shift
	rm -f "$work"/{off,on}.times
	for _ in $(seq "${COUNT:-7}"); do
		for build in off on; do
			user "$build" "$@" >>"$work/$build.times"
		done
	done
	echo "$name $(median "$work/off.times") $(median "$work/on.times")" |
		awk '{ printf "%-12s %8.3f %8.3f %8.3f\n", $1, $2, $3, $3 / $2 }'
}

case $what in
make)
	for package in "${packages[@]}"; do
		profiled "$package"
	done
	go tool pprof -proto -output "$profile" "$work"/*.prof
	ls -l "$profile"
	;;
compare)
	CGO_ENABLED=0 go build -pgo=off -o "$work/off" ./cmd/rs-ros-node
	CGO_ENABLED=0 go build "-pgo=$profile" -o "$work/on" ./cmd/rs-ros-node
	"$work/off" -q demo --duration 3s -o "$work/in" >/dev/null
	in=$work/in/demo.bag
	printf '%-12s %8s %8s %8s\n' command without with ratio
	turns demo demo --duration 3s
	turns process process "$in" -o "$work/out/x.bag" --filters disparity_start,spatial,temporal,disparity_end,hole_filling,align_to_color,colorizer
	turns export export "$in" -o "$work/out/x" --align-depth --end 0.5
	turns lz4 compress --lz4 -o "$work/out/" "$in"
	turns mcap convert "$in" -o "$work/out/x.mcap"
	;;
*)
	echo "make or compare, not $what" >&2
	exit 2
	;;
esac
