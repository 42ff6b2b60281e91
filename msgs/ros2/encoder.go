package ros2

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"rsros/msgs"
	"rsros/msgs/cdr"
)

// Encoder converts messages of a ROS 1 type to ROS 2.
type Encoder struct {
	// Type is the ROS 2 type, such as "sensor_msgs/msg/Image".
	Type string
	// Definition has the encoding "ros2msg" and includes dependencies.
	Definition string
	// Hash is the type hash, "RIHS01_…".
	Hash string
	// Dropped lists the fields that ROS 2 lacks as paths such as "header.frame_id",
	// except for what it never has: the seq of headers, and frame_id and topics of a log message.
	Dropped []string

	plan *plan
	own  func(*writing)
}

// NewEncoder returns an encoder for a ROS 1 type with a full definition.
func NewEncoder(name, definition string) (*Encoder, error) {
	from, err := msgs.Parse(name, definition)
	if err != nil {
		return nil, err
	}
	short := name
	if other, ok := ros2Names[name]; ok {
		short = other
	}
	if short == logType && from.MD5() == msgs.MustType(name).MD5 {
		to, err := msgs.ParseFrom(short, newer)
		if err != nil {
			return nil, err
		}
		e := describe(to).encoder()
		e.own = logToROS2
		return e, nil
	}
	own := msgs.Split(name, definition)
	to, err := msgs.ParseFrom(name, func(name string) (string, bool) {
		if t, ok := newer(name); ok {
			return t, true
		}
		return own.Text(name)
	})
	if err != nil {
		return nil, err
	}
	c := compiler{from: "ROS 1", to: "ROS 2", done: make(map[pair]*plan)}
	p, err := c.compile(from, to, "")
	if err != nil {
		return nil, fmt.Errorf("type %s: %w", name, err)
	}
	e, err := encoderFor(short, to)
	if err != nil {
		return nil, err
	}
	e.plan, e.Dropped = p, c.dropped
	return e, nil
}

// Describe returns the definition, in the encoding "ros2msg", and the type hash of a known
// ROS 2 type, such as "std_msgs/msg/String", that is the same in all releases of ROS 2.
func Describe(name string) (definition, hash string, ok bool) {
	m, err := Map(name, "")
	if err != nil || m.own == nil && len(m.plans) != 1 {
		return "", "", false
	}
	short, err := TypeName(name)
	if err != nil {
		return "", "", false
	}
	var e *Encoder
	if m.own != nil {
		e, err = NewEncoder(m.Type.Name, m.Type.Definition)
	} else {
		e, err = encoderFor(short, m.plans[0].from)
	}
	if err != nil {
		return "", "", false
	}
	return e.Definition, e.Hash, true
}

// encoderFor returns the description of a type with the ROS 2 name short.
func encoderFor(short string, s *msgs.Spec) (*Encoder, error) {
	if _, ok := builtinTexts[short]; ok {
		d := &describer{names: []string{short}, specs: map[string]*msgs.Spec{short: nil}}
		return d.encoder(), nil
	}
	if short != s.Name {
		var err error
		if s, err = msgs.ParseFrom(short, newer); err != nil {
			return nil, err
		}
	}
	return describe(s).encoder(), nil
}

func (d *describer) encoder() *Encoder {
	return &Encoder{Type: ros2Type(d.names[0]), Definition: d.text(), Hash: d.hash()}
}

// Convert appends the ROS 2 form of a ROS 1 message to to, with encapsulation, and reports
// whether the result is complete. It isn't if a dropped field isn't zero, if bytes follow the last field, or if a time is after 2038, which is clamped
// to ROS 2's int32.
func (e *Encoder) Convert(to, message []byte) (out []byte, whole bool, err error) {
	w := writing{d: msgs.NewDecoder(message), in: message, e: cdr.Encoder{B: to}, limit: len(to) + growth*len(message) + slack}
	w.e.Begin()
	if e.own != nil {
		e.own(&w)
	} else {
		w.plan(e.plan)
	}
	if err := cmp.Or(w.d.Err(), w.err); err != nil {
		return to, false, err
	}
	return w.e.B, !w.lossy && w.d.Remaining() == 0, nil
}

// writing is the state of converting a ROS 1 message.
type writing struct {
	d     *msgs.Decoder
	e     cdr.Encoder
	in    []byte // input of d
	limit int    // of e.B
	lossy bool
	err   error
}

