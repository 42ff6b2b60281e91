//go:build !amd64

package lz4

import pierrec "github.com/pierrec/lz4/v4"

const hasAssembly, hasWide = false, false

var fast = false

func fastSequences(_, _ []byte, _, n, at int) (int, int) { return n, at }

// compressFast is for processors for which there is assembly.
func compressFast(_ *[2]job, _ *hashTable) (ok bool) { return false }

func checksumFast(_ *[4]uint32, _ []byte) {}

// wholeBlock decodes a block to dst[n:], with matches back to dst[low], by the library, which has
// assembly for some of these processors. ok is false for a damaged block.
func wholeBlock(dst []byte, low, n int, block []byte) (int, bool) {
	if boundsChecked {
		return 0, false
	}
	var got int
	var err error
	if low == n {
		got, err = pierrec.UncompressBlock(block, dst[n:])
	} else {
		got, err = pierrec.UncompressBlockWithDict(block, dst[n:], dst[max(low, n-window):n])
	}
	return got, err == nil
}
