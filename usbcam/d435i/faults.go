package d435i

// faults are the injected faults.
type faults struct {
	stalls int                           // number of control requests to stall
	bad    map[uint8]func([]byte) []byte // changes the next payload, by endpoint
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

// spoil applies the fault of an endpoint to its next payload.
func (f *faults) spoil(endpoint uint8, b []byte) []byte {
	if change := f.bad[endpoint]; change != nil {
		delete(f.bad, endpoint)
		return change(b)
	}
	return b
}

// StallControls stalls the next n control requests, as a busy camera does.
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

// Spoil passes the next payload of an endpoint through f.
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
