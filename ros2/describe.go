package ros2

import (
	"context"
	"fmt"
	"strings"

	"rsros/msgs"
	mapping "rsros/msgs/ros2"
)

const (
	describeService = "get_type_description"
	describeType    = "type_description_interfaces/srv/GetTypeDescription"
)

var separator = strings.Repeat("=", 80)

// serveDescriptions answers those who ask for a type that this node publishes.
func (n *Node) serveDescriptions() error {
	_, err := n.Serve("~/"+describeService, describeType, func(_ context.Context, b []byte) ([]byte, error) {
		d := msgs.NewCDRDecoder(b)
		name, hash, sources := d.String(), d.String(), d.Bool()
		if d.Err() != nil {
			return nil, d.Err()
		}
		n.mu.Lock()
		t, ok := n.types[name]
		n.mu.Unlock()
		var e msgs.Encoder
		e.BeginCDR()
		if !ok || t.hash != hash {
			encodeRefusal(&e, fmt.Sprintf("the node %s has no type %s with the hash %q", n.FullName(), name, hash))
			return e.B, nil
		}
		start := len(e.B)
		e.Bool(true)
		e.String("")
		if err := mapping.EncodeDescription(&e, name, t.definition); err != nil {
			e.B = e.B[:start]
			encodeRefusal(&e, err.Error())
			return e.B, nil
		}
		encodeSources(&e, name, t.definition, sources)
		e.Len(0) // extra information
		return e.B, nil
	})
	return err
}

// encodeRefusal encodes a response without a description.
func encodeRefusal(e *msgs.Encoder, why string) {
	e.Bool(false)
	e.String(why)
	e.String("")
	for range 4 { // fields, referenced types, sources, extra information
		e.Len(0)
	}
}

func encodeSources(e *msgs.Encoder, name, definition string, wanted bool) {
	if !wanted {
		e.Len(0)
		return
	}
	parts := strings.Split(definition, "\n"+separator+"\nMSG: ")
	e.Len(len(parts))
	for i, text := range parts {
		if i > 0 {
			short, rest, _ := strings.Cut(text, "\n")
			name, text = mapping.FullTypeName(short), rest
		}
		e.String(name)
		e.String("msg")
		e.String(text)
	}
}

// DescribeType asks a node for the definition of a type with a hash, as its endpoints announce them. The definition has
// the encoding "ros2msg" with all dependencies. Nodes of ROS 2 before Iron don't answer.
func (n *Node) DescribeType(ctx context.Context, node, name, hash string) (definition string, err error) {
	var e msgs.Encoder
	e.BeginCDR()
	e.String(name)
	e.String(hash)
	e.Bool(true)
	b, err := n.Call(ctx, node+"/"+describeService, describeType, e.B)
	if err != nil {
		return "", err
	}
	definition, err = decodeDescription(b, name)
	if err != nil {
		return "", fmt.Errorf("ask %s for the type %s: %w", node, name, err)
	}
	return definition, nil
}

// decodeDescription reads a response of get_type_description.
func decodeDescription(b []byte, name string) (string, error) {
	d := msgs.NewCDRDecoder(b)
	successful, why := d.Bool(), d.String()
	skipDescription(d)
	for range d.Len(8) {
		skipDescription(d)
	}
	var own string
	var others strings.Builder
	for range d.Len(12) {
		of, encoding, text := d.String(), d.String(), d.String()
		switch {
		case encoding != "msg":
		case of == name:
			own = text
		default:
			fmt.Fprintf(&others, "\n%s\nMSG: %s\n%s", separator, strings.Replace(of, "/msg/", "/", 1), text)
		}
	}
	switch {
	case d.Err() != nil:
		return "", d.Err()
	case !successful:
		return "", fmt.Errorf("it refuses: %s", why)
	case own == "":
		return "", fmt.Errorf("the answer has no definition")
	}
	return own + others.String(), nil
}

// skipDescription reads a type's fields.
func skipDescription(d *msgs.Decoder) {
	d.Text()
	for range d.Len(8) {
		d.Text() // name
		d.U8()   // type
		d.U64()
		d.U64()
		d.Text() // nested type
		d.Text() // default value
	}
}
