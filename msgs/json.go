package msgs

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WriteJSON prints the message as a JSON object on one line, without a newline. uint8
// arrays are base64, times are {"secs", "nsecs"}, and NaN and infinities are null. With
// Tree, uint8 arrays are lists of numbers, an array truncated by MaxArray ends with
// {"…": number of omitted elements}, and integers of 16 or more digits, which JavaScript may round, are {"#": digits}.
func (s *Spec) WriteJSON(w io.Writer, data []byte, o PrintOptions) error {
	p := jsonPrinter{newPrinter(w, data, o)}
	p.object(s)
	return p.finish()
}

type jsonPrinter struct{ printer }

func (p *jsonPrinter) object(s *Spec) {
	p.w.WriteByte('{')
	defer p.w.WriteByte('}')
	if s.min == 0 || s.min > int64(p.d.Remaining()) {
		s.skip(p.d)
		return
	}
	comma := ""
	for i := range s.Fields {
		f := &s.Fields[i]
		if p.d.err != nil {
			return
		}
		if p.o.OmitArrays && f.Array || p.o.OmitStrings && f.Kind == KindString {
			f.skip(p.d)
			continue
		}
		fmt.Fprintf(p.w, "%s%s:", comma, QuoteJSON(f.Name))
		comma = ","
		if f.Array {
			p.array(f)
		} else {
			p.value(f)
		}
	}
}

func (p *jsonPrinter) array(f *Field) {
	shown, n := p.length(f)
	if p.d.err != nil {
		p.w.WriteString("[]")
		return
	}
	if f.Kind == KindUint8 && !p.o.Tree {
		fmt.Fprintf(p.w, `"%s"`, base64.StdEncoding.EncodeToString(p.d.Raw(shown)))
	} else {
		p.w.WriteByte('[')
		for i := 0; i < shown && p.d.err == nil; i++ {
			if i > 0 {
				p.w.WriteByte(',')
			}
			p.value(f)
		}
		if p.o.Tree && shown < n {
			fmt.Fprintf(p.w, `,{"…":%d}`, n-shown)
		}
		p.w.WriteByte(']')
	}
	f.skipElements(p.d, n-shown)
}

func (p *jsonPrinter) value(f *Field) {
	switch f.Kind {
	case KindStruct:
		p.object(f.Sub)
	case KindTime:
		fmt.Fprintf(p.w, `{"secs":%d,"nsecs":%d}`, p.d.U32(), p.d.U32())
	case KindDuration:
		fmt.Fprintf(p.w, `{"secs":%d,"nsecs":%d}`, p.d.I32(), p.d.I32())
	case KindBool:
		p.w.WriteString(strconv.FormatBool(p.d.Bool()))
	case KindString:
		p.text(p.d.Bytes())
	case KindFloat32:
		p.float(float64(p.d.F32()), 32)
	case KindFloat64:
		p.float(p.d.F64(), 64)
	default:
		digits := p.integer(f.Kind)
		if p.o.Tree && len(strings.TrimPrefix(digits, "-")) >= len("9007199254740992") {
			digits = `{"#":"` + digits + `"}`
		}
		p.w.WriteString(digits)
	}
}

func (p *jsonPrinter) float(v float64, bits int) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		p.w.WriteString("null")
		return
	}
	p.w.WriteString(strconv.FormatFloat(v, 'g', -1, bits))
}

// text prints a string piece by piece. Pieces end where a character does.
func (p *jsonPrinter) text(text []byte) {
	const most = 16 << 10
	p.w.WriteByte('"')
	for len(text) > 0 {
		n := min(len(text), most)
		for i := n; n < len(text) && i > most-utf8.UTFMax; i-- {
			if utf8.RuneStart(text[i]) {
				n = i
				break
			}
		}
		quoted := QuoteJSON(string(text[:n]))
		p.w.WriteString(quoted[1 : len(quoted)-1])
		text = text[n:]
	}
	p.w.WriteByte('"')
}

// QuoteJSON returns a JSON string. Invalid UTF-8 becomes U+FFFD.
func QuoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // strings always marshal
		return `""`
	}
	return string(b)
}
