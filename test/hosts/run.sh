#!/usr/bin/env bash
# Runs the tests of this folder. Failed tests are tried once more and listed (docs/internals/decisions/0014-second-try.md).
#
#   test/hosts/run.sh [flags of go test, such as -run Clocks]
#
# It leaves nothing behind. Exit code: 0 passed, 1 failed, 77 this machine doesn't allow namespaces, or has no TUN
# device.
set -euo pipefail
cd "$(dirname "$0")/../.."

[[ $(id -u) -eq 0 ]] || { echo "hosts: namespaces need root" >&2; exit 77; }
code=0
test/confined.sh 5m unshare --net --mount --uts --propagation private sh -ec '
	hostname preflight
	mount --bind /etc/hosts /etc/hosts
	ip link set lo up
	ip tuntap add dev lan mode tun
	ip address add 10.77.0.1/24 dev lan
	ip link set lan up' || code=$?
if [[ $code -ne 0 ]]; then
	echo "*** THIS MACHINE ALLOWS NO MACHINES OF NAMESPACES (exit code $code)" >&2
	exit 77
fi

go mod download
go test -c -tags hosts -o /dev/null ./test/hosts # what doesn't compile isn't tried again
setpriv --pdeathsig KILL test/confined.sh 45m "$(go tool -modfile=test/tools/go.mod -n gotestsum)" --format standard-verbose --rerun-fails=1 --rerun-fails-max-failures=3 \
	--rerun-fails-run-root-test --packages ./test/hosts -- -tags hosts -count=1 -timeout 25m "$@" || exit 1
