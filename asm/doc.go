// Package asm holds the generators of the assembly for x86 processors: a command for
// each package that has assembly, run by go generate in that package. It is a separate
// module so that the program doesn't depend on avo. The build tag purego leaves all
// assembly out; the tests of these packages are run with it, too (make test).
//
// How much faster it is than the Go code beside it, at 1280x720 on one core with AVX2 (go test -run '^$' -bench Blocks
// -benchtime 5x -cpu 1 ./camdriver/process, without and with -tags purego in turns, the fastest of each):
//
//	smooth  spatial filter 11, decimation by 4 12, by 8 16, disparity 6.7
//	lens    points of a cloud 2.5, with texture coordinates 3.9
//	splat   alignment to colour 2.4, to depth 2.3
//	cloud   packing a cloud 2.4 to 3.0 (Packer, assembly on and off in turns)
//	lz4     checksum 2.0 (xxh32 of 256 KiB, likewise)
package asm
