#!/usr/bin/env bash
# Brings the unmodified docker-compose.yml up with a Docker engine of its own, and uses it as the README says: topics
# in another container, a picture of rviz, recordings that are read outside, a master that is killed, a replay, the
# page: every profile but that of a USB camera.
#
#   test/compose/run.sh
#
# Exit code: 0 passed, 1 failed, 77 something needed is missing. It needs root, a few gigabytes of disk and, the first
# time, some minutes to install the images' systems.
set -euo pipefail
cd "$(dirname "$0")/../.."

for program in dockerd docker docker-compose debootstrap Xvfb import identify curl; do
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
	compose --profile sim --profile replay --profile record --profile view down --volumes --timeout 5 >/dev/null 2>&1 || true
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
cp -r docker-compose.yml .env launch "$project/"
chown 1000:1000 "$project/bags"
compose up -d --no-build 2>"$work/up.log" || { cat "$work/up.log" >&2; exit 1; }
echo "ok: up"

# ros runs a command of ROS in another container.
ros() {
	docker run --rm --network rsrosnode_default --name listener --network-alias listener \
		-e ROS_MASTER_URI=http://roscore:11311 -e ROS_HOSTNAME=listener ros:noetic-ros-core timeout 30 "$@"
}

# sound TOPIC BAG succeeds if a bag is whole, has the topic, and belongs to the containers' user.
sound() {
	go run ./cmd/rs-ros-node check "$2" >/dev/null
	rosbag info "$2" | grep "$1 "
	[[ $(stat -c %u "$2") == 1000 ]]
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
sound /device_0/sensor_0/Depth_0/image/data "$bag"
echo "ok: the recording is sound outside, and belongs to user 1000"

compose --profile record up -d --no-build record >/dev/null 2>&1
await "the recorder records" sh -c "find '$project/bags' -name '*.bag.active' -size +5M | grep -q ."
compose --profile record stop record >/dev/null 2>&1
sound /camera/color/image_raw "$(ls "$project"/bags/*.bag | grep --invert-match --fixed-strings "$bag")"
echo "ok: so is the recorder's"

compose kill roscore >/dev/null 2>&1
compose up -d --no-build roscore >/dev/null 2>&1
await "colour after the master was killed" hears /camera/color/image_raw

compose stop node >/dev/null 2>&1
export RS_BAG=${bag##*/}
compose --profile replay up -d --no-build >/dev/null 2>&1
await "depth of the replay" hears /device_0/sensor_0/Depth_0/image/data
await "the clock of the replay" ros rostopic echo -n 1 /clock

compose --profile view up -d --no-build view >/dev/null 2>&1
page() {
	local url
	url=$(compose logs --no-color view | grep --only-matching 'http://localhost:8090/?token=[A-Z0-9]*')
	curl --fail --silent --show-error --noproxy '*' --location --cookie-jar "$work/cookies" --output "$work/page" "$url"
	curl --fail --silent --show-error --noproxy '*' --cookie "$work/cookies" http://localhost:8090/api/files | grep --fixed-strings "\"$RS_BAG\""
}
await "the page lists the recordings" page
echo "compose: passed"
