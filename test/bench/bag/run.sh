#!/bin/bash
# Compares bags with C++ rosbag_storage, in turns: writing, reading, opening,
# seeking, a million tiny messages. Prints what both sides measured.
#
#   test/bench/bag/run.sh [pairs] [folder]
#
# Of test/bench/peers it uses bagwrite and bagread (rosbag::Bag, the same frames)
# and rawlimits (bare writes). 450 pairs of 1280x720 images are 2.1 GB. Bags that are written
# go into the folder (default a temporary one), those that are read into /dev/shm.
set -eu
cd "$(dirname "$0")/../../.."
pairs=${1:-300}
dir=${2:-$(mktemp -d)}
shm=/dev/shm/rs-ros-node-bench-bag
. test/bench/peers.sh
mkdir -p "$dir" "$shm"
trap 'rm -rf "$shm"' EXIT
go test -c -o "$shm/bagstore.test" ./bagstore/rosbag
go test -c -o "$shm/info.test" ./tools/info

# ours FOLDER PATTERN [TIMES [PACKAGE]]: benchmarks of this repository, one pass each.
ours() {
	BENCH_DIR=$1 BENCH_PAIRS=$pairs "$shm/${4:-bagstore}.test" -test.run '^$' -test.bench "$2" -test.benchtime "${3:-1x}" | grep -E '^Benchmark'
}

echo "=== writing [load $(cut -d' ' -f1 /proc/loadavg)]"
bagwrite --out "$dir/cpp.bag" --frames "$pairs" --raw --fsync
ours "$dir" 'WriteImages/none/(lent|direct|buffered)/sync=true'
ours "$dir" 'WriteImages/none/lent/sync=false'
rawlimits "$dir/raw" "$pairs" direct fsync # from pages of 4 KiB
ours "$dir" WriteBare                           # from huge pages
rm -f "$dir/raw"
bagwrite --out "$shm/cpp.bag" --frames "$pairs" --raw --comp lz4
ours "$shm" 'WriteImages/lz4/buffered/sync=false'
bagwrite --out "$shm/cpp.bag" --frames "$pairs" --raw --comp lz4 --depth
ours "$shm" WriteDepth
rm -f "$dir/cpp.bag" "$shm/cpp.bag"

echo "=== reading [load $(cut -d' ' -f1 /proc/loadavg)]"
for comp in none lz4; do
	bagwrite --out "$shm/cpp-$comp.bag" --frames "$pairs" --raw --comp $comp >/dev/null
	bagread --in "$shm/cpp-$comp.bag" --mode write
	ours "$shm" "ReadImages/$comp" 3x
	BENCH_BAG=$shm/cpp-$comp.bag ours "$shm" ReadPeak
	bagread --in "$shm/cpp-$comp.bag" --mode seek
	ours "$shm" "SeekImages/$comp" 100x
	rm -f "$shm/cpp-$comp.bag"
done

echo "=== a million tiny messages [load $(cut -d' ' -f1 /proc/loadavg)]"
bagwrite --out "$shm/cpp-tiny.bag" --tiny 1000000
ours "$shm" 'WriteTiny/none' 3x
bagread --in "$shm/cpp-tiny.bag" --mode write
bagread --in "$shm/cpp-tiny.bag" --mode open
ours "$shm" 'Tiny/(read|open)/none' 100x
ours "$shm" 'Tiny/info/none' 100x info
bagread --in "$shm/cpp-tiny.bag" --mode seek --seeks 1000
ours "$shm" 'Tiny/seek/none' 1000x
