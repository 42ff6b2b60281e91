package workload

import (
	"encoding/binary"
	"math/rand/v2"

	"rsros/msgs"
)

// Message returns a random message of a type in its wire form. Fields that empty chooses by their
// path, such as "header.seq", are empty; nil chooses none. Strings are UTF-8 and may
// have zeros; times are before 2038.
func Message(s *msgs.Spec, r *rand.Rand, empty func(in *msgs.Spec, path string) bool) []byte {
	m := maker{rand: r, empty: empty}
	m.message(s, "")
	return m.out
}

type maker struct {
	rand  *rand.Rand
	empty func(in *msgs.Spec, path string) bool
	out   []byte
}

func (m *maker) message(s *msgs.Spec, path string) {
	for i := range s.Fields {
		f := &s.Fields[i]
		if m.empty != nil && m.empty(s, path+f.Name) {
			m.out = append(m.out, make([]byte, f.MinSize())...)
			continue
		}
		n := 1
		if f.Array {
			if n = f.Len; n == msgs.Variable {
				n = m.rand.IntN(4)
				m.u32(uint32(n))
			}
		}
		for range n {
			m.element(f, path)
		}
	}
}

func (m *maker) u32(v uint32) { m.out = binary.LittleEndian.AppendUint32(m.out, v) }

func (m *maker) element(f *msgs.Field, path string) {
	switch f.Kind {
	case msgs.KindStruct:
		m.message(f.Sub, path+f.Name+".")
	case msgs.KindString:
		var text []byte
		for range m.rand.IntN(5) {
			text = append(text, []string{"a", "é", "\x00", "/", " "}[m.rand.IntN(5)]...)
		}
		m.u32(uint32(len(text)))
		m.out = append(m.out, text...)
	case msgs.KindTime:
		m.u32(m.rand.Uint32() >> 1)
		m.u32(m.rand.Uint32N(1e9))
	case msgs.KindDuration:
		m.u32(m.rand.Uint32())
		m.u32(m.rand.Uint32N(1e9))
	default:
		for range f.Kind.Size() {
			m.out = append(m.out, byte(m.rand.Uint32()))
		}
	}
}
