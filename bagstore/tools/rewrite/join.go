package rewrite

import (
	"crypto/sha256"

	"rsros/bagstore"
)

// Join lets Merge treat bags as consecutive parts of a recording: a publisher's first latched message in a
// later part is left out if it repeats the one before it. It sets Edit and Edits.
func Join(o *Options) {
	type publisher struct{ topic, callerID, md5 string }
	seen := map[*bagstore.Connection]bool{} // each part has its own
	newest := map[publisher][sha256.Size]byte{}
	o.Edits = func(c *bagstore.Connection) bool { return c.Latching }
	o.Edit = func(m bagstore.Message) ([]byte, error) {
		key, sum := publisher{m.Conn.Topic, m.Conn.CallerID, m.Conn.MD5}, sha256.Sum256(m.Data)
		last, known := newest[key]
		first := !seen[m.Conn]
		newest[key], seen[m.Conn] = sum, true
		if first && known && last == sum {
			return nil, nil
		}
		return m.Data[:len(m.Data):len(m.Data)], nil
	}
}
