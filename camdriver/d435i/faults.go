package d435i

// faults are what goes wrong on command.
type faults struct {
	stalls int                           // of control requests to come
	bad    map[uint8]func([]byte) []byte // done to the next payload of an endpoint
	silent map[uint8]bool
	halted map[uint8]bool
}

func (f *faults) takeControl() bool {
	if f.stalls > 0 {
		f.stalls--
		return true
	}
	return false
}

// spoil does what the next payload of an endpoint is to suffer.
func (f *faults) spoil(endpoint uint8, b []byte) []byte {
	if change := f.bad[endpoint]; change != nil {
		delete(f.bad, endpoint)
		return change(b)
	}
	return b
}

// StallControls makes the next n control requests stall, as a busy camera does.
func (c *Camera) StallControls(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults.stalls = n
}

// Halt stalls an endpoint until the host clears it.
func (c *Camera) Halt(endpoint uint8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults.halted[endpoint] = true
	c.interrupt(endpoint)
}

// Spoil changes the next payload of an endpoint by f.
func (c *Camera) Spoil(endpoint uint8, f func([]byte) []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults.bad[endpoint] = f
}

// Silence holds an endpoint's payloads back until it is cleared.
func (c *Camera) Silence(endpoint uint8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults.silent[endpoint] = true
	c.interrupt(endpoint)
}
