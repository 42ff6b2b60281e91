package pyexpr

import (
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"rsros/msgs"
)

// Values are nil, bool, int64, *big.Int (only beyond int64), float64, string,
// msgs.Time, msgs.Duration, list, generator and msgs.Value (a message or an array).

// list is a collection that an expression creates.
type list struct {
	kind  listKind
	items []any // of bytes int64
}

type listKind int

const (
	aList listKind = iota
	aTuple
	aSet
	aBytes
)

var brackets = [][2]string{aList: {"[", "]"}, aTuple: {"(", ")"}, aSet: {"{", "}"}}

// generator yields values until yield returns false.
type generator iter.Seq[any]

// bagTime is the time t, whose repr differs from other times' because rosbag uses rospy's class.
type bagTime msgs.Time

func plain(v any) any {
	if t, ok := v.(bagTime); ok {
		return msgs.Time(t)
	}
	return v
}

func truth(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case list:
		return len(v.items) > 0
	case msgs.Value:
		return !v.IsArray() || v.Len() > 0
	}
	ns, _, _, isTime := timeOf(v)
	return v != nil && (!isTime || ns != 0)
}

// timeOf returns a time or a duration in nanoseconds, and its two parts.
func timeOf(v any) (ns, sec, nsec int64, ok bool) {
	switch v := plain(v).(type) {
	case msgs.Time:
		return int64(v), int64(v.Sec()), int64(v.Nsec()), true
	case msgs.Duration:
		return int64(v), int64(v.Sec()), int64(v.Nsec()), true
	}
	return 0, 0, 0, false
}

func (f *frame) field(v any, name string) any {
	if m, ok := v.(msgs.Value); ok && !m.IsArray() {
		return f.messageField(m, name)
	}
	_, sec, nsec, ok := timeOf(v)
	if !ok || name != "secs" && name != "nsecs" {
		fail("%s has no field %s", kindOf(v), name)
	}
	if name == "secs" {
		return sec
	}
	return nsec
}

func (f *frame) messageField(v msgs.Value, name string) any {
	switch name {
	case "_type":
		return v.Spec().Name
	case "_md5sum":
		return v.Spec().MD5()
	}
	if part, ok := v.Field(name); ok {
		return f.part(v, part)
	}
	i := slices.IndexFunc(v.Spec().Constants, func(c msgs.Constant) bool { return c.Name == name })
	if i < 0 {
		fail("type %s has no field %s", v.Spec().Name, name)
	}
	return constantOf(v.Spec().Constants[i])
}

// part decodes a field or an element. It counts the bytes that were skipped to find it as steps.
func (f *frame) part(of, v msgs.Value) any {
	f.work(1 + (of.Decoder().Remaining()-v.Decoder().Remaining())/64)
	return f.decoded(v)
}

func constantOf(c msgs.Constant) any {
	switch c.Type {
	case "string":
		return c.Value
	case "bool":
		return c.Value != "0" && !strings.EqualFold(c.Value, "false")
	case "float32", "float64":
		if v, err := strconv.ParseFloat(c.Value, 64); err == nil {
			return v
		}
	default:
		if n, ok := new(big.Int).SetString(c.Value, 0); ok {
			return integer(n)
		}
	}
	fail("constant %s: %q is not a number", c.Name, c.Value)
	return nil
}

func (f *frame) decoded(v msgs.Value) any {
	switch x := v.Decoded().(type) {
	case uint64:
		return integer(new(big.Int).SetUint64(x))
	case string:
		f.work(len(x) / 16)
		return msgs.DecodeText(x)
	default:
		return x
	}
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "a truth value"
	case int64, *big.Int, float64:
		return "a number"
	case string:
		return "a string"
	case msgs.Time, bagTime:
		return "a time"
	case msgs.Duration:
		return "a duration"
	case msgs.Value:
		if v.IsArray() {
			return "an array of " + v.Type()
		}
		return "a message " + v.Type()
	case generator:
		return "a generator"
	}
	return "a list"
}
