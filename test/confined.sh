#!/usr/bin/env bash
# Runs a command in process and mount namespaces of its own, with a time limit. All its processes and mounts end with
# it, even if it or this script is killed.
#
#   test/confined.sh 15m COMMAND…
#
# Exit code: the command's; 137 after the time limit; 77 if this machine doesn't allow namespaces.
set -euo pipefail

limit=$1
shift
confine=(unshare --mount --pid --fork --mount-proc --kill-child)

if ! why=$("${confine[@]}" true 2>&1); then
	echo "*** THIS MACHINE ALLOWS NO NAMESPACES: $why" >&2
	exit 77
fi

# The shell is the namespace's first process, so it reaps orphaned processes.
setpriv --pdeathsig KILL timeout --signal KILL "$limit" \
	setpriv --pdeathsig KILL "${confine[@]}" bash -c '"$@"; exit' bash "$@" &
wait $!
