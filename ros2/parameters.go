package ros2

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rsros/msgs"
	mapping "rsros/msgs/ros2"
)

// Value is a parameter's value: nil (not set), bool, int64, float64, string, []byte, []bool, []int64, []float64 or
// []string.
type Value any

// Parameter is a parameter of a node.
type Parameter struct {
	Name  string
	Value Value
}

// Description describes a parameter.
type Description struct {
	Name        string
	Text        string
	Constraints string // what Text and the range don't say
	ReadOnly    bool
	Range       *[3]float64 // least, most and step of a float64 or an int64; a step of 0 means any
	Value       Value       // tells the type
}

// Parameters are those of a node. It is called from several goroutines.
type Parameters interface {
	// List returns all parameters' names.
	List() []string
	// Describe returns a parameter with its current value; ok is false if there is none.
	Describe(name string) (d Description, ok bool)
	// Set sets all of them, or none and says why. It returns what has changed.
	Set(list []Parameter) (changed []Parameter, err error)
}

// kind is a type of values.
type kind struct {
	is     func(Value) bool
	encode func(*msgs.Encoder, Value) // a zero value if the value is of another type
	decode func(*msgs.Decoder) Value
}

func kindOf[T any](encode func(*msgs.Encoder, T), decode func(*msgs.Decoder) T) kind {
	return kind{
		func(v Value) bool { _, ok := v.(T); return ok },
		func(e *msgs.Encoder, v Value) { t, _ := v.(T); encode(e, t) },
		func(d *msgs.Decoder) Value { return decode(d) },
	}
}

// listOf is the kind of lists of values that have a size at least.
func listOf[T any](size int, encode func(*msgs.Encoder, T), decode func(*msgs.Decoder) T) kind {
	return kindOf(func(e *msgs.Encoder, list []T) {
		e.Len(len(list))
		for _, v := range list {
			encode(e, v)
		}
	}, func(d *msgs.Decoder) []T { return decodeList(d, size, decode) })
}

const (
	typeNotSet  = 0
	typeInt     = 2
	typeFloat   = 3
	typeStrings = 9
)

// kinds are the types of parameters, by their numbers on the wire.
var kinds = [...]kind{
	typeNotSet: {
		func(Value) bool { return false }, func(*msgs.Encoder, Value) {}, func(*msgs.Decoder) Value { return nil },
	},
	1:           kindOf((*msgs.Encoder).Bool, (*msgs.Decoder).Bool),
	typeInt:     kindOf((*msgs.Encoder).I64, (*msgs.Decoder).I64),
	typeFloat:   kindOf((*msgs.Encoder).F64, (*msgs.Decoder).F64),
	4:           kindOf((*msgs.Encoder).String, (*msgs.Decoder).String),
	5:           kindOf((*msgs.Encoder).Bytes, func(d *msgs.Decoder) []byte { return bytes.Clone(d.Bytes()) }),
	6:           listOf(1, (*msgs.Encoder).Bool, (*msgs.Decoder).Bool),
	7:           listOf(8, (*msgs.Encoder).I64, (*msgs.Decoder).I64),
	8:           listOf(8, (*msgs.Encoder).F64, (*msgs.Decoder).F64),
	typeStrings: listOf(5, (*msgs.Encoder).String, (*msgs.Decoder).String),
}

const (
	maxParameters      = 10000 // in a list of a request
	parameterEvents    = "/parameter_events"
	parameterEventType = "rcl_interfaces/msg/ParameterEvent"
)

// ParameterServer serves a node's parameters.
type ParameterServer struct {
	n        *Node
	events   *Publisher
	services []*Service
}

// ServeParameters serves the services of a ROS 2 node's parameters and announces changes on /parameter_events.
func (n *Node) ServeParameters(p Parameters) (*ParameterServer, error) {
	s := &ParameterServer{n: n}
	definition, hash, _ := mapping.Describe(parameterEventType)
	var err error
	s.events, err = n.Advertise(PublisherOptions{
		Topic: parameterEvents, Type: parameterEventType, Hash: hash, Definition: definition,
		QoS: QoS{Reliable: true, Depth: 1000},
	})
	if err != nil {
		return nil, err
	}
	for _, v := range []struct {
		name, typ string
		answer    func(d *msgs.Decoder, e *msgs.Encoder)
	}{
		{"list_parameters", "ListParameters", func(d *msgs.Decoder, e *msgs.Encoder) { listParameters(p, d, e) }},
		{"get_parameters", "GetParameters", func(d *msgs.Decoder, e *msgs.Encoder) {
			eachName(p, d, e, func(v Description) { encodeValue(e, v.Value) })
		}},
		{"get_parameter_types", "GetParameterTypes", func(d *msgs.Decoder, e *msgs.Encoder) {
			eachName(p, d, e, func(v Description) { e.U8(typeOf(v.Value)) })
		}},
		{"describe_parameters", "DescribeParameters", func(d *msgs.Decoder, e *msgs.Encoder) {
			eachName(p, d, e, func(v Description) { v.encode(e) })
		}},
		{"set_parameters", "SetParameters", func(d *msgs.Decoder, e *msgs.Encoder) { s.set(p, d, e, false) }},
		{"set_parameters_atomically", "SetParametersAtomically", func(d *msgs.Decoder, e *msgs.Encoder) {
			s.set(p, d, e, true)
		}},
	} {
		service, err := n.Serve("~/"+v.name, "rcl_interfaces/srv/"+v.typ, func(_ context.Context, b []byte) ([]byte, error) {
			d := msgs.NewCDRDecoder(b)
			var e msgs.Encoder
			e.BeginCDR()
			v.answer(d, &e)
			return e.B, d.Err()
		})
		if err != nil {
			s.Close()
			return nil, err
		}
		s.services = append(s.services, service)
	}
	return s, nil
}

