package bagstore

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"sync"

	"rsros/bagstore/atomicfile"
	"rsros/bagstore/internal/disk"
)

// output is a bag that appears under its name when it is whole.
type output struct {
	*Writer
	place atomicfile.Place
	ids   map[*Connection]uint32
	added map[string][]*Connection // by topic, to find equal ones
}

func newOutput(path string, o Options) (*output, error) {
	place, err := atomicfile.Reserve(path, o.Overwrite)
	if err != nil {
		return nil, err
	}
	o.Checkpoint = -1 // nobody opens it before it has its name
	o.Overwrite = false
	w, err := Create(place.Temp(), o)
	if err != nil {
		return nil, err
	}
	w.lendLeast = math.MaxInt // chunks are as large as the options say
	return &output{Writer: w, place: place, ids: make(map[*Connection]uint32), added: make(map[string][]*Connection)}, nil
}

// connection returns the output's ID for a connection of an input. Connections
// that are alike become one.
func (o *output) connection(c *Connection) (uint32, error) {
	if id, ok := o.ids[c]; ok {
		return id, nil
	}
	for _, d := range o.added[c.Topic] {
		if c.same(d) {
			o.ids[c] = o.ids[d]
			return o.ids[c], nil
		}
	}
	id, err := o.AddConnection(*c)
	if err != nil {
		return 0, err
	}
	o.ids[c] = id
	o.added[c.Topic] = append(o.added[c.Topic], c)
	return id, nil
}

// copy writes a message of an input, with another time. A large one is written from where
// it is, and isn't waited for.
func (o *output) copy(m Message, t Time) error {
	id, err := o.connection(m.Conn)
	if err != nil {
		return err
	}
	if m.block == nil || m.at == 0 || len(m.Data) < disk.LendLeast {
		return o.Write(id, t, m.Data)
	}
	// What was read past the page cache lies in memory as in the file: from its first whole
	// page on, it can be written past the page cache, too.
	head := min(len(m.Data), int(-m.at&(disk.Grain-1)))
	return o.Lend(id, t, m.Retain().Release, m.Data[:head], m.Data[head:])
}

// finish closes the file and gives it its name, or removes it if there was an error.
func (o *output) finish(err error) error {
	if err := errors.Join(err, o.Close()); err != nil {
		return errors.Join(err, o.place.Discard())
	}
	return o.place.Commit()
}

// checkOutput refuses to replace a file unless asked to, before any work is done.
func checkOutput(path string, overwrite bool) error {
	if _, err := os.Lstat(path); err == nil && !overwrite {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return nil
}

// openAll opens bags; on an error none stays open. closeAll may be called twice.
func openAll(paths []string, o OpenOptions) (bags []*Bag, closeAll func(), err error) {
	closeAll = sync.OnceFunc(func() {
		for _, b := range bags {
			b.Close()
		}
	})
	for _, p := range paths {
		b, err := Open(p, o)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		bags = append(bags, b)
	}
	return bags, closeAll, nil
}

// pace tells progress and looks for the end of the context every few messages.
type pace struct {
	ctx         context.Context
	progress    Progress
	done, total uint64
}

func (p *pace) step() error {
	p.done++
	if p.done%256 != 0 && p.done != p.total {
		return nil
	}
	p.progress.Report(p.done, p.total)
	return p.ctx.Err()
}
