# To be sourced in the root of the repository: adds the peers' programs (bagwrite, bagread,
# rawlimits, sub) to PATH. They are not part of the repository. BENCH_PEERS names a
# folder with them in bin, or with their source and a makefile in cpp.
peers=${BENCH_PEERS:?names the folder of the measuring programs, or of their source}
if [ -f "$peers/cpp/Makefile" ]; then
	make -s -C "$peers/cpp" OUT="$PWD/build/peers" >&2 || exit 1
	PATH=$PWD/build/peers:$PATH
else
	PATH=$(cd "$peers/bin" && pwd):$PATH
fi
export PATH
