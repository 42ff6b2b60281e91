package ros2

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rsros/msgs"
	mapping "rsros/msgs/ros2"
)

// Value is a parameter's value: nil (not set), bool, int64, float64, string, []byte, []bool, []int64, []float64 or []string.
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

// Types of parameters on the wire, by position.
const (
	typeNotSet = iota
	typeBool
	typeInt
	typeFloat
	typeString
	typeBytes
	typeBools
	typeInts
	typeFloats
	typeStrings
)

const (
	maxParameters      = 10000 // in a request
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
	s.events, err = n.Advertise(PublisherOptions{Topic: parameterEvents, Type: parameterEventType, Hash: hash, Definition: definition, QoS: QoS{Reliable: true, Depth: 1000}})
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
		{"set_parameters_atomically", "SetParametersAtomically", func(d *msgs.Decoder, e *msgs.Encoder) { s.set(p, d, e, true) }},
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
	prefixes := decodeNames(d)
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
	encodeNames(e, names)
	encodeNames(e, parents)
}

func decodeNames(d *msgs.Decoder) (list []string) {
	n := d.Len(5)
	if n > maxParameters {
		d.Fail(fmt.Errorf("%d names of parameters", n))
	}
	for i := 0; i < n && d.Err() == nil; i++ {
		list = append(list, d.String())
	}
	return list
}

func encodeNames(e *msgs.Encoder, list []string) {
	e.Len(len(list))
	for _, s := range list {
		e.String(s)
	}
}

// eachName encodes the answer about each name that is asked for. A parameter that isn't there isn't set.
func eachName(p Parameters, d *msgs.Decoder, e *msgs.Encoder, encode func(Description)) {
	names := decodeNames(d)
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
	n := d.Len(5)
	var list []Parameter
	for i := 0; i < min(n, maxParameters) && d.Err() == nil; i++ {
		list = append(list, Parameter{d.String(), decodeValue(d)})
	}
	if d.Err() != nil {
		return
	}
	var changed []Parameter
	apply := func(list []Parameter) {
		done, err := p.Set(list)
		changed = append(changed, done...)
		e.Bool(err == nil)
		if err != nil {
			e.String(err.Error())
		} else {
			e.String("")
		}
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
	switch v.(type) {
	case bool:
		return typeBool
	case int64:
		return typeInt
	case float64:
		return typeFloat
	case string:
		return typeString
	case []byte:
		return typeBytes
	case []bool:
		return typeBools
	case []int64:
		return typeInts
	case []float64:
		return typeFloats
	case []string:
		return typeStrings
	}
	return typeNotSet
}

// encodeValue encodes a rcl_interfaces/msg/ParameterValue: its type, and a field for each type.
func encodeValue(e *msgs.Encoder, v Value) {
	e.U8(typeOf(v))
	b, _ := v.(bool)
	e.Bool(b)
	i, _ := v.(int64)
	e.I64(i)
	f, _ := v.(float64)
	e.F64(f)
	s, _ := v.(string)
	e.String(s)
	raw, _ := v.([]byte)
	e.Bytes(raw)
	bools, _ := v.([]bool)
	e.Len(len(bools))
	for _, b := range bools {
		e.Bool(b)
	}
	ints, _ := v.([]int64)
	e.Len(len(ints))
	for _, i := range ints {
		e.I64(i)
	}
	floats, _ := v.([]float64)
	e.Len(len(floats))
	for _, f := range floats {
		e.F64(f)
	}
	list, _ := v.([]string)
	encodeNames(e, list)
}

func decodeValue(d *msgs.Decoder) Value {
	kind := d.U8()
	all := [...]Value{typeNotSet: nil, typeBool: d.Bool(), typeInt: d.I64(), typeFloat: d.F64(), typeString: d.String(),
		typeBytes: slices.Clone(d.Bytes()), typeBools: decodeList(d, 1, d.Bool), typeInts: decodeList(d, 8, d.I64),
		typeFloats: decodeList(d, 8, d.F64), typeStrings: decodeNames(d)}
	if int(kind) >= len(all) {
		d.Fail(fmt.Errorf("parameter of the type %d: want 0 to %d", kind, len(all)-1))
		return nil
	}
	return all[kind]
}

func decodeList[T any](d *msgs.Decoder, size int, next func() T) (list []T) {
	n := d.Len(size)
	for i := 0; i < n && d.Err() == nil; i++ {
		list = append(list, next())
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
	isFloat, isInt := v.Range != nil && kind == typeFloat, v.Range != nil && kind == typeInt
	e.Len(count(isFloat))
	if isFloat {
		for _, f := range v.Range {
			e.F64(f)
		}
	}
	e.Len(count(isInt))
	if isInt {
		for _, f := range v.Range {
			e.I64(int64(f))
		}
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
