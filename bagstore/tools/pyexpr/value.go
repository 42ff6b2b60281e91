package pyexpr

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"rsros/msgs"
)

// Values are nil, bool, *big.Int, float64, string, msgs.Time, msgs.Duration,
// []any (a list, tuple or set) and msgs.Value (a message or an array).

// Env is one message, for which an expression is evaluated.
type Env struct {
	Topic string
	Time  msgs.Time
	// Spec and Data are the message. Spec may be nil where the definition makes no
	// sense: an expression that looks into the message fails then.
	Spec *msgs.Spec
	Data []byte

	checked bool
}

func (e *Env) message() (any, error) {
	if e.Spec == nil {
		return nil, errors.New("the message's definition makes no sense")
	}
	if !e.checked {
		if err := e.Spec.Check(e.Data); err != nil {
			return nil, fmt.Errorf("the message is no %s: %w", e.Spec.Name, err)
		}
		e.checked = true
	}
	return e.Spec.Value(e.Data), nil
}

// Holds reports whether the expression is true of a message.
func (x *Expr) Holds(e Env) (bool, error) {
	v, err := x.root(&e)
	if err != nil {
		return false, fmt.Errorf("%s: %w", x.source, err)
	}
	return truth(v), nil
}

// WriteValue writes the expression's value as Python's print does.
func (x *Expr) WriteValue(w io.Writer, e Env) error {
	v, err := x.root(&e)
	if err != nil {
		return fmt.Errorf("%s: %w", x.source, err)
	}
	text, err := str(v)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

func truth(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case *big.Int:
		return v.Sign() != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case msgs.Value:
		return !v.IsArray() || v.Len() > 0
	case msgs.Time:
		return v != 0
	case msgs.Duration:
		return v != 0
	}
	return v != nil
}

func integer(n int64) any { return big.NewInt(n) }

// parseNumber reads a literal of Python.
func parseNumber(word string) (any, error) {
	lower := strings.ToLower(word)
	based := len(lower) > 2 && lower[0] == '0' && strings.ContainsRune("xob", rune(lower[1]))
	plain := strings.Trim(word, "0123456789_") == ""
	if strings.HasSuffix(word, "_") || strings.Contains(word, "__") || plain && len(word) > 1 && word[0] == '0' && strings.Trim(word, "0_") != "" {
		return nil, strconv.ErrSyntax
	}
	if based || plain {
		base := 10
		if based {
			base = 0
		}
		digits := strings.ReplaceAll(word, "_", "")
		if n, ok := new(big.Int).SetString(digits, base); ok && len(digits) < 4300 {
			return n, nil
		}
		return nil, strconv.ErrSyntax
	}
	if strings.Trim(lower, "0123456789_.e+-") != "" {
		return nil, strconv.ErrSyntax // 0x1p-2 is Go's
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(word, "_", ""), 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // infinite, as in Python
	}
	return v, err
}

// field is an attribute of a value.
func field(v any, name string) (any, error) {
	switch v := v.(type) {
	case msgs.Time:
		switch name {
		case "secs":
			return integer(int64(v.Sec())), nil
		case "nsecs":
			return integer(int64(v.Nsec())), nil
		}
	case msgs.Duration:
		switch name {
		case "secs":
			return integer(int64(v.Sec())), nil
		case "nsecs":
			return integer(int64(v.Nsec())), nil
		}
	case msgs.Value:
		if v.IsArray() || v.Spec() == nil {
			break
		}
		switch name {
		case "_type":
			return v.Spec().Name, nil
		case "_md5sum":
			return v.Spec().MD5(), nil
		}
		if f, ok := v.Field(name); ok {
			return simple(f), nil
		}
		for _, c := range v.Spec().Constants {
			if c.Name == name {
				return constantOf(c)
			}
		}
		return nil, fmt.Errorf("type %s has no field %s", v.Spec().Name, name)
	}
	return nil, fmt.Errorf("%s has no field %s", kindOf(v), name)
}

