package pyexpr

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"rsros/msgs"
)

// write writes Python's str or repr of a value.
func (f *frame) write(w *bufio.Writer, v any, str bool) {
	switch v := v.(type) {
	case nil:
		w.WriteString("None")
	case bool:
		w.WriteString(map[bool]string{true: "True", false: "False"}[v])
	case int64:
		w.WriteString(strconv.FormatInt(v, 10))
	case *big.Int:
		w.WriteString(v.String())
	case float64:
		w.WriteString(msgs.FormatFloat(v))
	case string:
		if str {
			w.WriteString(v)
		} else {
			writeQuoted(w, v, true)
		}
	case bagTime:
		writeTime(w, "rospy.Time", int64(v), str)
	case msgs.Time:
		writeTime(w, "genpy.Time", int64(v), str)
	case msgs.Duration:
		writeTime(w, "genpy.Duration", int64(v), str)
	case generator:
		w.WriteString("<generator object>")
	default:
		f.writeParts(w, v)
	}
}

func writeTime(w io.Writer, class string, ns int64, str bool) {
	if str {
		fmt.Fprint(w, ns)
		return
	}
	fmt.Fprintf(w, "%s[%d]", class, ns)
}

func (f *frame) writeParts(w *bufio.Writer, v any) {
	if m, ok := v.(msgs.Value); ok && !m.IsArray() {
		if err := m.Spec().WriteYAML(&unterminated{w: w}, m.Decoder().Rest(), msgs.PrintOptions{}); err != nil {
			panic(failure{err})
		}
		return
	}
	kind, n := f.collection(v)
	if kind == aBytes {
		f.work(n)
		w.WriteByte('b')
		writeQuoted(w, f.bytes(v), false)
		return
	}
	if kind == aSet && n == 0 {
		w.WriteString("set()")
		return
	}
	w.WriteString(brackets[kind][0])
	separator := ""
	for x := range f.elements(v) {
		w.WriteString(separator)
		f.write(w, x, false)
		separator = ", "
	}
	if kind == aTuple && n == 1 {
		w.WriteByte(',')
	}
	w.WriteString(brackets[kind][1])
}

// writeQuoted writes Python's repr of a string or of bytes, without the b.
func writeQuoted(w *bufio.Writer, s string, text bool) {
	mark := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		mark = '"'
	}
	escapes := map[rune]string{'\n': `\n`, '\r': `\r`, '\t': `\t`, '\\': `\\`, mark: `\` + string(mark)}
	w.WriteRune(mark)
	write := func(r rune) {
		switch {
		case escapes[r] != "":
			w.WriteString(escapes[r])
		case strconv.IsPrint(r) && (text || r < 0x80):
			w.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(w, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(w, `\u%04x`, r)
		default:
			fmt.Fprintf(w, `\U%08x`, r)
		}
	}
	if text {
		for _, r := range s {
			write(r)
		}
	} else {
		for _, c := range []byte(s) {
			write(rune(c))
		}
	}
	w.WriteRune(mark)
}

func (f *frame) text(v any, str bool) string {
	if s, ok := v.(string); ok && str {
		return s
	}
	b := &boundedBuffer{f: f}
	out := bufio.NewWriter(b)
	f.write(out, v, str)
	_ = out.Flush() // boundedBuffer returns no error
	return b.String()
}

// boundedBuffer is a buffer that counts its memory.
type boundedBuffer struct {
	bytes.Buffer
	f *frame
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	b.f.spend(len(p))
	return b.Buffer.Write(p)
}

type unterminated struct {
	w       io.Writer
	newline bool // held back
}

func (u *unterminated) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	var err error
	if u.newline {
		_, err = io.WriteString(u.w, "\n")
	}
	text := bytes.TrimSuffix(p, []byte("\n"))
	u.newline = len(text) < len(p)
	_, textErr := u.w.Write(text)
	return len(p), errors.Join(err, textErr)
}
