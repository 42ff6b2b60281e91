// Package gen has helpers of the generators: output files, and idioms of assembly.
package gen

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Write writes the assembly (.s) and its Go declarations (.go) to files named set_amd64 in a folder of the repository,
// and functions for other processors, which are never called, to set_other.go: those, too, have no assembly that are
// built with the tag purego. The constant assembly says what a build has. An argument of the command replaces the
// repository's root.
func Write(folder, set string) {
	root := ".."
	if len(os.Args) > 1 {
		root = os.Args[1]
		os.Args = os.Args[:1] // avo writes the arguments into the files
	}
	out := filepath.Join(root, folder, set)
	for name, value := range map[string]string{"out": out + "_amd64.s",
		"stubs": out + "_amd64.go", "pkg": path.Base(folder)} {
		must(flag.Set(name, value))
	}
	ConstraintExpr("!purego")
	Generate()
	declarations, err := os.ReadFile(out + "_amd64.go")
	must(err)
	must(os.WriteFile(out+"_amd64.go", append(declarations, "\nconst assembly = true\n"...), 0o644))
	var other strings.Builder
	for line := range strings.Lines(string(declarations)) {
		switch line := strings.TrimSuffix(line, "\n"); {
		case strings.HasPrefix(line, "// Code generated"), strings.HasPrefix(line, "package"):
			fmt.Fprintf(&other, "%s\n\n", line)
		case strings.HasPrefix(line, "func"):
			fmt.Fprintf(&other, "%s { panic(\"for x86 only\") }\n\n", line)
		}
	}
	other.WriteString("const assembly = false\n")
	text, err := format.Source([]byte("//go:build !amd64 || purego\n\n" + other.String()))
	must(err)
	must(os.WriteFile(out+"_other.go", text, 0o644))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Func begins a function with a Go signature and doc comment. Its arguments must not
// escape.
func Func(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc...)
}

// Arg loads a parameter of the function into a register.
func Arg(name string) Register { return Load(Param(name), GP64()) }

// Zero returns a register that holds 0.
func Zero() GPVirtual {
	r := GP64()
	XORQ(r, r)
	return r
}

// Zeros returns a vector register that holds 0.
func Zeros() VecVirtual {
	z := YMM()
	VPXOR(z, z, z)
	return z
}

// Broadcast returns a vector register that holds a number of 32 bits in all places.
func Broadcast(m Mem) VecVirtual {
	r := YMM()
	VBROADCASTSS(m, r)
	return r
}

// Pointers loads n pointers that are stored at at.
func Pointers(at Register, n int) []Register {
	list := make([]Register, n)
	for i := range list {
		list[i] = GP64()
		MOVQ(Mem{Base: at, Disp: 8 * i}, list[i])
	}
	return list
}

// Numbers makes a constant of integers or floats of 32 bits.
func Numbers[T U32 | F32](name string, values ...T) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i, v := range values {
		DATA(4*i, Constant(v))
	}
	return m
}

// Eight makes a constant of eight equal numbers.
func Eight[T U32 | F32](name string, v T) Mem { return Numbers(name, v, v, v, v, v, v, v, v) }

// Loop runs body n times, at least once. It counts n down.
func Loop(label string, n Register, body func()) {
	Label(label)
	body()
	DECQ(n)
	JNZ(LabelRef(label))
}

// Each runs body with i = 0, 8, … below n, at least once.
func Each(label string, n Register, body func(i Register)) {
	i := Zero()
	Label(label)
	body(i)
	Next(label, i, n, 8)
}

// Next ends a loop that starts at label. It adds step to i, and repeats while i < n.
func Next(label string, i, n Register, step uint64) {
	ADDQ(Imm(step), i)
	CMPQ(i, n)
	JL(LabelRef(label))
}

// Done returns from a function that used the upper halves of vector registers.
func Done() {
	VZEROUPPER()
	RET()
}

// Packed returns eight numbers of 32 bits as words.
func Packed(v VecVirtual) VecVirtual {
	words := XMM()
	VEXTRACTI128(Imm(1), v, words)
	VPACKUSDW(words, v.AsX(), words)
	return words
}

// Pair combines a and b with an instruction for their low halves and one for their high
// halves.
func Pair(low, high func(ops ...Op), a, b VecVirtual) (VecVirtual, VecVirtual) {
	l, h := YMM(), YMM()
	low(b, a, l)
	high(b, a, h)
	return l, h
}

// Transposed transposes 8×8 numbers.
func Transposed(a [8]VecVirtual) (c [8]VecVirtual) {
	u := Interleave(a, VUNPCKLPS, VUNPCKHPS, VUNPCKLPD, VUNPCKHPD)
	for i := range 4 {
		c[i], c[i+4] = YMM(), YMM()
		VPERM2F128(Imm(0x20), u[i+4], u[i], c[i])
		VPERM2F128(Imm(0x31), u[i+4], u[i], c[i+4])
	}
	return c
}

// Interleave does the first two of three steps that transpose 8×8 elements. low1 and
// high1 combine adjacent rows, low2 and high2 rows two apart. Rows i and i+4 of the
// result hold halves of the same columns.
func Interleave(a [8]VecVirtual, low1, high1, low2, high2 func(ops ...Op)) (u [8]VecVirtual) {
	var t [8]VecVirtual
	for i := 0; i < 8; i += 2 {
		t[i], t[i+1] = Pair(low1, high1, a[i], a[i+1])
	}
	for i := 0; i < 8; i += 4 {
		u[i], u[i+1] = Pair(low2, high2, t[i], t[i+2])
		u[i+2], u[i+3] = Pair(low2, high2, t[i+1], t[i+3])
	}
	return u
}
