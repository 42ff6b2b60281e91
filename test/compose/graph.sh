#!/usr/bin/env bash
# Brings the unmodified docker-compose.yml up and uses it as docs/docker.md describes: topics in another container, a
# screenshot of rviz, recordings that are read outside, a master that is killed, a replay, the page: every profile but
# the USB camera's. Then it builds the Dockerfile for arm64 and runs the demo in that image, in an emulator. For run.sh:
#
#   test/compose/graph.sh FOLDER
#
# FOLDER is for scratch and has the program, rs-ros-node.
set -Eeuo pipefail
cd "$(dirname "$0")/../.."
work=$1
. test/compose/engine.sh

project=$work/rsrosnode # compose names networks and containers after the folder
compose() { (cd "$project" && timeout 300 docker-compose --ansi never "$@"); }

trap 'echo "compose: failed, ${BASH_SOURCE##*/}:$LINENO: $BASH_COMMAND" >&2' ERR
finish() {
	code=$?
	if [[ $code -ne 0 && $code -ne 77 ]]; then
		compose logs --no-color --tail=30 || true
		tail -n 20 "$work/dockerd.log" || true
	fi
}
trap finish EXIT

start_engine
test/compose/images.sh "$work"
ok "the images are made"

# The whole Dockerfile, for another architecture. The kernel needs no emulator.
DOCKER_BUILDKIT=1 docker build --progress plain --platform linux/arm64 --tag rs-ros-node:arm64 . >"$work/arm64.log" 2>&1 &
arm64=$!

# A display for rviz, as `xhost +local:` makes it
Xvfb :0 -nolock -screen 0 1024x768x24 -ac >"$work/xvfb.log" 2>&1 &
await "the display" test -e /tmp/.X11-unix/X0

mkdir -p "$project/bags"
cp -r docker-compose.yml .env launch "$project/"
chown 1000:1000 "$project/bags"
await "up" compose up -d --no-build

# ros runs a command of ROS in another container.
docker run --detach --network rsrosnode_default --name listener --network-alias listener \
	--env ROS_MASTER_URI=http://roscore:11311 --env ROS_HOSTNAME=listener ros:noetic-ros-core sleep infinity >/dev/null
ros() { timeout 150 docker exec listener timeout 120 "$@"; }

# sound TOPIC BAG succeeds if a bag is sound, has the topic, and belongs to the containers' user.
sound() {
	timeout 300 "$work/rs-ros-node" check "$2" >/dev/null
	rosbag info "$2" | grep "$1 "
	[[ $(stat -c %u "$2") == 1000 ]]
}

hears() { ros rostopic echo --noarr -n 1 "$1" | grep "^height: "; }

await "colour in another container" hears /camera/color/image_raw
await "depth in another container" hears /camera/depth/image_rect_raw

# A window with images has many colours, an empty one a few hundred. rviz sometimes crashes when its renderer starts.
picture() {
	[[ $(docker ps --quiet --filter name=rviz) ]] || compose up -d --no-build rviz
	import -display :0 -window root "$work/rviz.png" && (($(identify -format %k "$work/rviz.png") > 3000))
}
await "rviz shows pictures" picture

ros rosservice call /rs_ros_node/start_recording | grep "success: True"
await "frames are recorded" sh -c "find '$project/bags' -name '*.bag' -size +20M | grep -q ."
ros rosservice call /rs_ros_node/stop_recording | grep "success: True"
bag=$(ls "$project"/bags/*.bag)
sound /device_0/sensor_0/Depth_0/image/data "$bag"
ok "the recording is sound outside, and belongs to user 1000"

await "the recorder is up" compose --profile record up -d --no-build record
await "the recorder records" sh -c "find '$project/bags' -name '*.bag.active' -size +5M | grep -q ."
compose --profile record stop record >/dev/null 2>&1
sound /camera/color/image_raw "$(ls "$project"/bags/*.bag | grep --invert-match --fixed-strings "$bag")"
ok "so is the recorder's"

compose kill roscore >/dev/null 2>&1
await "the master is up again" compose up -d --no-build roscore
await "colour after the master was killed" hears /camera/color/image_raw

compose stop node >/dev/null 2>&1
export RS_BAG=${bag##*/}
await "the replay is up" compose --profile replay up -d --no-build
await "depth of the replay" hears /device_0/sensor_0/Depth_0/image/data
await "the clock of the replay" ros rostopic echo -n 1 /clock

await "the page is up" compose --profile view up -d --no-build view
page() {
	local url
	url=$(compose logs --no-color view | grep --only-matching 'http://localhost:8765/?token=[A-Z0-9]*')
	curl --fail --silent --show-error --noproxy '*' --location --cookie-jar "$work/cookies" --output "$work/page" "$url"
	curl --fail --silent --show-error --noproxy '*' --cookie "$work/cookies" http://localhost:8765/api/files | grep --fixed-strings "\"$RS_BAG\""
}
await "the page lists the recordings" page
docker rm --force listener >/dev/null
compose --profile sim --profile replay --profile record --profile view down --timeout 5 >/dev/null 2>&1

wait "$arm64" || { cat "$work/arm64.log" >&2; exit 1; }
[[ $(docker image inspect --format '{{.Os}}/{{.Architecture}} {{.Config.User}}' rs-ros-node:arm64) == "linux/arm64 1000:1000" ]]
ok "the image for arm64 is built"
emulated() {
	timeout 300 docker run --rm --platform linux/arm64 --read-only --tmpfs /tmp --cap-drop ALL --volume "$project/bags:/bags" \
		--volume /usr/bin/qemu-aarch64-static:/emulator:ro --entrypoint /emulator rs-ros-node:arm64 /usr/bin/rs-ros-node "$@"
}
emulated version | grep linux/arm64
emulated demo -o /bags --duration 2s --depth 424x240@6 --color 424x240@6 --infra1 off --infra2 off 2>"$work/out" ||
	{ cat "$work/out" >&2; exit 1; }
sound /device_0/sensor_0/Depth_0/image/data "$project/bags/demo.bag"
ok "the demo in it, as user 1000"
