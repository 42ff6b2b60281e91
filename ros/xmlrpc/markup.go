package xmlrpc

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// markup cuts a document into tags and texts. It reads the part of XML that XML-RPC needs: attributes are skipped,
// comments and processing instructions ignored, document types refused. encoding/xml would take 48 bytes of memory for
// each byte of attributes (docs/internals/decisions/0020-xmlrpc.md). After its first error, nothing comes next.
type markup struct {
	b       []byte
	pos     int
	pending []byte // name of a <name/> tag that was read, whose end comes next; nil if none was
	err     error
}

func (m *markup) fail(offset int, format string, args ...any) {
	if m.err == nil {
		m.err = &SyntaxError{Offset: offset, Reason: fmt.Sprintf(format, args...)}
	}
}

// text reads up to the next tag or the end of the document. The content of CDATA sections is part of
// the text, comments aren't.
func (m *markup) text() string {
	var out strings.Builder
	for m.pending == nil && m.pos < len(m.b) && m.err == nil {
		rest := m.b[m.pos:]
		switch {
		case rest[0] == '&':
			m.entity(&out)
		case rest[0] != '<':
			n := bytes.IndexAny(rest, "<&")
			if n < 0 {
				n = len(rest)
			}
			m.write(&out, rest[:n])
			m.pos += n
		case bytes.HasPrefix(rest, []byte("<!--")):
			m.until("<!--", "-->")
		case bytes.HasPrefix(rest, []byte("<?")):
			m.until("<?", "?>")
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			m.write(&out, m.until("<![CDATA[", "]]>"))
		default:
			return out.String()
		}
	}
	return out.String()
}

// until skips an opening mark and returns what is before the closing one.
func (m *markup) until(open, end string) []byte {
	inner := m.b[m.pos+len(open):]
	n := bytes.Index(inner, []byte(end))
	if n < 0 {
		m.fail(m.pos, "%s without %s", open, end)
		return nil
	}
	m.pos += len(open) + n + len(end)
	return inner[:n]
}

// write appends document text: valid UTF-8 with line ends as XML normalises them.
func (m *markup) write(out *strings.Builder, p []byte) {
	if !utf8.Valid(p) {
		m.fail(m.pos, "text is not UTF-8")
	}
	if bytes.ContainsFunc(p, func(r rune) bool { return !isXMLCharacter(r) }) {
		m.fail(m.pos, "character that XML can't carry")
	}
	if bytes.IndexByte(p, '\r') >= 0 {
		p = bytes.ReplaceAll(p, []byte("\r\n"), []byte("\n"))
		p = bytes.ReplaceAll(p, []byte("\r"), []byte("\n"))
	}
	out.Write(p)
}

var entities = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "apos": '\'', "quot": '"'}

// longestEntity bounds the search for the ';' of an entity; the longest is a character reference.
const longestEntity = len("&#x10FFFF;")

func (m *markup) entity(out *strings.Builder) {
	window := m.b[m.pos:min(len(m.b), m.pos+longestEntity)]
	n := bytes.IndexByte(window, ';')
	if n < 0 {
		m.fail(m.pos, "'&' that starts no entity")
		return
	}
	name := string(window[1:n])
	r, ok := entities[name]
	if digits, found := strings.CutPrefix(name, "#"); found {
		base := 10
		if hex, isHex := strings.CutPrefix(digits, "x"); isHex {
			digits, base = hex, 16
		}
		code, err := strconv.ParseUint(digits, base, 32)
		r, ok = rune(code), err == nil && code <= utf8.MaxRune && isXMLCharacter(rune(code))
	}
	if !ok {
		m.fail(m.pos, "unknown entity &%s;", name)
	}
	out.WriteRune(r)
	m.pos += n + 1
}

// isXMLCharacter implements production 2 of XML 1.0: no control characters, no surrogates.
func isXMLCharacter(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return true
	case r < 0x20, r >= 0xD800 && r < 0xE000, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return r <= utf8.MaxRune
}

// tag is <name>, </name>, or <name/> (empty).
type tag struct {
	name           []byte // part of the document; nil if no tag comes next
	closing, empty bool
	end            int // where it ends in the document
}

func (t tag) String() string {
	if t.closing {
		return "</" + string(t.name) + ">"
	}
	return "<" + string(t.name) + ">"
}

// tag returns the tag that comes next, without reading it.
func (m *markup) tag() (t tag) {
	rest := m.b[m.pos:]
	switch {
	case m.err != nil:
		return tag{}
	case m.pending != nil:
		return tag{name: m.pending, closing: true, end: m.pos}
	case len(rest) == 0 || rest[0] != '<':
		return tag{}
	case bytes.HasPrefix(rest, []byte("<!")):
		m.fail(m.pos, "document types are refused")
		return tag{}
	}
	n := bytes.IndexByte(rest, '>')
	if n < 0 {
		m.fail(m.pos, "tag without '>'")
		return tag{}
	}
	inner, closing := bytes.CutPrefix(rest[1:n], []byte("/"))
	inner, empty := bytes.CutSuffix(inner, []byte("/"))
	name, _, _ := bytes.Cut(bytes.TrimRight(inner, " \t\r\n"), []byte(" "))
	if len(name) == 0 || bytes.ContainsAny(name, "<&\t\r\n/\"'") || empty && closing {
		m.fail(m.pos, "malformed tag <%.20s>", inner)
		return tag{}
	}
	return tag{name, closing, empty, m.pos + n + 1}
}

// take reads a tag, which must come next.
func (m *markup) take(name string, closing bool) {
	t := m.tag()
	if string(t.name) != name || t.closing != closing {
		m.fail(m.pos, "expected %v, found %s", tag{name: []byte(name), closing: closing}, m.found(t))
		return
	}
	m.pos, m.pending = t.end, nil
	if t.empty {
		m.pending = t.name
	}
}

// found describes what comes next, the tag t if that has a name.
func (m *markup) found(t tag) string {
	if t.name != nil {
		return t.String()
	}
	if m.pos == len(m.b) {
		return "end of document"
	}
	return fmt.Sprintf("text %.20q", m.text())
}
