#!/usr/bin/env bash
# Records all streams of a D435i at 1280x720 from memory, at 30, 60 and 90
# images a second, and prints CPU seconds per GB, MB/s and dropped frames.
#
#   test/bench/record/run.sh [SECONDS] [PATTERN]     TMPDIR chooses the disk
set -euo pipefail
cd "$(dirname "$0")/../../.."
go test -run '^$' -bench "BenchmarkRecording/${2:-.}" -benchtime "${1:-5}s" -timeout 30m ./record
