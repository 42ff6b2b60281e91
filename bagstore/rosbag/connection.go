package rosbag

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
	"unique"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
)

// connection is a connection of a file.
type connection struct {
	bagstore.Connection
	garbled bool // the topic has characters that damage leaves there, and no equal copy in the data
}

// parseConnection parses a connection record. The topic is in its header, the other fields are in
// its data. rosbag repeats the topic there, librealsense doesn't.
func parseConnection(h *bagrecord.Header, data []byte) (*connection, error) {
	if err := h.Need(bagrecord.HasConn | bagrecord.HasTopic); err != nil {
		return nil, err
	}
	c, repeated := &connection{Connection: bagstore.Connection{ID: h.Conn, Topic: string(h.Topic)}}, ""
	for len(data) > 0 {
		name, value, rest, err := bagrecord.NextField(data)
		if err != nil {
			return nil, err
		}
		data = rest
		switch string(name) {
		case "type":
			c.Type = unique.Make(string(value)).Value()
		case "md5sum":
			c.MD5 = unique.Make(string(value)).Value()
		case "message_definition":
			c.Definition = string(value)
		case "callerid":
			c.CallerID = unique.Make(string(value)).Value()
		case "latching":
			c.Latching = string(value) == "1"
		case "topic":
			repeated = string(value)
		default:
			c.Extra = append(c.Extra, bagstore.Field{Name: string(name), Value: string(value)})
		}
	}
	odd := func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }
	c.garbled = strings.ContainsFunc(c.Topic, odd) && repeated != c.Topic
	return c, nil
}

// differs is the severity of a record that contradicts the one in use.
func (c *connection) differs(used *connection) bagstore.Severity {
	if c.garbled && !used.garbled {
		return bagstore.Repairable
	}
	return bagstore.Loss
}

// same reports whether two connections are equal except for their IDs.
func same(c, d *bagstore.Connection) bool {
	return c.Topic == d.Topic && c.Type == d.Type && c.MD5 == d.MD5 && c.Definition == d.Definition &&
		c.CallerID == d.CallerID && c.Latching == d.Latching && slices.Equal(c.Extra, d.Extra)
}

// appendConnection appends a connection record, its fields sorted as by rosbag's C++ writer.
func appendConnection(b []byte, c *bagstore.Connection) []byte {
	b = bagrecord.AppendHeader(b, bagrecord.OpConnection, func(b []byte) []byte {
		b = bagrecord.AppendU32(b, "conn", c.ID)
		return bagrecord.AppendString(b, "topic", c.Topic)
	})
	fields := []bagstore.Field{
		{Name: "md5sum", Value: c.MD5},
		{Name: "message_definition", Value: c.Definition},
		{Name: "topic", Value: c.Topic},
		{Name: "type", Value: c.Type},
	}
	if c.CallerID != "" {
		fields = append(fields, bagstore.Field{Name: "callerid", Value: c.CallerID})
	}
	if c.Latching {
		fields = append(fields, bagstore.Field{Name: "latching", Value: "1"})
	}
	fields = append(fields, c.Extra...)
	slices.SortStableFunc(fields, func(x, y bagstore.Field) int { return cmp.Compare(x.Name, y.Name) })
	at := len(b)
	b = append(b, 0, 0, 0, 0)
	for _, f := range fields {
		b = bagrecord.AppendString(b, f.Name, f.Value)
	}
	bagrecord.PutLength(b, at)
	return b
}
