//go:build !linux

package disk

import "rsros/program/buffers"

func newPages(block int) pages {
	return fixedPages(buffers.Aligned(aheadSlots*block, min(block, buffers.HugePage)))
}

func (p *pages) move(int, int) bool { return false }

func (p pages) free() {}
