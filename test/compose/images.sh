#!/usr/bin/env bash
# Makes the images that docker-compose.yml and the Dockerfile name, without a registry: systems of packages that are
# installed on this machine, a Go with the module's dependencies, and the last stage of the Dockerfile.
#
#   DOCKER_HOST=… test/compose/images.sh FOLDER
#
# FOLDER is for scratch and has the program, rs-ros-node. Nothing is downloaded; the modules must have been.
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$1

# files PACKAGE… lists the files of these packages and of those that they need, without documents, and links that were
# made when they were configured. /bin, /lib and /sbin are links to folders of /usr.
files() {
	{
		perl test/compose/closure.pl "$@" | xargs dpkg --listfiles |
			grep --extended-regexp --invert-match '^/usr/(include|share/(doc|locale|man))/' |
			sed --regexp-extended 's,^/(bin|sbin|lib|lib32|lib64|libx32)/,/usr/\1/,'
		find /bin /sbin /lib* -maxdepth 0
		find /usr/bin /usr/sbin /usr/lib/"$(uname -m)"-linux-gnu -maxdepth 1 -type l
		find /etc ! -path '*shadow*' ! -path '/etc/ssh*' ! -path '/etc/ssl/private*' ! -path '/etc/apt*'
	} | perl -lne 'print if -e || -l'
}

# image NAME FOLDER [INSTRUCTION …] makes an image of the files that standard input lists, and of a folder's content,
# which has other names.
image() {
	local name=$1 folder=$2 instruction changes=()
	shift 2
	for instruction; do changes+=(--change "$instruction"); done
	sed -n 's,^/\(.\),\1,p' | sort -u |
		tar --create --no-recursion --directory / --files-from - --recursion --directory "$folder" $(ls "$folder") |
		docker import "${changes[@]}" - "$name" >/dev/null
}

# The official images set ROS's variables here; Debian's ROS needs none.
mkdir -p "$scratch/ros"
printf '#!/bin/sh\nexec "$@"\n' >"$scratch/ros/ros_entrypoint.sh"
chmod 755 "$scratch/ros/ros_entrypoint.sh"
ros='ENTRYPOINT ["/ros_entrypoint.sh"]'
files ros-core rosbash python3-rosbag python3-sensor-msgs python3-std-srvs | image ros:noetic-ros-core "$scratch/ros" "$ros"
files rviz libgl1-mesa-dri | image osrf/ros:noetic-desktop "$scratch/ros" "$ros"

# Go, and the modules as it has downloaded them.
modules=$scratch/golang/modules/cache/download
mkdir -p "$modules"
cp --recursive --preserve=mode,links "$(go env GOROOT)" "$scratch/golang/go"
rm -rf "$scratch"/golang/go/{api,test}
downloads=$(go env GOMODCACHE)/cache/download
{
	(cd "$downloads" && find . -name '*.mod' -o -name '*.info' -o -name '*.ziphash')
	go mod download -json | sed -n 's,^\t"Zip": "'"$downloads"'/\(.*\)".*,\1,p'
} | tar --create --directory "$downloads" --files-from - | tar --extract --directory "$modules"
files | image golang:1.26-bookworm "$scratch/golang" \
	'ENV PATH=/go/bin:/usr/bin GOPATH=/go/path GOTOOLCHAIN=local GOMODCACHE=/modules'
rm -rf "$scratch/golang"

mkdir -p "$scratch/last/out/folders/bags"
mkdir -m 1777 "$scratch/last/out/folders/tmp"
cp "$scratch/rs-ros-node" "$scratch/last/out/"
sed -n '/^FROM scratch$/,$p' Dockerfile | sed 's,--from=build ,,; s, /out/, out/,' >"$scratch/last/Dockerfile"
docker build --quiet --tag rs-ros-node "$scratch/last" >/dev/null
