package naming

import "testing"

// TestPipelineDropsAreCounted checks that dropped sets are counted.
func TestPipelineDropsAreCounted(t *testing.T) {
	p := &pipeline{worker: &worker{pending: make(chan *job, 1)}} // no worker runs
	for range 3 {
		p.put(&job{run: &run{}})
	}
	w := &WrapperTopics{pipeline: p}
	if d := w.Drops(); d.Sets != 2 || d.Total() != 2 {
		t.Errorf("%+v, want 2 sets", d)
	}
}
