//go:build !(amd64 || arm || arm64) || checked

package lz4

import "encoding/binary"

const boundsChecked = true

// memory has bounds checks: for tests (see memory.go), and for other processors.
type memory []byte

// memoryOf leaves out what a slice could be extended by.
func memoryOf(b []byte) memory { return b[:len(b):len(b)] }

func (m memory) get(i int) byte                   { return m[i] }
func (m memory) get32(i int) uint32               { return binary.LittleEndian.Uint32(m[i : i+4]) }
func (m memory) get64(i int) uint64               { return binary.LittleEndian.Uint64(m[i : i+8]) }
func (m memory) put(i int, v byte)                { m[i] = v }
func (m memory) put16(i int, v uint16)            { binary.LittleEndian.PutUint16(m[i:i+2], v) }
func (m memory) copy16(i int, from memory, j int) { copy(m[i:i+16], from[j:j+16]) }
