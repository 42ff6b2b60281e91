package xmlrpc

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// decoder reads the grammar of XML-RPC.
type decoder struct {
	markup
	depth  int
	values int // decoded so far
}

func newDecoder(document []byte) *decoder {
	return &decoder{markup: markup{b: utf8Document(document)}}
}

// utf8Document converts a document in ISO-8859-1, the only other encoding that peers use, to UTF-8.
// What isn't UTF-8 is refused.
func utf8Document(document []byte) []byte {
	const longest = 200 // bytes of an XML declaration
	start := bytes.TrimLeft(document[:min(len(document), longest)], " \t\r\n")
	declaration, _, _ := bytes.Cut(bytes.ToLower(start), []byte("?>"))
	latin1 := bytes.Contains(declaration, []byte(`"iso-8859-1"`)) || bytes.Contains(declaration, []byte("'iso-8859-1'"))
	if !latin1 || !bytes.HasPrefix(declaration, []byte("<?xml")) {
		return document
	}
	out := make([]byte, 0, len(document)+len(document)/8)
	for _, c := range document {
		out = utf8.AppendRune(out, rune(c))
	}
	return out
}

func decodeCall(document []byte) (method string, args []any, err error) {
	d := newDecoder(document)
	d.element("methodCall", func() {
		if method = strings.TrimSpace(d.simple("methodName")); method == "" {
			d.fail(d.pos, "call without a method name")
		}
		args = d.params()
	})
	d.end()
	return method, args, d.err
}

// decodeResponse reads a <methodResponse>. A fault is returned as a *Fault.
func decodeResponse(document []byte) (value any, err error) {
	d := newDecoder(document)
	var fault error
	d.element("methodResponse", func() {
		if d.at("fault") {
			d.element("fault", func() { fault = newFault(d.value()) })
		} else if values := d.params(); len(values) == 1 {
			value = values[0]
		} else {
			d.fail(d.pos, "response with %d values", len(values))
		}
	})
	d.end()
	return value, cmp.Or(d.err, fault)
}

// newFault reads the struct of a fault. Missing fields are no error, because it is only reported.
func newFault(value any) *Fault {
	fields, _ := value.(map[string]any)
	code, _ := fields["faultCode"].(int)
	message, _ := fields["faultString"].(string)
	return &Fault{Code: code, Message: message}
}

// params reads <params>, which may be missing.
func (d *decoder) params() []any {
	values := []any{}
	if d.at("params") {
		d.element("params", func() {
			d.each("param", func() { values = append(values, d.value()) })
		})
	}
	return values
}

// value reads <value>: a typed element, or bare text, which is a string.
func (d *decoder) value() (value any) {
	if d.depth++; d.depth > maxDepth {
		d.fail(d.pos, "values nested deeper than %d", maxDepth)
	}
	if d.values++; d.values > maxValues {
		d.fail(d.pos, "more than %d values", maxValues)
	}
	d.elementRaw("value", func() {
		bare := d.text()
		t := d.tag()
		if t.name == nil || t.closing {
			value = bare
			return
		}
		if strings.TrimSpace(bare) != "" {
			d.fail(d.pos, "text beside %v", t)
		}
		value = d.typed(string(t.name))
		d.skipSpace()
	})
	d.depth--
	return value
}

// typed reads the element inside <value> that names its type.
func (d *decoder) typed(name string) any {
	switch name {
	case "array":
		values := []any{}
		d.element("array", func() {
			d.element("data", func() {
				for d.at("value") {
					values = append(values, d.value())
				}
			})
		})
		return values
	case "struct":
		fields := map[string]any{}
		d.element("struct", func() {
			d.each("member", func() {
				name := d.simple("name")
				d.skipSpace()
				fields[name] = d.value()
			})
		})
		return fields
	}
	offset := d.pos
	value, err := parseScalar(name, d.simple(name))
	if err != nil {
		d.fail(offset, "%v", err)
	}
	return value
}

var errUnknownType = errors.New("unknown type of value")

func parseScalar(name, content string) (any, error) {
	trimmed := strings.TrimSpace(content)
	switch name {
	case "string":
		return content, nil
	case "int", "i4", "i8":
		n, err := strconv.ParseInt(trimmed, 10, strconv.IntSize)
		return int(n), err
	case "boolean":
		if trimmed != "0" && trimmed != "1" {
			return nil, errors.New("boolean is neither 0 nor 1")
		}
		return trimmed == "1", nil
	case "double":
		return strconv.ParseFloat(trimmed, 64)
	case "dateTime.iso8601":
		return parseTime(trimmed)
	case "base64":
		return base64.StdEncoding.DecodeString(strings.Join(strings.Fields(content), ""))
	case "nil":
		return nil, nil
	}
	return nil, errUnknownType
}

// timeLayout is the form of dateTime.iso8601. It has no zone; UTC is assumed.
const timeLayout = "20060102T15:04:05"

func parseTime(s string) (time.Time, error) {
	bare := strings.TrimSuffix(strings.ReplaceAll(s, "-", ""), "Z")
	return time.ParseInLocation(timeLayout, bare, time.UTC)
}

func (d *decoder) skipSpace() {
	start := d.pos
	if text := d.text(); strings.TrimSpace(text) != "" {
		d.fail(start, "unexpected text %.20q", text)
	}
}

// end checks that nothing comes next.
func (d *decoder) end() {
	if d.skipSpace(); d.pos < len(d.b) {
		d.fail(d.pos, "expected end of document, found %v", d.tag())
	}
}

// at reports whether <name> comes next.
func (d *decoder) at(name string) bool {
	d.skipSpace()
	t := d.tag()
	return string(t.name) == name && !t.closing
}

// element reads <name>, what inner reads, and </name>. White space around inner is skipped.
func (d *decoder) element(name string, inner func()) {
	d.elementRaw(name, func() {
		inner()
		d.skipSpace()
	})
}

// elementRaw is element for an inner part in which trailing white space counts.
func (d *decoder) elementRaw(name string, inner func()) {
	d.skipSpace()
	d.take(name, false)
	inner()
	d.take(name, true)
}

// each reads all <name> elements that follow.
func (d *decoder) each(name string, inner func()) {
	for d.at(name) {
		d.element(name, inner)
	}
}

// simple reads <name>text</name>.
func (d *decoder) simple(name string) (content string) {
	d.elementRaw(name, func() { content = d.text() })
	return content
}
