// Command smooth writes the assembly of package smooth for x86 processors with AVX2.
//
// Operations have the order of the Go code and aren't fused, so that the results are identical to the last bit.
package main

import "rsros/asm/gen"

func main() {
	transposeWords()
	rowsOfWords()
	transposeFloats()
	line("forthWordsAVX2", "implements Edges.forth for 16 rows of depth that are interleaved.", forth)
	line("backWordsAVX2", "implements Edges.back for 16 rows of depth that are interleaved.", back)
	columns("downAVX2", "implements Edges.Down for n rows of columns pixels, a multiple of 16, stride bytes apart.", false)
	columns("upAVX2", "implements Edges.Up for n rows of columns pixels, a multiple of 16, stride bytes apart.", true)
	lineOfFloats()
	nextOfFloats()
	means("meanOf4AVX2", 4, 0, 1, 4, 5, 2, 3, 6, 7)
	means("meanOf8AVX2", 8, 0, 4, 1, 5, 2, 6, 3, 7)
	fade()
	gen.Write("camdriver/process/internal/smooth", "avx2")
}
