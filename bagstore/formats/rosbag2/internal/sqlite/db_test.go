package sqlite

import (
	"bytes"
	"testing"
)

// TestNoDatabase: what only begins like a database is refused.
func TestNoDatabase(t *testing.T) {
	for _, b := range [][]byte{nil, []byte(magic), append([]byte(magic), make([]byte, 84)...), append([]byte(magic), bytes.Repeat([]byte{0xff}, 5000)...)} {
		db, err := Open(bytes.NewReader(b), int64(len(b)))
		if err == nil {
			_, err = db.Columns("messages")
			db.Close() //nolint:errcheck // only read
		}
		if err == nil {
			t.Errorf("%d bytes are a database", len(b))
		}
	}
}
