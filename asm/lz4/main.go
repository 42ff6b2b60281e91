// Command lz4 writes the assembly of package lz4 for x86 processors.
package main

import "rsros/asm/gen"

func main() {
	decode()
	checksum()
	compress()
	gen.Write("bagstore/internal/lz4", "sse")
}
