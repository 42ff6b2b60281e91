//go:build !linux

package disk

func newPages(block int) pages {
	return fixedPages(AlignedBytes(aheadSlots*block, min(block, HugePage)))
}

func (p *pages) move(int, int) bool { return false }

func (p pages) free() {}
