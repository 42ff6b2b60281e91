package xmlrpc

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// decoder reads the grammar of XML-RPC from a scanner, one token ahead.
type decoder struct {
	scanner
	ahead    token
	hasAhead bool
	depth    int
	values   int // decoded so far
}

// utf8Document returns the document in UTF-8. ISO-8859-1 is converted, the one other encoding that
// peers use; a document in any other is refused where it isn't UTF-8.
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
	d := decoder{scanner: scanner{b: utf8Document(document)}}
	err = d.element("methodCall", func() error {
		if method, err = d.simple("methodName"); err != nil {
			return err
		}
		if strings.TrimSpace(method) == "" {
			return d.fail(d.pos, "call without a method name")
		}
		args, err = d.params()
		return err
	})
	if err == nil {
		err = d.end()
	}
	return strings.TrimSpace(method), args, err
}

// decodeResponse reads a <methodResponse>; a fault comes back as a *Fault error.
func decodeResponse(document []byte) (value any, err error) {
	d := decoder{scanner: scanner{b: utf8Document(document)}}
	var fault error
	err = d.element("methodResponse", func() error {
		if isFault, err := d.at("fault"); err != nil {
			return err
		} else if isFault {
			return d.element("fault", func() error {
				value, err := d.value()
				fault = newFault(value)
				return err
			})
		}
		values, err := d.params()
		if err != nil {
			return err
		}
		if len(values) != 1 {
			return d.fail(d.pos, "response with %d values", len(values))
		}
		value = values[0]
		return nil
	})
	if err == nil {
		err = d.end()
	}
	if err == nil {
		err = fault
	}
	return value, err
}

// newFault reads the struct of a fault leniently: it is reported to people.
func newFault(value any) *Fault {
	fields, _ := value.(map[string]any)
	code, _ := fields["faultCode"].(int)
	message, _ := fields["faultString"].(string)
	return &Fault{Code: code, Message: message}
}

// params reads <params>, which may be missing.
func (d *decoder) params() ([]any, error) {
	values := []any{}
	present, err := d.at("params")
	if err != nil || !present {
		return values, err
	}
	err = d.element("params", func() error {
		return d.each("param", func() error {
			v, err := d.value()
			values = append(values, v)
			return err
		})
	})
	return values, err
}

// value reads <value>: a typed element, or bare text, which is a string.
func (d *decoder) value() (value any, err error) {
	if d.depth++; d.depth > maxDepth {
		return nil, d.fail(d.pos, "values nested deeper than %d", maxDepth)
	}
	if d.values++; d.values > maxValues {
		return nil, d.fail(d.pos, "more than %d values", maxValues)
	}
	defer func() { d.depth-- }()
	err = d.elementRaw("value", func() error {
		bare := ""
		t, err := d.peek()
		if err == nil && t.kind == text {
			bare = t.text
			d.hasAhead = false
			t, err = d.peek()
		}
		if err != nil {
			return err
		}
		if t.kind != startTag {
			value = bare
			return nil
		}
		if strings.TrimSpace(bare) != "" {
			return d.fail(t.offset, "text beside %v", t)
		}
		if value, err = d.typed(t.name); err != nil {
			return err
		}
		return d.skipSpace()
	})
	return value, err
}

// typed reads the element inside <value> that names its type.
func (d *decoder) typed(name string) (any, error) {
	switch name {
	case "array":
		return d.array()
	case "struct":
		return d.structure()
	}
	offset := d.pos
	content, err := d.simple(name)
	if err != nil {
		return nil, err
	}
	value, err := parseScalar(name, content)
	if err != nil {
		return nil, d.fail(offset, "%v", err)
	}
	return value, nil
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

// timeLayout is how XML-RPC writes dateTime.iso8601: no zone, which we take as UTC.
const timeLayout = "20060102T15:04:05"

func parseTime(s string) (time.Time, error) {
	bare := strings.TrimSuffix(strings.ReplaceAll(s, "-", ""), "Z")
	return time.ParseInLocation(timeLayout, bare, time.UTC)
}

func (d *decoder) array() (any, error) {
	values := []any{}
	err := d.element("array", func() error {
		return d.element("data", func() error {
			for {
				more, err := d.at("value")
				if err != nil || !more {
					return err
				}
				v, err := d.value()
				if err != nil {
					return err
				}
				values = append(values, v)
			}
		})
	})
	return values, err
}

func (d *decoder) structure() (any, error) {
	fields := map[string]any{}
	err := d.element("struct", func() error {
		return d.each("member", func() error {
			name, err := d.simple("name")
			if err != nil {
				return err
			}
			if err := d.skipSpace(); err != nil {
				return err
			}
			fields[name], err = d.value()
			return err
		})
	})
	return fields, err
}

// The rest is the machinery: tokens, elements, white space.

func (d *decoder) peek() (token, error) {
	if !d.hasAhead {
		t, err := d.scanner.next()
		if err != nil {
			return token{}, err
		}
		d.ahead, d.hasAhead = t, true
	}
	return d.ahead, nil
}

func (d *decoder) skipSpace() error {
	t, err := d.peek()
	if err == nil && t.kind == text {
		if strings.TrimSpace(t.text) != "" {
			return d.fail(t.offset, "unexpected %v", t)
		}
		d.hasAhead = false
	}
	return err
}

// at says whether <name> comes next.
func (d *decoder) at(name string) (bool, error) {
	if err := d.skipSpace(); err != nil {
		return false, err
	}
	t, err := d.peek()
	return t.kind == startTag && t.name == name, err
}

func (d *decoder) expect(kind tokenKind, name string) error {
	t, err := d.peek()
	if err != nil {
		return err
	}
	if t.kind != kind || t.name != name {
		return d.fail(t.offset, "expected %v, found %v", token{kind: kind, name: name}, t)
	}
	d.hasAhead = false
	return nil
}

// element reads <name>, what inner reads, and </name>; white space around inner doesn't count.
func (d *decoder) element(name string, inner func() error) error {
	if err := d.skipSpace(); err != nil {
		return err
	}
	return d.elementRaw(name, func() error {
		if err := inner(); err != nil {
			return err
		}
		return d.skipSpace()
	})
}

// elementRaw is element for an inner part that cares for its white space itself.
func (d *decoder) elementRaw(name string, inner func() error) error {
	if err := d.skipSpace(); err != nil {
		return err
	}
	if err := d.expect(startTag, name); err != nil {
		return err
	}
	if err := inner(); err != nil {
		return err
	}
	return d.expect(endTag, name)
}

// each reads all <name> elements that follow.
func (d *decoder) each(name string, inner func() error) error {
	for {
		more, err := d.at(name)
		if err != nil || !more {
			return err
		}
		if err := d.element(name, inner); err != nil {
			return err
		}
	}
}

// simple reads <name>text</name>.
func (d *decoder) simple(name string) (content string, err error) {
	err = d.elementRaw(name, func() error {
		t, err := d.peek()
		if err == nil && t.kind == text {
			content = t.text
			d.hasAhead = false
		}
		return err
	})
	return content, err
}

func (d *decoder) end() error {
	if err := d.skipSpace(); err != nil {
		return err
	}
	return d.expect(endOfDocument, "")
}
