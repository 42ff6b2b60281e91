package smooth

import (
	"encoding/binary"
	"unsafe"
)

// Mean writes the mean of the pixels other than 0 of each patch: the next columns of all
// rows, as many as there are rows.
func Mean(out []uint16, rows [][]uint16) {
	var sums, valid [256]uint32 // of a run of patches
	by, done := len(rows), 0
	if n := len(out) &^ 7; fast && n > 0 && (by == 4 || by == 8) {
		for _, row := range rows {
			_ = row[:n*by]
		}
		if done = n; by == 4 {
			meanOf4AVX2(&out[0], &rows[0], n)
		} else {
			meanOf8AVX2(&out[0], &rows[0], n)
		}
	}
	for first := done; first < len(out); first += len(sums) {
		run := out[first:min(first+len(sums), len(out))]
		clear(sums[:len(run)])
		clear(valid[:len(run)])
		for _, row := range rows {
			addPatches(sums[:len(run)], valid[:len(run)], row[first*by:], by)
		}
		for i := range run {
			run[i] = uint16(sums[i] / max(valid[i], 1))
		}
	}
}

// addPatches adds by pixels of a row to each patch: their sum and the number that aren't 0.
func addPatches(sums, valid []uint32, row []uint16, by int) {
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
