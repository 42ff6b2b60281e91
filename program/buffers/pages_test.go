package buffers

import (
	"testing"
	"unsafe"
)

func TestCut(t *testing.T) {
	for size, want := range map[int]int{
		PageSize:           1, // too small for huge pages
		640 * 480 * 3:      2, // in one huge page
		848*480*2 + 1024:   5, // in two
		1280*720*2 + 0:     1, // in one
		1280 * 720 * 3:     2, // in three
		1920*1080*3 + 1024: 1, // in three
		100 << 20:          1,
	} {
		parts := Cut(size)
		if len(parts) != want {
			t.Errorf("%d bytes: got %d pieces, want %d", size, len(parts), want)
		}
		for i, b := range parts {
			if len(b) != size || cap(b) != size {
				t.Errorf("%d bytes: piece %d has length %d, capacity %d", size, i, len(b), cap(b))
			}
			b[0], b[size-1] = 1, 1
		}
	}
}

func TestAlignment(t *testing.T) {
	for _, n := range []int{1, PageSize, PageSize + 1, 640*480*3 + 70} {
		for i, b := range Cut(Round(n)) {
			if uintptr(unsafe.Pointer(&b[0]))%uintptr(PageSize) != 0 || len(b) < n {
				t.Errorf("%d bytes: piece %d of %d bytes starts at %p", n, i, len(b), &b[0])
			}
		}
	}
}
