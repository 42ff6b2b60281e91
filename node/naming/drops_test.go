package naming

import "testing"

// TestPipelineDropsAreCounted checks that dropped sets are counted.
func TestPipelineDropsAreCounted(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	w := &WrapperTopics{pipeline: &pipeline{worker: &worker{}}}
	sets := &w.pipeline.sets
	sets.Handle, sets.Drop = func(*job) { begun <- struct{}{}; <-end }, w.pipeline.drop
	put := func() { sets.Put(&job{run: &run{}}) }
	put()
	<-begun
	for range 3 {
		put()
	}
	if d := w.Drops(); d.Sets != 2 || d.Total() != 2 {
		t.Errorf("%+v, want 2 sets", d)
	}
	close(end)
	<-begun
	if err := sets.Settle(t.Context()); err != nil {
		t.Error(err)
	}
}