func (w *writing) plan(p *plan) {
	for i := range p.steps {
		if w.ended() {
			return
		}
		s := &p.steps[i]
		start, from := len(w.e.B), w.d.Pos()
		w.step(s)
		if s.drop {
			w.e.B = w.e.B[:start]
			if !s.quiet {
				w.drop(from)
			}
		}
	}
	if len(p.to.Fields) == 0 {
		w.e.U8(0) // an empty type has a byte in ROS 2
	}
}

// drop records that the input since an offset was dropped. This is lossy unless it is
// zeros.
func (w *writing) drop(from int) {
	w.lossy = w.lossy || slices.ContainsFunc(w.in[from:w.d.Pos()], func(b byte) bool { return b != 0 })
}

// ended reports whether to stop because of an error.
func (w *writing) ended() bool {
	if len(w.e.B) > w.limit && w.err == nil {
		w.err = fmt.Errorf("ROS 2 message has more than %d bytes", w.limit)
	}
	return w.err != nil || w.d.Err() != nil
}

func (w *writing) step(s *step) {
	if s.op == opZeros {
		w.zero(s.zero)
		return
	}
	n := s.count()
	if n == msgs.Variable {
		n = w.d.Len(max(s.size, 1))
		w.e.Len(n)
	}
	if s.op == opNumbers {
		w.numbers(n, s.size)
		return
	}
	for range n {
		if w.ended() {
			return
		}
		switch s.op {
		case opTime:
			sec, nsec := w.d.U32(), w.d.U32()
			w.time(int64(sec), int64(nsec))
		case opDuration:
			sec, nsec := w.d.I32(), w.d.I32()
			w.time(int64(sec), int64(nsec))
		case opString:
			text := w.d.Bytes()
			w.e.Len(len(text) + 1)
			w.e.Raw(text)
			w.e.U8(0)
		case opMessage:
			w.plan(s.sub)
		}
	}
}

// numbers copies n little-endian numbers.
func (w *writing) numbers(n, size int) {
	if n == 0 {
		return
	}
	if n > w.d.Remaining()/size {
		w.d.Raw(w.d.Remaining() + 1) // sets the error
		return
	}
	w.e.Align(size)
	w.e.Raw(w.d.Raw(n * size))
}

// time writes a time or a duration with normalized nanoseconds, in [0, 1e9).
func (w *writing) time(sec, nsec int64) {
	const second = 1_000_000_000
	sec, nsec = sec+nsec/second, nsec%second
	if nsec < 0 {
		sec, nsec = sec-1, nsec+second
	}
	switch {
	case sec > math.MaxInt32:
		sec, nsec, w.lossy = math.MaxInt32, second-1, true
	case sec < math.MinInt32:
		sec, nsec, w.lossy = math.MinInt32, 0, true
	}
	w.e.I32(int32(sec))
	w.e.U32(uint32(nsec))
}

// zero writes a zero field.
func (w *writing) zero(f *msgs.Field) {
	n := 1
	if f.Array {
		if n = f.Len; n == msgs.Variable {
			w.e.Len(0)
			return
		}
	}
	for range n {
		switch f.Kind {
		case msgs.KindStruct:
			for i := range f.Sub.Fields {
				w.zero(&f.Sub.Fields[i])
			}
			if len(f.Sub.Fields) == 0 {
				w.e.U8(0)
			}
		case msgs.KindString:
			w.e.String("")
		case msgs.KindTime, msgs.KindDuration:
			w.time(0, 0)
		default:
			w.e.Align(f.Kind.Size())
			w.e.Raw(make([]byte, f.Kind.Size()))
		}
	}
}

// logToROS2 converts a rosgraph_msgs/Log to a rcl_interfaces/msg/Log.
func logToROS2(w *writing) {
	w.d.U32() // seq
	sec, nsec := w.d.U32(), w.d.U32()
	w.time(int64(sec), int64(nsec))
	w.d.Bytes() // frame_id
	w.e.U8(ros2Level(w.d.U8()))
	for range 4 { // name, message, file and function
		w.e.String(w.d.String())
	}
	w.e.U32(w.d.U32())
	for range w.d.Len(4) {
		w.d.Bytes() // topics
	}
}

// ros2Level converts a log level from ROS 1, powers of two, to ROS 2, multiples of ten. It rounds up.
func ros2Level(level uint8) uint8 {
	power := bits.Len8(max(level, msgs.LogDebug) - 1)
	return 10 * uint8(min(power+1, 5))
}
