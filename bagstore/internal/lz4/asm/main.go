// Asm writes the assembly of package lz4 for x86 processors; go generate in that
// package runs it. It is a module of its own, so that the program doesn't depend on
// what it is made with.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	decode()
	checksum()
	compress()
	for name, value := range map[string]string{"out": "../sse_amd64.s", "stubs": "../sse_amd64.go", "pkg": "lz4"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	Generate()
}
