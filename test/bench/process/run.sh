#!/usr/bin/env bash
# Measures processing: ms a frame of each block, with assembly and without, and the
# whole node: depth and colour of 1280x720 at 30 from the simulated camera, recorded and
# published, with aligned depth and coloured points for one subscriber each. The last
# lines are what arrived, and the node's processor time with and without processing.
#
#   [RS_SDK=prefix] test/bench/process/run.sh [SECONDS] [PATTERN]     TMPDIR chooses the disk
#
# RS_SDK is the prefix under which librealsense is installed; with it, librealsense's
# blocks run on frames of the same camera (test/bench/peers).
set -euo pipefail
cd "$(dirname "$0")/../../.."
seconds=${1:-20}
for simd in on off; do
	echo "assembly $simd"
	GODEBUG=cpu.avx2=$simd go test -run '^$' -bench "Blocks/1280x720/${2:-.}" -benchtime 30x -count 3 ./camdriver/process
done
go test -run '^$' -bench 'Encode|Compress' ./msgs/jpeg ./msgs/imagetransport

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder" ./cmd/rs-ros-node
go test -c -o "$folder/pub" ./test/bench/pub
if [ -n "${RS_SDK:-}" ]; then
	make -s -C test/bench/peers OUT="$folder" "$folder/rs_process"
	"$folder/rs-ros-node" live -q --master embedded --device sim --depth 1280x720@30 --color 1280x720@30 \
		--gyro off --accel off --record "$folder/peer.bag" --duration 3s
	"$folder/rs_process" "$folder/peer.bag" --bench
	rm "$folder/peer.bag"
fi
export ROS_MASTER_URI=http://127.0.0.1:11799 ROS_IP=127.0.0.1
# node NAME TOPIC… -- FLAG…: runs the node and a subscriber for each topic.
node() {
	local name=$1 topics=()
	shift
	while [ "$1" != -- ]; do topics+=("$1") && shift; done
	shift
	TIMEFORMAT="$name: %U s user, %S s system in $seconds s"
	time "$folder/rs-ros-node" live --master embedded --naming wrapper --device sim --depth 1280x720@30 --color 1280x720@30 \
		--infra1 off --infra2 off --gyro off --accel off --record "$folder/$name.bag" --duration "${seconds}s" "$@" \
		2> >(grep -E 'dropped|processed|WRN|ERR' >&2) &
	local running=($!)
	for topic in "${topics[@]}"; do
		"$folder/pub" peer -receive -topic "/camera/$topic" &
		running+=($!)
	done
	wait "${running[@]}"
}
node plain depth/image_rect_raw color/image_raw --
node processed depth/color/points aligned_depth_to_color/image_raw color/image_raw -- --align-depth --pointcloud
