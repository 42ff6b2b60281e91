#!/usr/bin/env bash
# Brings the unmodified docker-compose.yml up with a Docker engine of its own, and uses it as the README says: topics
# in another container, a picture of rviz, a recording that is read outside, a master that is killed, a replay.
#
#   test/compose/run.sh
#
# Exit code: 0 passed, 1 failed, 77 something needed is missing. It needs root, a few gigabytes of disk and, the first
# time, some minutes to install the images' systems.
set -euo pipefail
cd "$(dirname "$0")/../.."

for program in dockerd docker docker-compose debootstrap Xvfb import identify; do
	command -v "$program" >/dev/null || { echo "compose: no $program" >&2; exit 77; }
done
[[ $(id -u) -eq 0 ]] || { echo "compose: a Docker engine needs root" >&2; exit 77; }

work=$(mktemp -d)
project=$work/rsrosnode # compose names networks and containers after the folder
pids=()
finish() {
	code=$?
	trap - EXIT
	if [[ $code -ne 0 ]]; then
		compose logs --no-color --tail=30 || true
		tail -n 20 "$work/dockerd.log" || true
	fi
	compose down --volumes --timeout 5 >/dev/null 2>&1 || true
	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	umount "$work"/exec/netns/* 2>/dev/null || true
	rm -rf "$work"
	exit "$code"
}
trap finish EXIT

compose() { (cd "$project" && docker-compose --no-ansi "$@"); }

# await WHAT COMMAND… repeats a command until it succeeds.
await() {
	local what=$1 end=$((SECONDS + 180))
	shift
	until "$@" >"$work/out" 2>&1; do
		if ((SECONDS > end)); then
			echo "compose: waited in vain: $what" >&2
			cat "$work/out" >&2
			return 1
		fi
		sleep 0.5
	done
	echo "ok: $what"
}

# The engine
export DOCKER_HOST=unix://$work/docker.sock
dockerd --storage-driver=vfs --data-root "$work/data" --exec-root "$work/exec" --pidfile "$work/dockerd.pid" \
	--host "$DOCKER_HOST" >"$work/dockerd.log" 2>&1 &
pids+=($!)
await "the engine runs" docker info
test/compose/images.sh
echo "ok: the images are made"

# A display for rviz, as `xhost +local:` makes it
for display in {70..99}; do
	[[ -e /tmp/.X11-unix/X$display ]] || break
done
export DISPLAY=:$display
Xvfb "$DISPLAY" -screen 0 1024x768x24 -ac >"$work/xvfb.log" 2>&1 &
pids+=($!)
await "the display" test -e "/tmp/.X11-unix/X$display"

mkdir -p "$project/bags"
cp -r docker-compose.yml launch "$project/"
chown 1000:1000 "$project/bags"
compose up -d --no-build 2>"$work/up.log" || { cat "$work/up.log" >&2; exit 1; }
echo "ok: up"

# ros runs a command of ROS in another container.
ros() {
	docker run --rm --network rsrosnode_default --name listener --network-alias listener \
		-e ROS_MASTER_URI=http://roscore:11311 -e ROS_HOSTNAME=listener ros:noetic-ros-core timeout 30 "$@"
}
hears() { ros rostopic echo --noarr -n 1 "$1" | grep "^height: "; }

await "colour in another container" hears /camera/color/image_raw
await "depth in another container" hears /camera/depth/image_rect_raw

# A window with pictures has many colours; an empty one has a few hundred.
picture() { import -window root "$work/rviz.png" && (($(identify -format %k "$work/rviz.png") > 3000)); }
await "rviz shows pictures" picture
mkdir -p build && cp "$work/rviz.png" build/compose.png

ros rosservice call /rs_ros_node/start_recording | grep "success: True"
await "frames are recorded" sh -c "find '$project/bags' -name '*.bag' -size +20M | grep -q ."
ros rosservice call /rs_ros_node/stop_recording | grep "success: True"
bag=$(ls "$project"/bags/*.bag)
go run ./cmd/rs-ros-node check "$bag" >/dev/null
rosbag info "$bag" | grep "/device_0/sensor_0/Depth_0/image/data"
[[ $(stat -c %u "$bag") == 1000 ]]
echo "ok: the recording is sound outside, and belongs to user 1000"

compose kill roscore >/dev/null 2>&1
compose up -d --no-build roscore >/dev/null 2>&1
await "colour after the master was killed" hears /camera/color/image_raw

compose stop node >/dev/null 2>&1
(cd "$project" && exec docker-compose --no-ansi run --rm -T --use-aliases node play --clock --loop "/bags/$(basename "$bag")") >"$work/play.log" 2>&1 </dev/null &
await "depth of the replay" hears /device_0/sensor_0/Depth_0/image/data
await "the clock of the replay" ros rostopic echo -n 1 /clock
echo "compose: passed"
