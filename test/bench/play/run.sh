#!/bin/bash
# Compares replay with the stock player, in turns: the same bags, one roscpp
# subscriber, its own master. Prints what player and subscriber measured.
#
#   test/bench/play/run.sh [rounds] [frames] [case…]
#
# Of test/bench/peers it uses bagwrite (image bags) and sub (the subscriber that
# measures); the player is the installed one.
# 900 frames are 30 s at 30 Hz, 4.15 GB. The bags are in /dev/shm, away from the disk.
# Cases: rate1 rate4 lz4 immediate lz4immediate (default: all).
set -u
cd "$(dirname "$0")/../../.."
rounds=${1:-2}; frames=${2:-300}; shift $(($# < 2 ? $# : 2))
cases=${*:-rate1 rate4 lz4 immediate lz4immediate}
data=/dev/shm/rs-ros-node-bench
. test/bench/peers.sh
export ROS_MASTER_URI=http://127.0.0.1:11421 ROS_IP=127.0.0.1
mkdir -p "$data"
go build -o "$data/rs-ros-node" ./cmd/rs-ros-node || exit 1
bagwrite --out "$data/none.bag" --frames "$frames" --imu 400
bagwrite --out "$data/lz4.bag" --frames "$frames" --imu 400 --comp lz4
rosmaster --core -p 11421 >/dev/null 2>&1 &
master=$!
trap 'kill $master; rm -rf "$data"' EXIT
sleep 2

# one CASE RATE PLAYER… : the player's CPU and memory, then the subscriber's table.
one() {
	local name=$1 rate=$2
	shift 2
	echo "=== $name [load $(cut -d' ' -f1 /proc/loadavg)]"
	sub /camera/depth/image_raw /camera/color/image_raw /camera/imu _rate:="$rate" _idle:=3 &
	local subscriber=$!
	sleep 1
	/usr/bin/time -f "player: %e s, user %U s, system %S s, %M kB" \
		timeout 170 "$@" --wait-for-subscribers </dev/null 2>&1 | grep -E "player:|FATAL|ERR|damage|worst"
	wait $subscriber
}

stock=/usr/lib/rosbag/play
ours="$data/rs-ros-node play"
for round in $(seq "$rounds"); do
	for c in $cases; do
		case $c in
		rate1) args="$data/none.bag --clock" rate=1 ;;
		rate4) args="$data/none.bag -r 4" rate=4 ;;
		lz4) args="$data/lz4.bag --clock" rate=1 ;;
		immediate) args="$data/none.bag -i" rate=1e9 ;;
		lz4immediate) args="$data/lz4.bag -i" rate=1e9 ;;
		*) echo "no case $c" >&2; exit 2 ;;
		esac
		# shellcheck disable=SC2086 # words on purpose
		one "$c, stock, round $round" "$rate" $stock $args
		# shellcheck disable=SC2086
		one "$c, ours, round $round" "$rate" $ours $args
	done
done
