#!/bin/bash
# Compares black boxes: plain record, record --ring, the stock recorder and, if they are on
# PATH or in BENCH_PEERS, rosbag_snapshot's snapshot and rosbag_fancy. Depth and colour of
# 1280x720 and an IMU come from one roscpp publisher. First CPU time and memory in turns,
# without triggers; then what two triggers 0.3 s apart keep, and what a kill leaves.
#
#   test/bench/record/ring.sh [turns] [seconds] [images a second] [folder]
#
# The bags are deleted.
set -u
cd "$(dirname "$0")/../../.."
turns=${1:-5}; seconds=${2:-12}; fps=${3:-30}; folder=${4:-/var/tmp}/rs-ros-node-ring
. test/bench/peers.sh
export ROS_MASTER_URI=http://127.0.0.1:11432 ROS_IP=127.0.0.1
mkdir -p "$folder"
go build -pgo=auto -o "$folder/rs-ros-node" ./cmd/rs-ros-node || exit 1
ours=$folder/rs-ros-node
topics=$(grep -oE '"/[^"]+"' test/bench/peers/common.h | tr -d '"')
rosmaster --core -p 11432 >/dev/null 2>&1 &
master=$!
trap 'kill $master; rm -rf "$folder"' EXIT
sleep 2

# start RECORDER… : starts a recorder in the folder; $timed and $recorder are its processes.
start() {
	rm -rf "$folder"/rec
	mkdir "$folder/rec"
	(cd "$folder/rec" && exec /usr/bin/time -o "$folder/time" -f "user %U s, system %S s, %M kB" "$@" $topics) >"$folder/log" 2>&1 &
	timed=$!
	sleep 2
	recorder=$(pgrep -P $timed)
}

# images PATTERN : prints how many images are in bags in the folder.
images() {
	local n=0 bags=0 bag
	for bag in $(cd "$folder" && compgen -G "$1"); do
		n=$((n + $("$ours" info -y "$folder/$bag" | awk '/topic:/ {t = $3} /messages:/ && t ~ /image/ {n += $2} END {print n + 0}')))
		bags=$((bags + 1))
	done
	echo "$n images in $bags bags"
}

# once NAME RECORDER… : records while the publisher runs.
once() {
	local name=$1
	shift
	start "$@"
	local sent
	sent=$(pub _fps:="$fps" _secs:="$seconds" _imu:=200 _queue:=10 | grep -oE 'images=[0-9]+')
	sleep 1
	kill -INT "$recorder"
	wait $timed
	echo "$name: $(tail -1 "$folder/time"); sent twice $sent, $(images "rec/*.bag") [load $(cut -d' ' -f1 /proc/loadavg)]"
}

# triggered NAME TRIGGER RECORDER… : triggers it twice in the middle, and kills it at the end.
triggered() {
	local name=$1 trigger=$2
	shift 2
	start "$@"
	pub _fps:="$fps" _secs:="$seconds" _imu:=200 _queue:=10 >"$folder/pub" &
	local pub=$!
	sleep "$((seconds / 2))"
	$trigger 1 &
	sleep 0.3
	$trigger 2
	wait $pub
	kill -KILL "$recorder"
	wait $timed 2>/dev/null
	echo "$name: sent twice $(grep -oE 'images=[0-9]+' "$folder/pub"), kept $(images "rec/*.bag"), left by the kill $(images "rec/*.ring/*")"
}

ours_trigger() { echo "  trigger $1: $(rosservice call /box/trigger 2>&1 | tr '\n' ' ')"; }
snapshot_trigger() { echo "  trigger $1: $(snapshot -t -O "$folder/rec/snap$1.bag" 2>&1 | tr '\n' ' ')"; }

for turn in $(seq "$turns"); do
	echo "=== turn $turn"
	once "record" "$ours" record -O rec.bag
	once "record --ring 60s" "$ours" record -O rec.bag --ring 60s
	once "record --ring 10s" "$ours" record -O rec.bag --ring 10s
	once "rosbag record" /usr/lib/rosbag/record -O rec.bag
	command -v snapshot >/dev/null && once "rosbag_snapshot" snapshot -d 10 -s 1500
	command -v rosbag_fancy >/dev/null && once "rosbag_fancy" rosbag_fancy record -o rec.bag
done
echo "=== two triggers 0.3 s apart, then kill -9"
triggered "record --ring 4s" ours_trigger "$ours" record -O rec.bag --ring 4s --ring-after 2s __name:=box
command -v snapshot >/dev/null && triggered "rosbag_snapshot" snapshot_trigger snapshot -d 4
exit 0
