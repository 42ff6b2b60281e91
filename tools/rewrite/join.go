package rewrite

import (
	"crypto/sha256"

	"rsros/bagstore"
)

// Join lets Merge treat bags as consecutive parts of a recording: a publisher's first latched message in a
// later part is left out if it repeats the one before it. It sets Keep and Judges.
func Join(o *Options) {
	type publisher struct{ topic, callerID, md5 string }
	seen := map[*bagstore.Connection]bool{} // each part has its own
	newest := map[publisher][sha256.Size]byte{}
	o.Judges = func(c *bagstore.Connection) bool { return c.Latching }
	o.Keep = func(m bagstore.Message) (bool, error) {
		key, sum := publisher{m.Conn.Topic, m.Conn.CallerID, m.Conn.MD5}, sha256.Sum256(m.Data)
		last, known := newest[key]
		first := !seen[m.Conn]
		newest[key], seen[m.Conn] = sum, true
		return !(first && known && last == sum), nil
	}
}