func constantOf(c msgs.Constant) (any, error) {
	switch c.Type {
	case "string":
		return c.Value, nil
	case "bool":
		return c.Value != "0" && !strings.EqualFold(c.Value, "false"), nil
	case "float32", "float64":
		return strconv.ParseFloat(c.Value, 64)
	}
	n, ok := new(big.Int).SetString(c.Value, 0)
	if !ok {
		return nil, fmt.Errorf("the constant %s is %q, which is no number", c.Name, c.Value)
	}
	return n, nil
}

// simple turns a field that is neither a message nor an array into a value.
func simple(v msgs.Value) any {
	if v.IsArray() || v.Kind() == msgs.KindStruct {
		return v
	}
	d := v.Decoder()
	switch v.Kind() {
	case msgs.KindBool:
		return d.Bool()
	case msgs.KindInt8:
		return integer(int64(d.I8()))
	case msgs.KindUint8:
		return integer(int64(d.U8()))
	case msgs.KindInt16:
		return integer(int64(d.I16()))
	case msgs.KindUint16:
		return integer(int64(d.U16()))
	case msgs.KindInt32:
		return integer(int64(d.I32()))
	case msgs.KindUint32:
		return integer(int64(d.U32()))
	case msgs.KindInt64:
		return integer(d.I64())
	case msgs.KindUint64:
		return new(big.Int).SetUint64(d.U64())
	case msgs.KindFloat32:
		return float64(d.F32())
	case msgs.KindFloat64:
		return d.F64()
	case msgs.KindString:
		return msgs.DecodeText(d.String())
	case msgs.KindTime:
		return d.Time()
	}
	return d.Duration()
}

// element is v[at]; a negative number counts from the end.
func element(v, at any) (any, error) {
	n, ok := asInt(at)
	if !ok || !n.IsInt64() {
		return nil, fmt.Errorf("an index is a number, not %s", kindOf(at))
	}
	size := 0
	switch v := v.(type) {
	case string:
		size = len([]rune(v))
	case []any:
		size = len(v)
	case msgs.Value:
		if !v.IsArray() {
			return nil, fmt.Errorf("%s has no elements", kindOf(v))
		}
		size = v.Len()
	default:
		return nil, fmt.Errorf("%s has no elements", kindOf(v))
	}
	i := n.Int64()
	if i < 0 {
		i += int64(size)
	}
	if i < 0 || i >= int64(size) {
		return nil, fmt.Errorf("index %v of %d elements", n, size)
	}
	switch v := v.(type) {
	case string:
		return string([]rune(v)[i]), nil
	case []any:
		return v[i], nil
	}
	return simple(v.(msgs.Value).Index(int(i))), nil
}

// elements calls f with each element until it returns false.
func elements(v any, f func(any) bool) error {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if !f(x) {
				return nil
			}
		}
		return nil
	case msgs.Value:
		if !v.IsArray() {
			break
		}
		if v.Kind() == msgs.KindUint8 { // one pass over pixels
			for _, b := range v.Decoder().Raw(v.Len()) {
				if !f(integer(int64(b))) {
					return nil
				}
			}
			return nil
		}
		for i := range v.Len() {
			if !f(simple(v.Index(i))) {
				return nil
			}
		}
		return nil
	}
	return fmt.Errorf("%s has no elements", kindOf(v))
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "a truth value"
	case *big.Int, float64:
		return "a number"
	case string:
		return "a string"
	case msgs.Time:
		return "a time"
	case msgs.Duration:
		return "a duration"
	case msgs.Value:
		if v.IsArray() {
			return "an array of " + v.Type()
		}
		return "a message " + v.Type()
	}
	return "a list"
}

// str is a value as Python's str.
func str(v any) (string, error) {
	if text, ok := v.(string); ok {
		return text, nil
	}
	if m, ok := v.(msgs.Value); ok && !m.IsArray() {
		var b bytes.Buffer
		err := m.Spec().WriteYAML(&b, m.Decoder().Rest(), msgs.PrintOptions{})
		return strings.TrimSuffix(b.String(), "\n"), err
	}
	return repr(v)
}

