package sqlite

import (
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

type token struct {
	kind tokenKind
	text string // without quotes
}

type tokenKind byte

const (
	punctuation tokenKind = iota
	word                  // a keyword, or a name without quotes
	quotedName
	stringLiteral
	blobLiteral
	number
)

func (t token) is(keyword string) bool { return t.kind <= word && strings.EqualFold(t.text, keyword) }

func (t token) isAny(keywords ...string) bool { return slices.ContainsFunc(keywords, t.is) }

// lexeme is a token, or what is between tokens.
var lexeme = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\s+|--[^\n]*|/\*.*?\*/|[xX]?'(?:[^']|'')*'|"(?:[^"]|"")*"|` + "`(?:[^`]|``)*`" +
		`|\[[^]]*\]|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|[\w$\x80-\x{10ffff}]+|.`)
})

func tokens(sql string) (list []token) {
	for _, text := range lexeme().FindAllString(sql, -1) {
		first, last := text[0], text[len(text)-1]
		t := token{word, text}
		switch {
		case len(text) > 1 && (first == '-' || first == '/') || strings.IndexByte(" \t\n\f\r", first) >= 0:
			continue
		case len(text) == 1 && strings.IndexByte("'\"`[]", first) >= 0: // a quote without its end
			t.kind = punctuation
		case first == '[':
			t = token{quotedName, text[1 : len(text)-1]}
		case first == '"' || first == '`':
			t = token{quotedName, unquoted(text)}
		case first == '\'':
			t = token{stringLiteral, unquoted(text)}
		case last == '\'':
			t = token{blobLiteral, text[2 : len(text)-1]}
		case first >= '0' && first <= '9':
			t.kind = number
		case first < 0x80 && strings.IndexByte("_$", first) < 0 && (first|0x20 < 'a' || first|0x20 > 'z'):
			t.kind = punctuation
		}
		list = append(list, t)
	}
	return list
}

// unquoted is the text between quotes, where two of them are one of the text.
func unquoted(text string) string {
	return strings.ReplaceAll(text[1:len(text)-1], text[:1]+text[:1], text[:1])
}

// parseTable parses the CREATE TABLE of a table with a name. The error is ErrDamaged if it is malformed, and another
// one if it is of a table whose rows have no numbers, or of more columns than rosbag2's tables have by far.
func parseTable(name, sql string) (columns []TableColumn, err error) {
	list := tokens(sql)
	if len(list) > 3 && list[0].is("CREATE") && list[1].is("VIRTUAL") && list[2].is("TABLE") {
		return nil, errNoRows
	}
	if len(list) < 4 || !list[0].is("CREATE") || !list[1].is("TABLE") || list[2].text != name || !list[3].is("(") {
		return nil, errMalformed
	}
	definitions, rest, ok := split(list[4:])
	if !ok {
		return nil, errMalformed
	}
	for _, t := range rest {
		switch {
		case t.is("WITHOUT"):
			return nil, errNoRows
		case !t.isAny("STRICT", ","):
			return nil, errMalformed
		}
	}
	for _, d := range definitions {
		switch {
		case len(d) == 0:
			return nil, errMalformed
		case len(columns) == maxColumns:
			return nil, errNoRows
		case d[0].isAny("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"):
			return columns, nil // the rest are no columns, either
		}
		columns = append(columns, column(d))
	}
	return columns, nil
}

// split splits a list at its commas, up to the parenthesis that closes it.
func split(list []token) (parts [][]token, rest []token, ok bool) {
	depth, from := 0, 0
	for i, t := range list {
		switch {
		case t.is("("):
			depth++
		case t.is(")") && depth == 0:
			return append(parts, list[from:i]), list[i+1:], true
		case t.is(")"):
			depth--
		case t.is(",") && depth == 0:
			parts = append(parts, list[from:i])
			from = i + 1
		}
	}
	return nil, nil, false
}

// column takes the definition of a column: its name, type and constraints.
func column(d []token) (c TableColumn) {
	c.Name = strings.ToLower(d[0].text)
	typ, inType, depth := "", true, 0
	for i, t := range d[1:] {
		prev := d[i]
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth > 0:
		case prev.isAny("CONSTRAINT", "COLLATE", "REFERENCES", "MATCH"): // t is a name
		case t.isAny("CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "COLLATE", "REFERENCES", "GENERATED"):
			inType = false
		case t.is("DEFAULT") && !prev.is("SET"):
			inType = false
			c.missing = literal(d[i+2:], typ)
		case t.is("AS"):
			inType = false
			c.Generated = true
		case inType && t.kind != punctuation:
			typ += strings.ToUpper(t.text) + " "
		}
	}
	return c
}

// literal returns the value of a DEFAULT for a column of a type. It is NULL if it isn't a constant, because no column
// can be added with it, or a real number, because rosbag2 has no such columns.
func literal(list []token, typ string) Column {
	negative := false
	for len(list) > 0 && list[0].isAny("(", "+", "-") {
		negative = negative || list[0].is("-")
		list = list[1:]
	}
	if len(list) == 0 {
		return Column{}
	}
	t := list[0]
	n, err := strconv.ParseInt(t.text, 10, 64)
	if negative {
		n = -n
	}
	isInt := strings.Contains(typ, "INT")
	isText := !isInt && (strings.Contains(typ, "CHAR") || strings.Contains(typ, "CLOB") || strings.Contains(typ, "TEXT"))
	switch {
	case t.isAny("TRUE", "FALSE"):
		n = 0
		if t.is("TRUE") {
			n = 1
		}
	case t.kind == blobLiteral:
		b, _ := hex.DecodeString(t.text) // what is no literal isn't in a schema
		return addedColumn(typeBlob, b)
	case t.kind == number && err == nil && isText:
		return addedColumn(typeText, []byte(strconv.FormatInt(n, 10)))
	case t.kind == number && err == nil, t.kind == stringLiteral && err == nil && isInt:
	case t.kind == stringLiteral, t.kind == quotedName:
		return addedColumn(typeText, []byte(t.text))
	default:
		return Column{}
	}
	return Column{Type: typeInt64, size: 8, added: binary.BigEndian.AppendUint64(nil, uint64(n))}
}

func addedColumn(kind uint64, b []byte) Column {
	return Column{Type: kind + 2*uint64(len(b)), size: int64(len(b)), added: append([]byte{}, b...)}
}
