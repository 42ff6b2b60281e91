package memory

import "fmt"

// maxTexts bounds the message definitions of a recording together, in bytes.
const maxTexts = 24 << 20

// Texts keeps equal message definitions of a recording once, and bounds them together. The zero value is empty.
type Texts struct {
	kept  map[string]string
	bytes int
}

// Keep returns a text that is equal to s. It is an error if s is new and one too many.
func (t *Texts) Keep(s string) (string, error) {
	if kept, known := t.kept[s]; known {
		return kept, nil
	}
	if len(s) > maxTexts-t.bytes {
		return "", fmt.Errorf("the message definitions of the recording have more than %d bytes", maxTexts)
	}
	if t.kept == nil {
		t.kept = make(map[string]string)
	}
	t.bytes += len(s)
	t.kept[s] = s
	return s, nil
}
