#!/usr/bin/env bash
# LeRobot 0.6.1 as the judge of rs-lerobot's data sets. Its packages come from PyPI, into build/lerobot: 5 GB. It needs
# Python 3.12 or later: RS_PYTHON names one.
#
#   test/lerobot/run.sh [flags of pytest, such as -k png]
#
# Exit code: 0 passed, 1 failed, 77 the packages or Python can't be had.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$PWD/build/lerobot venv=$PWD/build/lerobot/venv wanted=$PWD/test/lerobot/requirements.txt
mkdir -p "$work"

# python prints the first Python that is new enough.
python() {
	local one
	for one in ${RS_PYTHON:-} python3.12 python3 "$HOME"/.pyenv/versions/3.12*/bin/python3; do
		"$one" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo "$one" && return
	done
	echo "no Python 3.12: RS_PYTHON names one" >&2
	return 1
}

# install makes a virtual environment, unless it is there.
install() {
	local base
	cmp -s "$wanted" "$venv/installed.txt" && return
	base=$(python) || return
	rm -rf "$venv"
	"$base" -m venv "$venv" &&
		"$venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir --no-compile -r "$wanted" &&
		cp "$wanted" "$venv/installed.txt"
}

if ! install; then
	echo "*** THE PACKAGES OF test/lerobot/requirements.txt CAN'T BE INSTALLED: LEROBOT IS NOT TRIED" >&2
	exit 77
fi
CGO_ENABLED=0 go build -C cmd/rs-lerobot -o "$work" .

export RS_LEROBOT=$work/rs-lerobot PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1 HF_HOME=$work/home
failed=
timeout --kill-after=10 10m "$venv/bin/python" -m pytest -q -p no:cacheprovider --basetemp="$work/tmp" test/lerobot "$@" || failed=yes
rm -rf "$work/tmp" "$HF_HOME"
[[ -z $failed ]]