// repr is a value as Python writes it within a list.
func repr(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "None", nil
	case bool:
		return map[bool]string{true: "True", false: "False"}[v], nil
	case *big.Int:
		return v.String(), nil
	case float64:
		return msgs.FormatFloat(v), nil
	case string:
		return quote(v), nil
	case msgs.Time:
		return strconv.FormatInt(int64(v), 10), nil
	case msgs.Duration:
		return strconv.FormatInt(int64(v), 10), nil
	}
	var parts []string
	var err error
	eachErr := elements(v, func(x any) bool {
		var text string
		text, err = repr(x)
		parts = append(parts, text)
		return err == nil
	})
	return "[" + strings.Join(parts, ", ") + "]", errors.Join(err, eachErr)
}

func quote(s string) string {
	mark := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		mark = `"`
	}
	escaped := strings.NewReplacer(`\`, `\\`, mark, `\`+mark, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
	return mark + escaped + mark
}

// asInt is a number's or truth value's whole number.
func asInt(v any) (*big.Int, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case *big.Int:
		return v, true
	}
	return nil, false
}

// order compares two values: -1, 0 or 1. ok is false where Python refuses it, and
// for NaN.
func order(a, b any) (c int, ok bool) {
	switch x := a.(type) {
	case string:
		if y, isText := b.(string); isText {
			return strings.Compare(x, y), true
		}
		return 0, false
	case msgs.Time:
		if y, isTime := b.(msgs.Time); isTime {
			return big.NewInt(int64(x)).Cmp(big.NewInt(int64(y))), true
		}
		return 0, false
	case msgs.Duration:
		if y, isDuration := b.(msgs.Duration); isDuration {
			return big.NewInt(int64(x)).Cmp(big.NewInt(int64(y))), true
		}
		return 0, false
	}
	x, y := exact(a), exact(b)
	if x == nil || y == nil {
		return 0, false
	}
	return x.Cmp(y), true
}

// exact is a number without rounding, or nil.
func exact(v any) *big.Float {
	if n, ok := asInt(v); ok {
		return new(big.Float).SetInt(n)
	}
	if f, ok := v.(float64); ok && !math.IsNaN(f) {
		return new(big.Float).SetFloat64(f)
	}
	return nil
}

func isNaN(v any) bool {
	f, ok := v.(float64)
	return ok && math.IsNaN(f)
}

// same is ==.
func same(a, b any) bool {
	if c, ok := order(a, b); ok {
		return c == 0
	}
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	x, xErr := sequence(a)
	y, yErr := sequence(b)
	return xErr == nil && yErr == nil && slices.EqualFunc(x, y, same)
}

// sequence is the elements of a list or of an array. Python's == of a list and a
// tuple is false; that of an array and either of them depends on the type: here
// elements decide.
func sequence(v any) (list []any, err error) {
	err = elements(v, func(x any) bool {
		list = append(list, x)
		return true
	})
	return list, err
}

func compare(op string, a, b any) (bool, error) {
	switch op {
	case "==":
		return same(a, b), nil
	case "!=":
		return !same(a, b), nil
	case "in":
		return contains(b, a)
	case "not in":
		found, err := contains(b, a)
		return !found, err
	}
	if isNaN(a) && (exact(b) != nil || isNaN(b)) || isNaN(b) && exact(a) != nil {
		return false, nil
	}
	c, ok := order(a, b)
	if !ok {
		return false, fmt.Errorf("%s and %s can't be compared by %s", kindOf(a), kindOf(b), op)
	}
	switch op {
	case "<":
		return c < 0, nil
	case "<=":
		return c <= 0, nil
	case ">":
		return c > 0, nil
	}
	return c >= 0, nil
}

// contains is "x in v".
func contains(v, x any) (found bool, err error) {
	if whole, ok := v.(string); ok {
		part, ok := x.(string)
		if !ok {
			return false, fmt.Errorf("a string doesn't hold %s", kindOf(x))
		}
		return strings.Contains(whole, part), nil
	}
	err = elements(v, func(e any) bool {
		found = same(e, x)
		return !found
	})
	return found, err
}
