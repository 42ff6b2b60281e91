#!/usr/bin/env bash
# Makes a Python wheel of the programs for one platform: pip puts them next to Python, and the module rs_ros_node, which reads
# recordings through them, into it. The same input makes the same bytes. It needs zip.
#   RS_VERSION=… SOURCE_DATE_EPOCH=… deploy/wheel.sh TAG FOLDER PROGRAM... -- DOCUMENT...
# TAG names the platform, several with dots between them. Documents that end in .cdx.json are bills of materials, the others
# licenses. The wheel's path is printed.
set -euo pipefail
export LC_ALL=C TZ=UTC
source=$(cd "$(dirname "$0")/.." && pwd)
tag=$1 out=$2
shift 2

version=${RS_VERSION/-dev./.dev0+} # as PEP 440 has it
name=rs_ros_node-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
info=$work/$name.dist-info
mkdir -p "$work/$name.data/scripts" "$info/licenses" "$info/sboms" "$out"

install -m 644 "$source/python/rs_ros_node.py" "$work/"
for (( ; $#; )); do
	[[ $1 != -- ]] || { shift; break; }
	install -m 755 "$1" "$work/$name.data/scripts/"
	shift
done
for document in "$source/LICENSE" "$@"; do
	[[ $document == *.cdx.json ]] && kind=sboms || kind=licenses
	install -m 644 "$document" "$info/$kind/"
done

{
	echo "Metadata-Version: 2.4"
	echo "Name: rs-ros-node"
	echo "Version: $version"
	echo "Summary: RealSense cameras and recordings for ROS 1, ROS 2 and Python, in one program"
	echo "License-Expression: Apache-2.0"
	(cd "$info/licenses" && printf 'License-File: %s\n' *)
	echo "Requires-Python: >=3.8"
	echo "Provides-Extra: numpy"
	echo "Requires-Dist: numpy; extra == 'numpy'"
	echo "Description-Content-Type: text/markdown"
	echo
	cat "$source/python/README.md"
} >"$info/METADATA"
{
	echo "Wheel-Version: 1.0"
	echo "Generator: rs-ros-node $version"
	echo "Root-Is-Purelib: false"
	for platform in ${tag//./ }; do echo "Tag: py3-none-$platform"; done
} >"$info/WHEEL"

cd "$work"
find . -type f | sed 's,^\./,,' | sort >files
{
	grep -vx files files | while read -r file; do
		sum=$(sha256sum "$file" | cut -c1-64 | sed 's/../\\x&/g')
		sum=$(printf '%b' "$sum" | base64 | tr '+/' '-_' | tr -d '=')
		echo "$file,sha256=$sum,$(stat -c %s "$file")"
	done
	echo "$name.dist-info/RECORD,,"
} >record
mv record "$info/RECORD"
find . -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
wheel=$name-py3-none-$tag.whl
rm -f "$wheel"
{ grep -vx files files; echo "$name.dist-info/RECORD"; } | zip -X -9 -q -@ wheel.zip
cd - >/dev/null
mv "$work/wheel.zip" "$out/$wheel"
echo "$out/$wheel"
