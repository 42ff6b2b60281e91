// Command smooth writes the assembly of package smooth for x86 processors with AVX2.
//
// Operations come in the order of the plain code, without fused ones: the results
// are the same to the last bit.
package main

import "rsros/asm/gen"

func main() {
	transposeWords()
	rowsOfWords()
	transposeFloats()
	line("forthWordsAVX2", "goes over 16 rows of depth that lie side by side, as Edges.forth does.", forth)
	line("backWordsAVX2", "goes over 16 rows of depth from their ends, as Edges.back does.", back)
	columns("downAVX2", "is Edges.Down for n rows of columns pixels, a multiple of 16, stride bytes apart.", false)
	columns("upAVX2", "is Edges.Up, as downAVX2 is Edges.Down.", true)
	lineOfFloats()
	nextOfFloats()
	gen.Write("camdriver/process/internal/smooth", "avx2_amd64")
}
