package ros2

import (
	"fmt"
	"slices"
	"strings"

	"rsros/msgs"
)

// plan converts messages between the ROS 1 and the ROS 2 form of a type, in one direction.
type plan struct {
	from, to *msgs.Spec
	steps    []step
	own      func(*conversion) // converts the message instead of steps, unless nil
}

// step converts a field or writes one that only the target has.
type step struct {
	op    op
	drop  bool        // the target lacks the field
	quiet bool        // not lossy
	size  int         // opNumbers: bytes of each
	zero  *msgs.Field // opZeros: the field
	sub   *plan
	array bool
	len   int // of a fixed array, or msgs.Variable
}

type op uint8

const (
	opNumbers op = iota
	opTime
	opDuration
	opString
	opWide // wstring
	opMessage
	opZeros
)

// pair is the two forms of a type.
type pair struct{ from, to *msgs.Spec }

type compiler struct {
	from, to string          // names of the forms in errors: "ROS 2", "ROS 1"
	wide     map[string]bool // wstring fields of from, by type and field name
	done     map[pair]*plan
	dropped  []string
}

// compile returns the plan for two forms of a type.
func (c *compiler) compile(from, to *msgs.Spec, path string) (*plan, error) {
	key := pair{from, to}
	if p, ok := c.done[key]; ok {
		return p, nil
	}
	p := &plan{from: from, to: to}
	c.done[key] = p
	next := 0 // next field of to
	for i := range from.Fields {
		f := &from.Fields[i]
		at := find(to, f.Name, next)
		s, err := c.step(f, at, from, to, path)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			s.drop = true
			s.quiet = from.Name == "std_msgs/Header" && f.Name == "seq"
			if !s.quiet {
				c.dropped = append(c.dropped, path+f.Name)
			}
		} else {
			if at < next {
				return nil, fmt.Errorf("field %s%s is earlier in %s than in %s", path, f.Name, c.to, c.from)
			}
			p.zeros(to.Fields[next:at])
			next = at + 1
		}
		p.add(s)
	}
	p.zeros(to.Fields[next:])
	return p, nil
}

// add adds a step. It merges consecutive numbers of the same size, which have no padding in between.
func (p *plan) add(s step) {
	if n := len(p.steps); n > 0 && s.numbers() && p.steps[n-1].numbers() && s.size == p.steps[n-1].size {
		last := &p.steps[n-1]
		last.array, last.len = true, last.count()+s.count()
		return
	}
	p.steps = append(p.steps, s)
}

// numbers reports whether a step copies a fixed number of numbers.
func (s *step) numbers() bool {
	return s.op == opNumbers && !s.drop && !(s.array && s.len == msgs.Variable)
}

// count returns the number of elements of a step of fixed length.
func (s *step) count() int {
	if s.array {
		return s.len
	}
	return 1
}

// find returns the index of a field, or -1. It prefers an exact match, at next if it is
// there, and otherwise ignores case.
func find(s *msgs.Spec, name string, next int) int {
	if next < len(s.Fields) && s.Fields[next].Name == name {
		return next
	}
	if i := slices.IndexFunc(s.Fields, func(f msgs.Field) bool { return f.Name == name }); i >= 0 {
		return i
	}
	for i := range s.Fields {
		if strings.EqualFold(s.Fields[i].Name, name) {
			return i
		}
	}
	return -1
}

// zeros adds fields that only the target has.
func (p *plan) zeros(fields []msgs.Field) {
	for i := range fields {
		p.steps = append(p.steps, step{op: opZeros, zero: &fields[i]})
	}
}

// step returns the step for a field and the one at an index of the target, or -1.
func (c *compiler) step(f *msgs.Field, at int, from, to *msgs.Spec, path string) (step, error) {
	s := step{array: f.Array, len: f.Len}
	g := f
	if at >= 0 {
		g = &to.Fields[at]
	}
	if g.Array != f.Array || g.Len != f.Len || !sameKind(f.Kind, g.Kind) {
		return s, fmt.Errorf("field %s%s is %s in %s and %s in %s", path, f.Name, typeText(f), c.from, typeText(g), c.to)
	}
	var err error
	switch f.Kind {
	case msgs.KindStruct:
		s.op = opMessage
		s.sub, err = c.compile(f.Sub, g.Sub, path+f.Name+".")
	case msgs.KindString:
		s.op = opString
		if c.wide[from.Name+"."+f.Name] {
			s.op = opWide
		}
	case msgs.KindTime:
		s.op = opTime
	case msgs.KindDuration:
		s.op = opDuration
	default:
		s.op, s.size = opNumbers, f.Kind.Size()
	}
	return s, err
}

// sameKind reports whether values have the same bytes, as do all kinds of one byte.
func sameKind(a, b msgs.Kind) bool { return a == b || a.Size() == 1 && b.Size() == 1 }

func typeText(f *msgs.Field) string { return f.Type + arrayText(f) }
