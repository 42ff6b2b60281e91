package record

// flow is what is counted of a device's stream or of a topic. It has a share of the queue.
type flow struct {
	meter meter
	drops drops
	lost  lossCount     // before arrival
	gaps  func() uint64 // the source's count of these
}

// missing returns how many frames or messages were lost before they arrived, while the flow was recorded.
func (f *flow) missing() uint64 { return f.lost.read(f.gaps()) }

// run stops or continues to count these.
func (f *flow) run(on bool) { f.lost.run(on, f.gaps()) }

// read completes a row with what was counted.
func (f *flow) read(r Row) Row {
	r.Drops, r.Lost = f.drops.count(), f.missing()
	f.meter.read(&r)
	return r
}
