#!/usr/bin/env bash
# Deletes a test's folder, and the control groups with its name, at the end of standard input: when the last process
# that could write to that pipe has ended, for whatever reason. For run.sh:
#
#   setsid test/compose/clean.sh FOLDER <PIPE &
set -uo pipefail
trap '' HUP INT TERM

cat >/dev/null
rm -rf "$1"
groups() { find /sys/fs/cgroup -depth -type d -path "*/${1##*/}*" "${@:2}" 2>/dev/null; }
# The kernel takes a moment to empty the groups of ended processes.
for ((tries = 0; tries < 100; tries++)); do
	groups "$1" -exec rmdir {} +
	[[ $(groups "$1") ]] || exit 0
	sleep 0.1
done
echo "compose: control groups are left: $(groups "$1")" >&2
exit 1
