package sqlite

import "encoding/binary"

// Free reads the header's list of free pages. ok is false if the list isn't whole.
func (f *File) Free() (free Set, ok bool) {
	free = f.NewSet()
	if f.head == nil {
		return free, false
	}
	be := binary.BigEndian
	trunk, count := be.Uint32(f.head[32:]), be.Uint32(f.head[36:])
	r := f.NewPageReader()
	for trunk != 0 {
		b, err := r.Page(trunk)
		if err != nil || free.Has(trunk) || count == 0 {
			return free, false
		}
		free.Add(trunk)
		count--
		n := be.Uint32(b[4:])
		if n > uint32(f.usable/4-2) || n > count {
			return free, false
		}
		count -= n
		for i := range n {
			leaf := be.Uint32(b[8+4*i:])
			if leaf < 2 || leaf > f.count || free.Has(leaf) {
				return free, false
			}
			free.Add(leaf)
		}
		trunk = be.Uint32(b)
	}
	return free, count == 0
}

type Set []uint64

func (f *File) NewSet() Set { return make(Set, f.count/64+1) }

func (s Set) Has(page uint32) bool { return page/64 < uint32(len(s)) && s[page/64]&(1<<(page%64)) != 0 }

func (s Set) Add(page uint32) {
	if page/64 < uint32(len(s)) {
		s[page/64] |= 1 << (page % 64)
	}
}
