package smooth

import (
	"encoding/binary"
	"unsafe"
)

// AddPatches adds by pixels of a row to each patch: their sum and the number that aren't 0.
func AddPatches(sums, valid []uint32, row []uint16, by int) {
	valid, row = valid[:len(sums)], row[:len(sums)*by]
	if by%4 == 0 {
		addFours(sums, valid, row, by/4)
		return
	}
	for i := range sums {
		sum, count := uint32(0), uint32(0)
		for _, v := range row[i*by:][:by] {
			sum += uint32(v)
			count += (uint32(v) + 0xFFFF) >> 16 // 1 if v isn't 0
		}
		sums[i] += sum
		valid[i] += count
	}
}

// addFours processes four pixels as one number.
func addFours(sums, valid []uint32, row []uint16, fours int) {
	const low, top, even = 0x7FFF7FFF7FFF7FFF, 0x0001000100010001, 0x0000FFFF0000FFFF
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(row))), 2*len(row))
	for i := range sums {
		var sum, count uint64
		for range fours {
			v := binary.NativeEndian.Uint64(bytes)
			bytes = bytes[8:]
			sum += v&even + v>>16&even               // two sums of 32 bits
			count += ((v&low + low) | v) >> 15 & top // four counts
		}
		sums[i] += uint32(sum) + uint32(sum>>32)
		valid[i] += uint32(count * top >> 48)
	}
}
