package dbpages

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// token is a word of a declaration.
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

func (t token) is(keyword string) bool {
	return t.kind <= word && strings.EqualFold(t.text, keyword)
}

func (t token) isAny(keywords ...string) bool { return slices.ContainsFunc(keywords, t.is) }

// tokens splits SQL.
func tokens(sql string) (list []token) {
	for len(sql) > 0 {
		var t token
		n := 0
		switch c := sql[0]; {
		case strings.IndexByte(" \t\n\f\r", c) >= 0:
			sql = sql[1:]
			continue
		case strings.HasPrefix(sql, "--"):
			_, sql, _ = strings.Cut(sql, "\n")
			continue
		case strings.HasPrefix(sql, "/*"):
			_, sql, _ = strings.Cut(sql[2:], "*/")
			continue
		case c == '\'':
			t, n = quoted(sql, c, stringLiteral)
		case c == '"' || c == '`':
			t, n = quoted(sql, c, quotedName)
		case c == '[':
			t, n = quoted(sql, ']', quotedName)
		case (c == 'x' || c == 'X') && strings.HasPrefix(sql[1:], "'"):
			t, n = quoted(sql[1:], '\'', blobLiteral)
			n++
		case c >= '0' && c <= '9':
			n = span(sql, func(i int) bool {
				return wordByte(sql[i]) || sql[i] == '.' || (sql[i] == '+' || sql[i] == '-') && sql[i-1]|0x20 == 'e'
			})
			t = token{number, sql[:n]}
		case wordByte(c):
			n = span(sql, func(i int) bool { return wordByte(sql[i]) })
			t = token{word, sql[:n]}
		default:
			n = 1
			t = token{punctuation, sql[:1]}
		}
		list = append(list, t)
		sql = sql[n:]
	}
	return list
}

// span is how many bytes after the first one belong to it, and the first one.
func span(s string, belongs func(i int) bool) int {
	for i := 1; i < len(s); i++ {
		if !belongs(i) {
			return i
		}
	}
	return len(s)
}

func wordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// quoted reads a token between quotes, of which two are one of the text.
func quoted(sql string, quote byte, kind tokenKind) (t token, n int) {
	var text strings.Builder
	for i := 1; i < len(sql); i++ {
		if sql[i] == quote {
			if quote == ']' || i+1 == len(sql) || sql[i+1] != quote {
				return token{kind, text.String()}, i + 1
			}
			i++
		}
		text.WriteByte(sql[i])
	}
	return token{kind, text.String()}, len(sql)
}

var (
	errMalformed = fmt.Errorf("%w: a declaration in the schema is malformed", ErrDamaged)
	errNoRows    = errors.New("its rows have no numbers")
)

