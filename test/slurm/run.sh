#!/usr/bin/env bash
# Runs the test of this folder. If it fails it is tried once more, and named (docs/internals/decisions/0014-second-try.md).
#
#   test/slurm/run.sh [flags of go test]
#
# It needs root and leaves nothing behind: all processes end with it. Exit code: 0 passed, 1 failed.
set -euo pipefail
cd "$(dirname "$0")/../.."
PATH=$PATH:/usr/sbin

[[ $(id -u) -eq 0 ]] || { echo "slurm: its daemons need root" >&2; exit 1; }
go mod download
go test -c -tags slurm -o /dev/null ./test/slurm # what doesn't compile isn't tried again
go tool -n -modfile=test/bucket/server/go.mod versitygw >/dev/null
confined=(test/confined.sh 8m)
"${confined[@]}" true || confined=(timeout --signal KILL 8m) # this machine allows no namespaces
setpriv --pdeathsig KILL "${confined[@]}" "$(go tool -modfile=test/tools/go.mod -n gotestsum)" --format standard-verbose --rerun-fails=1 \
	--packages ./test/slurm -- -tags slurm -count=1 -timeout 4m "$@"
