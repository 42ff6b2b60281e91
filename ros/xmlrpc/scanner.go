package xmlrpc

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	startTag tokenKind = iota
	endTag
	text
	endOfDocument
)

type token struct {
	kind   tokenKind
	name   string // of a tag
	text   string // of a text, entities resolved
	offset int
}

func (t token) String() string {
	switch t.kind {
	case startTag:
		return "<" + t.name + ">"
	case endTag:
		return "</" + t.name + ">"
	case text:
		return fmt.Sprintf("text %.20q", t.text)
	}
	return "end of document"
}

// scanner cuts a document into tags and texts. It reads the part of XML that XML-RPC needs:
// attributes are skipped, comments and processing instructions ignored, document types refused.
// encoding/xml would take 48 bytes of memory for each byte of attributes (docs/internals/decisions/0020-xmlrpc.md).
type scanner struct {
	b       []byte
	pos     int
	pending string // name of a <name/> tag whose end is still to be reported
}

func (s *scanner) fail(offset int, format string, args ...any) error {
	return &SyntaxError{Offset: offset, Reason: fmt.Sprintf(format, args...)}
}

// next returns the next token. The text between two tags is one token, with the content of CDATA
// sections and without comments, or none if it is empty.
func (s *scanner) next() (token, error) {
	if s.pending != "" {
		t := token{kind: endTag, name: s.pending, offset: s.pos}
		s.pending = ""
		return t, nil
	}
	start := s.pos
	content, err := s.text()
	if err != nil || content != "" {
		return token{kind: text, text: content, offset: start}, err
	}
	if s.pos == len(s.b) {
		return token{kind: endOfDocument, offset: s.pos}, nil
	}
	return s.tag()
}

// text reads up to the next tag or the end of the document.
func (s *scanner) text() (string, error) {
	var out strings.Builder
	for s.pos < len(s.b) {
		rest := s.b[s.pos:]
		var err error
		switch {
		case rest[0] == '&':
			err = s.entity(&out)
		case rest[0] != '<':
			n := bytes.IndexAny(rest, "<&")
			if n < 0 {
				n = len(rest)
			}
			err = s.write(&out, rest[:n], s.pos)
			s.pos += n
		case bytes.HasPrefix(rest, []byte("<!--")):
			_, err = s.until("<!--", "-->")
		case bytes.HasPrefix(rest, []byte("<?")):
			_, err = s.until("<?", "?>")
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			var section []byte
			section, err = s.until("<![CDATA[", "]]>")
			if err == nil {
				err = s.write(&out, section, s.pos)
			}
		default:
			return out.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

// until skips an opening mark and returns what is before the closing one.
func (s *scanner) until(open, end string) ([]byte, error) {
	inner := s.b[s.pos+len(open):]
	n := bytes.Index(inner, []byte(end))
	if n < 0 {
		return nil, s.fail(s.pos, "%s without %s", open, end)
	}
	s.pos += len(open) + n + len(end)
	return inner[:n], nil
}

// write appends document text: valid UTF-8 with line ends as XML normalises them.
func (s *scanner) write(out *strings.Builder, p []byte, offset int) error {
	if !utf8.Valid(p) {
		return s.fail(offset, "text is not UTF-8")
	}
	if i := bytes.IndexFunc(p, func(r rune) bool { return !isXMLCharacter(r) }); i >= 0 {
		return s.fail(offset+i, "character that XML can't carry")
	}
	if bytes.IndexByte(p, '\r') >= 0 {
		p = bytes.ReplaceAll(p, []byte("\r\n"), []byte("\n"))
		p = bytes.ReplaceAll(p, []byte("\r"), []byte("\n"))
	}
	out.Write(p)
	return nil
}

var entities = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "apos": '\'', "quot": '"'}

// longestEntity bounds the search for the ';' of an entity; the longest is a character reference.
const longestEntity = len("&#x10FFFF;")

func (s *scanner) entity(out *strings.Builder) error {
	window := s.b[s.pos:min(len(s.b), s.pos+longestEntity)]
	n := bytes.IndexByte(window, ';')
	if n < 0 {
		return s.fail(s.pos, "'&' that starts no entity")
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
		return s.fail(s.pos, "unknown entity &%s;", name)
	}
	out.WriteRune(r)
	s.pos += n + 1
	return nil
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

// tag reads <name>, </name> or <name/>; pos is at '<'.
func (s *scanner) tag() (token, error) {
	start := s.pos
	if bytes.HasPrefix(s.b[start:], []byte("<!")) {
		return token{}, s.fail(start, "document types are refused")
	}
	n := bytes.IndexByte(s.b[start:], '>')
	if n < 0 {
		return token{}, s.fail(start, "tag without '>'")
	}
	inner := string(s.b[start+1 : start+n])
	s.pos += n + 1
	t := token{kind: startTag, offset: start}
	if rest, ok := strings.CutPrefix(inner, "/"); ok {
		t.kind, inner = endTag, rest
	}
	inner, empty := strings.CutSuffix(inner, "/")
	t.name, _, _ = strings.Cut(strings.TrimRight(inner, " \t\r\n"), " ")
	if t.name == "" || strings.ContainsAny(t.name, "<&\t\r\n/\"'") || (empty && t.kind == endTag) {
		return token{}, s.fail(start, "malformed tag <%.20s>", inner)
	}
	if empty {
		s.pending = t.name
	}
	return t, nil
}
