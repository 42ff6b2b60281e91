package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// JSON returns v as JSON, with <, > and & as they are.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Encode returns a text message as JSON: op, and then the fields of a struct or map.
func Encode(op string, fields any) ([]byte, error) {
	text, err := JSON(fields)
	if err != nil {
		return nil, fmt.Errorf("encode message %s: %w", op, err)
	}
	head := fmt.Appendf(nil, `{"op":%q,`, op)
	if len(text) == len("{}") {
		head = head[:len(head)-1]
	}
	return append(head, text[1:]...), nil
}
