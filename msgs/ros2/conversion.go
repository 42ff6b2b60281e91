package ros2

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"rsros/msgs"
)

// Limits on the growth of a message by sequence numbers, alignment and the like. Only hostile messages exceed them.
const (
	growth = 8
	slack  = 64 << 10
)

// padding is the number of bytes that ROS 2 recorders may append to a message.
const padding = 3

// converter converts messages of a type.
type converter struct {
	toROS2 bool
	plans  []*plan         // by release of ROS 2, newest first
	wide   map[string]bool // wstring fields, by type and field name
}

// Convert appends the other form of a message to to, and reports whether the result is complete. It isn't if a dropped
// field isn't zero, if bytes follow the last field other than the padding of ROS 2, or if a time is out of the other
// form's range, to which it is clamped. The form of ROS 2 is CDR with encapsulation.
func (v *converter) Convert(to, message []byte) (out []byte, whole bool, err error) {
	units := []int{0}
	if len(v.wide) > 0 {
		units = wideUnits
	}
	var first error
	for _, p := range v.plans {
		for _, unit := range units {
			c := conversion{in: message, e: msgs.Encoder{B: to}, limit: len(to) + growth*len(message) + slack, unit: unit}
			after := 0
			if v.toROS2 {
				c.d = *msgs.NewDecoder(message)
				c.e.BeginCDR()
			} else {
				c.d = *msgs.NewCDRDecoder(message)
				after = padding
			}
			c.plan(p)
			if err := c.d.Err(); err != nil {
				first = cmp.Or(first, err)
			} else if c.d.Remaining() <= after || len(v.plans)*len(units) == 1 {
				return c.e.B, !c.lossy && c.d.Remaining() <= after, nil
			} else {
				first = cmp.Or(first, fmt.Errorf("message has %d bytes, %d of them after its last field",
					len(message), c.d.Remaining()))
			}
		}
	}
	return to, false, first
}

// conversion is the state of converting a message from one form to the other.
type conversion struct {
	in    []byte // input of d
	d     msgs.Decoder
	e     msgs.Encoder
	limit int // of e.B
	unit  int // bytes of a wide character
	lossy bool
}

// plan converts a message. An empty type has a byte in ROS 2.
func (c *conversion) plan(p *plan) {
	if p.own != nil {
		p.own(c)
		return
	}
	if c.d.CDR() && len(p.from.Fields) == 0 {
		c.d.U8()
	}
	for i := range p.steps {
		if c.ended() {
			return
		}
		s := &p.steps[i]
		start, from := len(c.e.B), c.d.Pos()
		c.step(s)
		if s.drop {
			c.drop(start, from, s.quiet)
		}
	}
	if c.e.CDR() && len(p.to.Fields) == 0 {
		c.e.U8(0)
	}
}

// drop removes the output since start, which was made of the input since from. This is lossy
// unless the field has only zeros in ROS 1.
func (c *conversion) drop(start, from int, quiet bool) {
	ros1 := c.e.B[start:]
	if c.e.CDR() {
		ros1 = c.in[from:c.d.Pos()]
	}
	c.lossy = c.lossy || !quiet && slices.ContainsFunc(ros1, func(b byte) bool { return b != 0 })
	c.e.B = c.e.B[:start]
}

// ended reports whether to stop because of an error.
func (c *conversion) ended() bool {
	if len(c.e.B) > c.limit {
		c.d.Fail(fmt.Errorf("the converted message has more than %d bytes", c.limit))
	}
	return c.d.Err() != nil
}

func (c *conversion) step(s *step) {
	if s.op == opZeros {
		c.zero(s.zero)
		return
	}
	n := s.count()
	if n == msgs.Variable {
		n = c.d.Len(max(s.size, 1))
		c.e.Len(n)
	}
	if s.op == opNumbers {
		c.numbers(n, s.size)
		return
	}
	for range n {
		if c.ended() {
			return
		}
		switch s.op {
		case opTime:
			c.time()
		case opDuration:
			c.duration()
		case opString:
			c.text()
		case opWide:
			c.wideText()
		case opMessage:
			c.plan(s.sub)
		}
	}
}

// numbers copies n numbers as little-endian.
func (c *conversion) numbers(n, size int) {
	list := c.d.Numbers(n, size)
	if len(list) == 0 {
		return
	}
	c.e.Align(size)
	start := len(c.e.B)
	c.e.Raw(list)
	if !c.d.BigEndian() {
		return
	}
	for b := c.e.B[start:]; len(b) >= size; b = b[size:] {
		slices.Reverse(b[:size])
	}
}

func (c *conversion) text() { c.e.Text(c.d.Text()) }

func (c *conversion) time() {
	sec, nsec := c.d.U32(), c.d.U32()
	if c.d.CDR() {
		c.instant(int64(int32(sec)), int64(nsec), 0, math.MaxUint32)
	} else {
		c.instant(int64(sec), int64(nsec), math.MinInt32, math.MaxInt32)
	}
}

func (c *conversion) duration() {
	sec, nsec := c.d.I32(), c.d.I32()
	c.instant(int64(sec), int64(nsec), math.MinInt32, math.MaxInt32)
}

// instant writes a time or a duration with normalized nanoseconds, in [0, 1e9), and seconds in a range.
func (c *conversion) instant(sec, nsec, least, most int64) {
	const second = 1_000_000_000
	sec, nsec = sec+nsec/second, nsec%second
	if nsec < 0 {
		sec, nsec = sec-1, nsec+second
	}
	switch {
	case sec > most:
		sec, nsec, c.lossy = most, second-1, true
	case sec < least:
		sec, nsec, c.lossy = least, 0, true
	}
	c.e.U32(uint32(sec))
	c.e.U32(uint32(nsec))
}

// zero writes a zero field.
func (c *conversion) zero(f *msgs.Field) {
	n := 1
	if f.Array {
		if n = f.Len; n == msgs.Variable {
			c.e.Len(0)
			return
		}
	}
	for range n {
		switch f.Kind {
		case msgs.KindStruct:
			for i := range f.Sub.Fields {
				c.zero(&f.Sub.Fields[i])
			}
			if c.e.CDR() && len(f.Sub.Fields) == 0 {
				c.e.U8(0)
			}
		case msgs.KindString:
			c.e.String("")
		case msgs.KindTime, msgs.KindDuration:
			c.e.Time(0)
		default:
			c.e.Align(f.Kind.Size())
			c.e.Raw(zeros[:f.Kind.Size()])
		}
	}
}

var zeros [8]byte
