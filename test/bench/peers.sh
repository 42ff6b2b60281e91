# To be sourced in the root of the repository: adds the programs of test/bench/peers to
# PATH. BENCH_PEERS names the folder that has them; without it they are built.
if [ -z "${BENCH_PEERS:-}" ]; then
	BENCH_PEERS=build/peers
	make -s bench-peers >&2 || exit 1
fi
PATH=$(cd "$BENCH_PEERS" && pwd):$PATH || exit 1
export PATH
