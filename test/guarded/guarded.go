// Package guarded allocates memory with guard pages, so that assembly that reads or writes out of bounds ends the test.
package guarded

// Memory is between two inaccessible pages.
type Memory []byte

// First and Last return n bytes next to a guard page.
func (m Memory) First(n int) []byte { return m[:n:n] }
func (m Memory) Last(n int) []byte  { return m[len(m)-n:] }
