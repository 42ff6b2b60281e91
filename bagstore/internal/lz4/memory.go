//go:build (amd64 || arm || arm64) && !checked

package lz4

import "unsafe"

const boundsChecked = false

// memory is bytes without bounds checks, which take a third of an encoder's time. No position is computed from the
// compressed bytes, so these can't direct an access outside. compressSequences proves each access. With the build tag
// checked, which fuzzing uses, all are checked. These processors access numbers at any address, lowest byte first.
type memory struct{ p unsafe.Pointer }

func memoryOf(b []byte) memory { return memory{unsafe.Pointer(unsafe.SliceData(b))} }

func (m memory) get(i int) byte        { return *(*byte)(unsafe.Add(m.p, i)) }
func (m memory) get32(i int) uint32    { return *(*uint32)(unsafe.Add(m.p, i)) }
func (m memory) get64(i int) uint64    { return *(*uint64)(unsafe.Add(m.p, i)) }
func (m memory) put(i int, v byte)     { *(*byte)(unsafe.Add(m.p, i)) = v }
func (m memory) put16(i int, v uint16) { *(*uint16)(unsafe.Add(m.p, i)) = v }
func (m memory) copy16(i int, from memory, j int) {
	*(*[16]byte)(unsafe.Add(m.p, i)) = *(*[16]byte)(unsafe.Add(from.p, j))
}
