// Asm writes the assembly of package smooth for x86 processors with AVX2; go generate
// in that package runs it. It is a module of its own, so that the program doesn't
// depend on what it is made with.
//
// Operations come in the order of the plain code, without fused ones: the results
// are the same to the last bit.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

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
	for name, value := range map[string]string{"out": "../avx2_amd64.s", "stubs": "../avx2_amd64.go", "pkg": "smooth"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	Generate()
}

// counted writes a loop that runs n times, at least once.
func counted(name string, n Register, body func()) {
	Label(name)
	body()
	DECQ(n)
	JNZ(LabelRef(name))
}
