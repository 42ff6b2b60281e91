#!/bin/bash
# Compares recording with the stock recorder, in turns: depth and colour of 1280x720 and an
# IMU from one roscpp publisher, to the disk. Prints CPU, memory and what is in the bag.
#
#   test/bench/record/topics.sh [seconds] [images a second] [folder]
#
# Of test/bench/peers it uses pub, which publishes at a pace. The bags are deleted.
set -u
cd "$(dirname "$0")/../../.."
seconds=${1:-8}; fps=${2:-90}; folder=${3:-/var/tmp}/rs-ros-node-bench
. test/bench/peers.sh
export ROS_MASTER_URI=http://127.0.0.1:11422 ROS_IP=127.0.0.1
mkdir -p "$folder"
go build -o "$folder/rs-ros-node" ./cmd/rs-ros-node || exit 1
rosmaster --core -p 11422 >/dev/null 2>&1 &
master=$!
trap 'kill $master; rm -rf "$folder"' EXIT
sleep 2

# one NAME RECORDER… : records while the publisher runs.
one() {
	local name=$1
	shift
	echo "=== $name [load $(cut -d' ' -f1 /proc/loadavg)]"
	rm -f "$folder"/rec.bag*
	/usr/bin/time -o "$folder/time" -f "recorder: user %U s, system %S s, %M kB" "$@" -a -O "$folder/rec.bag" >"$folder/log" 2>&1 &
	local timed=$!
	sleep 2
	pub _fps:="$fps" _secs:="$seconds" _imu:=200 _queue:=10
	sleep 1
	kill -INT "$(pgrep -P $timed)"
	wait $timed
	cat "$folder/time"
	grep -oE 'dropped=[0-9]+|missing=[0-9]+' "$folder/log" | sort -u | tr '\n' ' '
	[ ! -e "$folder/rec.bag" ] || "$folder/rs-ros-node" info -y "$folder/rec.bag" | grep -E '^size|topic:|messages:' | tr '\n' ' '
	echo
	rm -f "$folder"/rec.bag*
}

stock=/usr/lib/rosbag/record
one "stock" $stock
one "ours" "$folder/rs-ros-node" record
one "ours, black box" "$folder/rs-ros-node" record --ring 60s
one "ours, buffered" "$folder/rs-ros-node" record --buffered
one "stock, LZ4" $stock --lz4
one "ours, LZ4" "$folder/rs-ros-node" record --lz4
