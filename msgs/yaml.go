package msgs

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// PrintOptions control printing.
type PrintOptions struct {
	MaxArray    int  // elements of an array to print; 0 for all
	OmitArrays  bool // like `rostopic echo --noarr`
	OmitStrings bool // like `rostopic echo --nostr`
	Tree        bool // JSON for display; see WriteJSON
}

// WriteYAML prints the message like `rostopic echo`, without "---".
func (s *Spec) WriteYAML(w io.Writer, data []byte, o PrintOptions) error {
	p := yamlPrinter{newPrinter(w, data, o)}
	p.fields(s, "")
	return p.finish()
}

// printer is the common part of both forms.
type printer struct {
	d *Decoder
	w *bufio.Writer // Flush returns its first error
	o PrintOptions
}

func newPrinter(w io.Writer, data []byte, o PrintOptions) printer {
	return printer{d: NewDecoder(data), w: bufio.NewWriter(w), o: o}
}

func (p *printer) finish() error { return cmp.Or(p.w.Flush(), p.d.Err()) }

// length reads the length of an array and returns how many elements to print. It returns zeros after an error.
func (p *printer) length(f *Field) (shown, n int) {
	n = f.count(p.d)
	if int64(n)*f.elemSize() > int64(p.d.Remaining()) {
		p.d.take(int64(n) * f.elemSize())
		return 0, 0
	}
	if p.o.MaxArray > 0 {
		return min(n, p.o.MaxArray), n
	}
	return n, n
}

// integer reads an integer as decimal text.
func (p *printer) integer(k Kind) string {
	v := p.d.integer(k)
	if k == KindUint64 {
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}

type yamlPrinter struct{ printer }

func (p *yamlPrinter) fields(s *Spec, indent string) {
	if s.min == 0 || s.min > int64(p.d.Remaining()) { // empty or truncated
		s.skip(p.d)
		return
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if p.d.err != nil {
			return
		}
		fmt.Fprintf(p.w, "%s%s: ", indent, f.Name)
		switch {
		case p.o.OmitArrays && f.Array, p.o.OmitStrings && f.Kind == KindString:
			p.omitted(f)
		case f.Array:
			p.array(f, indent+"  ")
		default:
			p.value(f, indent+"  ")
		}
	}
}

// omitted prints the length of an omitted value, like rostopic.
func (p *yamlPrinter) omitted(f *Field) {
	if !f.Array {
		fmt.Fprintf(p.w, "\"<string length: %d>\"\n", len(p.d.Bytes()))
		return
	}
	n := f.count(p.d)
	fmt.Fprintf(p.w, "\"<array type: %s, length: %d>\"\n", f.Type, n)
	f.skipElements(p.d, n)
}

// value prints a value after a name or "- ".
func (p *yamlPrinter) value(f *Field, indent string) {
	switch f.Kind {
	case KindStruct:
		p.w.WriteByte('\n')
		p.fields(f.Sub, indent)
	case KindTime:
		sec, nsec := p.d.U32(), p.d.U32()
		fmt.Fprintf(p.w, "\n%ssecs: %d\n%snsecs: %9d\n", indent, sec, indent, nsec)
	case KindDuration:
		sec, nsec := p.d.I32(), p.d.I32()
		fmt.Fprintf(p.w, "\n%ssecs: %d\n%snsecs: %9d\n", indent, sec, indent, nsec)
	case KindString:
		(&yamlText{w: p.w}).field(p.d.Bytes())
		p.w.WriteByte('\n')
	default:
		p.w.WriteString(p.scalar(f.Kind))
		p.w.WriteByte('\n')
	}
}

// array prints up to MaxArray elements and a comment with the number of others.
func (p *yamlPrinter) array(f *Field, indent string) {
	shown, n := p.length(f)
	if n == 0 {
		p.w.WriteString("[]\n")
		return
	}
	if f.Kind == KindStruct || f.Kind == KindString || f.Kind == KindTime || f.Kind == KindDuration {
		p.block(f, indent, shown, n)
	} else {
		p.flow(f, shown, n)
	}
	f.skipElements(p.d, n-shown)
}

// block prints elements on separate lines.
func (p *yamlPrinter) block(f *Field, indent string, shown, n int) {
	p.w.WriteByte('\n')
	for range shown {
		if p.d.err != nil {
			return
		}
		p.w.WriteString(indent + "- ")
		if f.Kind == KindString {
			(&yamlText{w: p.w, margin: indent, column: len("- ")}).element(p.d.Bytes())
			p.w.WriteByte('\n')
			continue
		}
		p.value(f, indent+"  ")
	}
	if shown < n {
		fmt.Fprintf(p.w, "%s# and %d more\n", indent, n-shown)
	}
}

// flow prints numbers on one line.
func (p *yamlPrinter) flow(f *Field, shown, n int) {
	p.w.WriteByte('[')
	for i := range shown {
		if i > 0 {
			p.w.WriteString(", ")
		}
		p.w.WriteString(p.scalar(f.Kind))
	}
	p.w.WriteByte(']')
	if shown < n {
		fmt.Fprintf(p.w, " # and %d more", n-shown)
	}
	p.w.WriteByte('\n')
}

func (p *yamlPrinter) scalar(k Kind) string {
	switch k {
	case KindBool:
		if p.d.Bool() {
			return "True"
		}
		return "False"
	case KindFloat32:
		return FormatFloat(float64(p.d.F32()))
	case KindFloat64:
		return FormatFloat(p.d.F64())
	}
	return p.integer(k)
}

// FormatFloat formats v like Python's repr: the shortest form that parses to v, with ".0" if it is integral.
func FormatFloat(v float64) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
