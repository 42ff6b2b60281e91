// Package asm is where the assembly for x86 processors comes from: a command for
// each package that has some, which go generate in that package runs. It is a module
// of its own, so that the program doesn't depend on what writes its assembly.
package asm
