package workload

// GuardedMemory is between two inaccessible pages, so that assembly that reads or writes out of bounds ends the test.
type GuardedMemory []byte

// First and Last return n bytes next to a guard page.
func (m GuardedMemory) First(n int) []byte { return m[:n:n] }
func (m GuardedMemory) Last(n int) []byte  { return m[len(m)-n:] }
