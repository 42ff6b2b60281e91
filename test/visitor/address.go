package visitor

import "encoding/json"

// Address is a log that sends the address at which a page is served.
type Address chan string

func (a Address) Write(line []byte) (int, error) {
	var m struct{ URL string }
	if json.Unmarshal(line, &m) == nil && m.URL != "" {
		a <- m.URL
	}
	return len(line), nil
}
