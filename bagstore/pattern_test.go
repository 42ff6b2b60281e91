package bagstore

import "testing"

// TestWrongPattern checks what the error of an expression says.
func TestWrongPattern(t *testing.T) {
	for expression, want := range map[string]string{
		"/a[bc]/cam[era": `regular expression "/a[bc]/cam[era": missing closing ] at "[era"`,
		".*/a|*b":        `regular expression ".*/a|*b": missing argument to repetition operator at "*"; .* stands for any text`,
		"/a)b":           `regular expression "/a)b": unexpected )`,
		"/a(b":           `regular expression "/a(b": missing closing )`,
		`/a\q`:           `regular expression "/a\\q": invalid escape sequence at "\\q"`,
		`/a\.\`:          `regular expression "/a\\.\\": trailing backslash at end of expression`,
	} {
		if _, err := MatchWhole(expression); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", expression, err, want)
		}
	}
}
