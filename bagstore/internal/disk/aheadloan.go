package disk

// Loan is memory returned by Borrow. It must be released once, by any goroutine.
type Loan struct {
	a           *Ahead
	first, last int // slots
}

// maxLent is the number of slots that Borrow lends at most. When the last ones are lent, the home slots of the next
// blocks are free.
const maxLent = aheadRing - aheadDepth - 2

// Borrow returns n bytes at off in the memory into which they were read ahead. They are read only and valid until the
// loan is released, also after Close. Borrow returns nil if the bytes weren't read ahead, aren't contiguous in memory,
// or if too many blocks are lent; use ReadAt then.
func (a *Ahead) Borrow(off int64, n int) ([]byte, Loan) {
	if off < 0 || n <= 0 || int64(n) > a.size-off {
		return nil, Loan{}
	}
	end := off + int64(n)
	first, last := off/a.block, (end-1)/a.block
	if !a.has(first) || last-first >= aheadDepth {
		return nil, Loan{} // ReadAt may start to read ahead
	}
	ahead := a.observe(off, end) || a.always
	a.mu.Lock()
	defer a.mu.Unlock()
	if ahead {
		a.startAll(first, last+aheadDepth)
	}
	l := Loan{a: a, first: a.index(first)}
	if l.last = l.first + int(last-first); l.first < 0 || l.last >= aheadRing && l.last > l.first || !a.lend(l, first) {
		return nil, Loan{}
	}
	for i := l.first; i <= l.last; i++ {
		s := &a.slots[i]
		for s.state == slotReading {
			a.over.Wait()
		}
		if s.state != slotReady || int64(s.n) < min(a.block, end-s.block*a.block) {
			a.giveBack(l)
			return nil, Loan{}
		}
	}
	from := int64(l.first)*a.block + off%a.block
	return a.memory.bytes[from:][:n:n], l
}

func (a *Ahead) has(block int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.index(block)
	return i >= 0 && a.slots[i].state != slotUsual
}

// lend marks a loan's slots as lent. It returns false if they don't hold the blocks from
// first on, or if too few slots would be left.
func (a *Ahead) lend(l Loan, first int64) bool {
	more := 0
	for i := l.first; i <= l.last; i++ {
		s := &a.slots[i]
		if s.block != first+int64(i-l.first) || s.state != slotReading && s.state != slotReady {
			return false
		}
		if s.lent == 0 {
			more++
		}
	}
	if a.lent+more > maxLent {
		return false
	}
	a.lent += more
	for i := l.first; i <= l.last; i++ {
		s := &a.slots[i]
		s.lent++
		s.users++
		a.touch(s)
	}
	return true
}

func (a *Ahead) giveBack(l Loan) {
	for i := l.first; i <= l.last; i++ {
		s := &a.slots[i]
		s.users--
		if s.lent--; s.lent == 0 {
			a.lent--
		}
	}
}

// Release ends the loan.
func (l Loan) Release() {
	a := l.a
	a.mu.Lock()
	defer a.mu.Unlock()
	a.giveBack(l)
	if a.closed && a.underWay == 0 {
		a.dispose()
	}
}

func (a *Ahead) dispose() {
	if a.lent > 0 || a.memory.bytes == nil {
		return
	}
	aheadMemory.put(a.memory)
	a.memory, a.slots = pages{}, [aheadSlots]slot{}
}
