// Package asm holds the generators of the assembly for x86 processors: a command for
// each package that has assembly, run by go generate in that package. It is a separate
// module so that the program doesn't depend on avo. The build tag purego leaves all
// assembly out; the tests of these packages are run with it, too (make test).
package asm