// Close ends the services.
func (s *ParameterServer) Close() {
	for _, service := range s.services {
		service.Close()
	}
	s.events.Close()
}

// listParameters answers with the names below prefixes, up to a depth of '.'; 0 means any.
func listParameters(p Parameters, d *msgs.Decoder, e *msgs.Encoder) {
	prefixes := decodeList(d, 5, (*msgs.Decoder).String)
	depth := int(min(d.U64(), maxParameters))
	var names, parents []string
	for _, name := range p.List() {
		below := len(prefixes) == 0 && (depth == 0 || strings.Count(name, ".") < depth)
		for _, prefix := range prefixes {
			rest, ok := strings.CutPrefix(name, prefix+".")
			below = below || name == prefix || ok && (depth == 0 || strings.Count(rest, ".") < depth)
		}
		if !below {
			continue
		}
		names = append(names, name)
		if i := strings.LastIndexByte(name, '.'); i > 0 && !slices.Contains(parents, name[:i]) {
			parents = append(parents, name[:i])
		}
	}
	kinds[typeStrings].encode(e, names)
	kinds[typeStrings].encode(e, parents)
}

// eachName encodes the answer about each name that is asked for. A parameter that isn't there isn't set.
func eachName(p Parameters, d *msgs.Decoder, e *msgs.Encoder, encode func(Description)) {
	names := decodeList(d, 5, (*msgs.Decoder).String)
	e.Len(len(names))
	for _, name := range names {
		v, ok := p.Describe(name)
		if !ok {
			v = Description{Name: name}
		}
		encode(v)
	}
}

// set sets parameters, together or each by itself.
func (s *ParameterServer) set(p Parameters, d *msgs.Decoder, e *msgs.Encoder, together bool) {
	list := decodeList(d, 5, func(d *msgs.Decoder) Parameter { return Parameter{d.String(), decodeValue(d)} })
	if d.Err() != nil {
		return
	}
	var changed []Parameter
	apply := func(list []Parameter) {
		done, err := p.Set(list)
		changed = append(changed, done...)
		why := ""
		if err != nil {
			why = err.Error()
		}
		e.Bool(err == nil)
		e.String(why)
	}
	if together {
		apply(list)
	} else {
		e.Len(len(list))
		for i := range list {
			apply(list[i : i+1])
		}
	}
	s.Changed(changed)
}

// Changed announces parameters that have changed.
func (s *ParameterServer) Changed(list []Parameter) {
	if len(list) == 0 {
		return
	}
	var e msgs.Encoder
	e.BeginCDR()
	now := time.Now()
	e.I32(int32(now.Unix()))
	e.U32(uint32(now.Nanosecond()))
	e.String(s.n.FullName())
	e.Len(0) // new
	e.Len(len(list))
	for _, p := range list {
		e.String(p.Name)
		encodeValue(&e, p.Value)
	}
	e.Len(0) // deleted
	s.events.Publish(msgs.Raw{Head: e.B})
}

func typeOf(v Value) uint8 {
	return uint8(max(slices.IndexFunc(kinds[:], func(k kind) bool { return k.is(v) }), typeNotSet))
}

// encodeValue encodes a rcl_interfaces/msg/ParameterValue: its type, and a field for each type.
func encodeValue(e *msgs.Encoder, v Value) {
	e.U8(typeOf(v))
	for _, k := range kinds {
		k.encode(e, v)
	}
}

func decodeValue(d *msgs.Decoder) (v Value) {
	wanted := int(d.U8())
	for i, k := range kinds {
		if field := k.decode(d); i == wanted {
			v = field
		}
	}
	if wanted >= len(kinds) {
		d.Fail(fmt.Errorf("parameter of the type %d: want 0 to %d", wanted, len(kinds)-1))
	}
	return v
}

func decodeList[T any](d *msgs.Decoder, size int, next func(*msgs.Decoder) T) (list []T) {
	n := d.Len(size)
	if n > maxParameters {
		d.Fail(fmt.Errorf("list of %d values: want at most %d", n, maxParameters))
	}
	for i := 0; i < n && d.Err() == nil; i++ {
		list = append(list, next(d))
	}
	return list
}

// encode encodes a rcl_interfaces/msg/ParameterDescriptor.
func (v *Description) encode(e *msgs.Encoder) {
	kind := typeOf(v.Value)
	e.String(v.Name)
	e.U8(kind)
	e.String(v.Text)
	e.String(v.Constraints)
	e.Bool(v.ReadOnly)
	e.Bool(false) // the type doesn't change
	for _, of := range []uint8{typeFloat, typeInt} {
		if v.Range == nil || kind != of {
			e.Len(0)
			continue
		}
		e.Len(1)
		for _, f := range v.Range {
			if kind == typeFloat {
				e.F64(f)
			} else {
				e.I64(int64(f))
			}
		}
	}
}
