#!/usr/bin/env bash
# Runs a command with processes and mounts of its own (Linux namespaces), at most for a time. Whatever it starts or
# mounts ends with it, also if it, or this script, is killed.
#
#   test/confined.sh 15m COMMAND…
#
# Exit code: the command's; 137 if the time is over; 77 if this machine doesn't allow it.
set -euo pipefail

limit=$1
shift
confine=(unshare --mount --pid --fork --mount-proc --kill-child)

if ! why=$("${confine[@]}" true 2>&1); then
	echo "*** THIS MACHINE ALLOWS NO NAMESPACES: $why" >&2
	exit 77
fi

# The shell is the namespace's first process, and so takes what is left of processes whose parent has ended.
setpriv --pdeathsig KILL timeout --signal KILL "$limit" \
	setpriv --pdeathsig KILL "${confine[@]}" bash -c '"$@"; exit' bash "$@" &
wait $!
