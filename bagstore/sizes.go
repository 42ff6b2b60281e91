package bagstore

import "context"

// Sizer is a Source that knows the sizes of messages without reading these.
type Sizer interface {
	Sizes(ctx context.Context, p Progress, do func(conn uint32, size int64)) error
}

// Sizes calls do for every message with the size of its data in bytes. In a bag it reads only record headers and
// compressed chunks, and Progress counts chunks. In another format it reads, and Progress counts, all messages.
func (r *Recording) Sizes(ctx context.Context, p Progress, do func(conn uint32, size int64)) error {
	if s, ok := r.source.(Sizer); ok {
		return s.Sizes(ctx, p, do)
	}
	v := r.View(Query{})
	pace := Pace{Ctx: ctx, Progress: p, Total: v.Count()}
	for m, err := range v.Messages() {
		if err == nil {
			do(m.Conn.ID, int64(len(m.Data)))
		}
		if err := pace.Step(); err != nil {
			return err
		}
	}
	return nil
}
