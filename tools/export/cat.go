package export

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/tools/bagset"
)

// CatOptions are the settings of Run.
type CatOptions struct {
	Bags      []string
	Selection bagset.Selection
	Count     uint64 // messages to print; 0 is all
	JSON      bool   // one object a line instead of YAML
	Print     msgs.PrintOptions
	Out       io.Writer
	Progress  bagstore.Progress // of fetching
	Log       zerolog.Logger
}

// Cat prints messages in time order. It needs no message packages, because bags have definitions, and no graph. YAML is
// that of rostopic echo -b; if there are several topics, a comment before each message has its topic and time. The
// error is a program.ErrIncomplete if messages are left out, because they are lost or can't be decoded.
func Cat(ctx context.Context, o CatOptions) error {
	open := bagstore.OpenOptions{Context: ctx, Sequential: true, Progress: o.Progress}
	bags, filter, lost, err := o.Selection.Open(o.Bags, open, o.Log)
	defer bagset.Close(bags)
	if err != nil {
		return err
	}
	v := bagstore.NewView(bags, filter.Query())
	conns := v.Connections()
	c := newCatter(o, slices.ContainsFunc(conns, func(c *bagstore.Connection) bool { return c.Topic != conns[0].Topic }))
	walk := bagset.NewWalk(ctx, o.Log)
	for m, err := range walk.Messages(v) {
		if err == nil {
			err = c.message(m)
		}
		if err != nil {
			return err
		}
		if o.Count > 0 && c.printed == o.Count {
			break
		}
	}
	if err := c.out.Flush(); err != nil {
		return err
	}
	return bagset.Loss(walk.Damaged+c.bad, walk.Clamped, append(lost, bagset.Found(bags)...))
}

type catter struct {
	o       CatOptions
	out     *bufio.Writer
	specs   map[*bagstore.Connection]*msgs.Spec // nil: the definition is invalid
	cache   msgs.Cache[*msgs.Spec]
	several bool   // topics
	printed uint64 // messages
	bad     int    // messages that don't fit their definition
}

func newCatter(o CatOptions, several bool) *catter {
	return &catter{o: o, out: bufio.NewWriter(o.Out), specs: make(map[*bagstore.Connection]*msgs.Spec), several: several}
}

func (c *catter) message(m bagstore.Message) error {
	spec := c.spec(m.Conn)
	if spec == nil {
		c.bad++
		return nil
	}
	if err := spec.Check(m.Data); err != nil {
		c.bad++
		c.o.Log.Warn().Str("topic", m.Conn.Topic).Int64("time", int64(m.Time)).
			Msgf("message is not a %s: %v", m.Conn.Type, err)
		return nil
	}
	c.printed++
	return c.print(spec, m)
}

func (c *catter) spec(conn *bagstore.Connection) *msgs.Spec {
	spec, known := c.specs[conn]
	if !known {
		var err error
		if spec, err = c.cache.Get(conn.Type, conn.Definition, msgs.Parse); err != nil {
			c.o.Log.Warn().Str("topic", conn.Topic).Str("type", conn.Type).Msgf("invalid definition: %v", err)
			spec = nil
		}
		c.specs[conn] = spec
	}
	return spec
}

func (c *catter) print(spec *msgs.Spec, m bagstore.Message) error {
	if !c.o.JSON {
		if c.several {
			fmt.Fprintf(c.out, "# %s %d.%09d\n", m.Conn.Topic, m.Time.Sec(), m.Time.Nsec())
		}
		if err := spec.WriteYAML(c.out, m.Data, c.o.Print); err != nil {
			return err
		}
		_, err := c.out.WriteString("---\n")
		return err
	}
	head, err := json.Marshal(struct {
		Topic string `json:"topic"`
		Type  string `json:"type"`
	}{m.Conn.Topic, m.Conn.Type})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, `%s,"time":%d.%09d,"message":`, head[:len(head)-1], m.Time.Sec(), m.Time.Nsec())
	if err := spec.WriteJSON(c.out, m.Data, c.o.Print); err != nil {
		return err
	}
	_, err = c.out.WriteString("}\n")
	return err
}
