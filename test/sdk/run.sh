#!/usr/bin/env bash
# The programs that users of recordings have, as judges: librealsense's Python package in its newest version and in 2.56,
# rosbags, mcap, Rerun, evo, pandas and DuckDB. Their packages come from PyPI, into build/sdk; recordings are made by the program.
#
#   test/sdk/run.sh [flags of pytest, such as -k seek]
#
# Exit code: 0 passed, 1 failed, 77 the packages can't be had.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$PWD/build/sdk
mkdir -p "$work"

# install NAME REQUIREMENTS makes a virtual environment, unless it is there.
install() {
	local venv=$work/$1 wanted=$PWD/test/sdk/$2
	cmp -s "$wanted" "$venv/installed.txt" && return
	rm -rf "$venv"
	/usr/bin/python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check --no-compile -r "$wanted" && cp "$wanted" "$venv/installed.txt"
}

install newest requirements-newest.txt & newest=$!
install 2.56 requirements-2.56.txt & old=$!
CGO_ENABLED=0 go build -o "$work/rs-ros-node" ./cmd/rs-ros-node
failed=
wait $newest || failed=yes
wait $old || failed=yes
if [[ -n $failed ]]; then
	echo "*** THE PACKAGES OF test/sdk/requirements-*.txt CAN'T BE INSTALLED FROM PYPI: THE USERS' OWN PROGRAMS ARE NOT TRIED" >&2
	exit 77
fi

export RS_PROGRAM=$work/rs-ros-node RS_RECORDINGS=$work/recordings PYTHONDONTWRITEBYTECODE=1
export MPLCONFIGDIR=$work/matplotlib # evo imports it
rm -rf "$RS_RECORDINGS"
/usr/bin/python3 test/sdk/recordings.py "$RS_RECORDINGS"

# judge NAME runs the tests that an environment has the packages for. A playback that hangs is ended.
judge() {
	local name=$1 tests=(test/sdk/test_play.py test/sdk/test_process.py test/sdk/test_record.py test/sdk/test_breaks.py)
	shift
	[[ $name == 2.56 ]] || tests=(test/sdk)
	timeout --kill-after=10 15m "$work/$name/bin/python" -m pytest -q --basetemp="$work/tmp-$name" "${tests[@]}" "$@" || [[ $? -eq 5 ]] # 5: -k selects none
}

judge 2.56 "$@" >"$work/2.56.log" 2>&1 & old=$!
judge newest "$@" || failed=yes
wait $old || failed=yes
cat "$work/2.56.log"
rm -rf "$work"/tmp-* "$RS_RECORDINGS"
[[ -z $failed ]]