// parseTable parses the CREATE TABLE of a table with a name. The error is ErrDamaged if it is malformed, and another one if it
// is of a table whose rows have no numbers, or of more columns than rosbag2's tables have by far.
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
	constraints := false
	for _, d := range definitions {
		if len(d) == 0 {
			return nil, errMalformed
		}
		if len(columns) == maxColumns {
			return nil, errNoRows
		}
		if d[0].isAny("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN") {
			constraints = true
		}
		if constraints { // the rest are no columns; one may make a column the alias of the row's number
			if slices.ContainsFunc(d, func(t token) bool { return t.is("PRIMARY") }) {
				for i := range columns {
					columns[i].integer = false
				}
			}
			continue
		}
		c, ok := column(d)
		if !ok {
			return nil, errMalformed
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// parseIndex returns the column of an index with a name; empty if it has several, or an expression, or not all rows, or isn't in
// ascending order. The error is ErrDamaged if the declaration is malformed.
func parseIndex(name, sql string) (column string, err error) {
	if sql == "" {
		return "", nil // SQLite made it for itself
	}
	list := tokens(sql)
	if len(list) > 2 && list[1].is("UNIQUE") {
		list = list[1:]
	}
	if n := len(list); n < 8 || !list[1].is("INDEX") || list[2].text != name || !list[3].is("ON") || !list[5].is("(") {
		return "", errMalformed
	}
	parts, rest, ok := split(list[6:])
	switch {
	case !ok || len(rest) > 0 && !rest[0].is("WHERE"):
		return "", errMalformed
	case len(rest) > 0 || len(parts) > 1 || len(parts[0]) > 2 || len(parts[0]) == 2 && !parts[0][1].is("ASC"):
		return "", nil
	}
	return strings.ToLower(parts[0][0].text), nil
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

// column takes the definition of a column: its name, type and constraints. ok is false if it is malformed.
func column(d []token) (c TableColumn, ok bool) {
	c.Name = strings.ToLower(d[0].text)
	typ, inType, key, depth := "", true, false, 0
	for i, t := range d[1:] {
		after := d[i] // the token before this one
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth > 0:
		case after.is("NOT") && !t.isAny("NULL", "DEFERRABLE"), after.is("PRIMARY") && !t.is("KEY"):
			return c, false
		case after.isAny("CONSTRAINT", "COLLATE", "REFERENCES", "MATCH"): // t is a name
		case t.isAny("CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "COLLATE", "REFERENCES", "GENERATED"):
			inType = false
			key = key || t.is("PRIMARY")
		case t.is("DEFAULT") && !after.is("SET"):
			inType = false
			c.missing = literal(d[i+2:], typ)
		case t.is("AS"):
			inType = false
			c.Generated = true
		case inType && t.kind != punctuation:
			typ += strings.ToUpper(t.text) + " "
		case inType || !after.isAny("DEFAULT", "+", "-") && !t.isAny(constraintWords()...):
			return c, false
		}
	}
	c.integer = strings.Contains(typ, "INT") && !key
	return c, true
}

// constraintWords may follow the words that begin a constraint.
func constraintWords() []string {
	return []string{
		"KEY", "ASC", "DESC", "AUTOINCREMENT", "ON", "CONFLICT", "ROLLBACK", "ABORT", "FAIL", "IGNORE", "REPLACE", "ALWAYS", "STORED", "VIRTUAL",
		"DELETE", "UPDATE", "SET", "DEFAULT", "CASCADE", "RESTRICT", "NO", "ACTION", "MATCH", "DEFERRABLE", "INITIALLY", "DEFERRED", "IMMEDIATE",
	}
}

// isTextType reports whether numbers in a column of a type become texts.
func isTextType(typ string) bool {
	return !strings.Contains(typ, "INT") && (strings.Contains(typ, "CHAR") || strings.Contains(typ, "CLOB") || strings.Contains(typ, "TEXT"))
}

// literal is the value of a DEFAULT, for a column of a type. Any that can't be in a row, because it must be constant when a
// column is added, is NULL, and so are real numbers, which no column of rosbag2 has.
func literal(list []token, typ string) Column {
	sign := ""
	for len(list) > 0 && list[0].isAny("(", "+", "-") {
		if list[0].is("-") {
			sign = "-"
		}
		list = list[1:]
	}
	if len(list) == 0 {
		return Column{}
	}
	t := list[0]
	if t.kind == word {
		switch {
		case t.is("TRUE"):
			t = token{number, "1"}
		case t.is("FALSE"):
			t = token{number, "0"}
		case t.isAny("NULL", "CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP", "CAST"):
			return Column{}
		}
	}
	if t.kind == blobLiteral {
		b, err := hex.DecodeString(t.text)
		if err != nil {
			return Column{}
		}
		return addedColumn(typeBlob, b)
	}
	if text := sign + t.text; t.kind == number || !isTextType(typ) && t.kind == stringLiteral && typ != "" && !strings.Contains(typ, "BLOB") {
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err == nil && isTextType(typ):
			return addedColumn(typeBlob+1, []byte(strconv.FormatInt(n, 10)))
		case err == nil:
			return Column{Type: typeInt64, size: 8, added: binary.BigEndian.AppendUint64(nil, uint64(n))}
		case t.kind == number:
			return Column{}
		}
	}
	return addedColumn(typeBlob+1, []byte(t.text))
}

// addedColumn is a text or a blob.
func addedColumn(kind uint64, b []byte) Column {
	if b == nil {
		b = []byte{}
	}
	return Column{Type: kind + 2*uint64(len(b)), size: int64(len(b)), added: b}
}
