// Package anonymise makes regions of images, which a detector found, unrecognizable. The detector's file has
// a line of JSON for each image; everything else in the recording is copied.
package anonymise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/recording"
	"rsros/bagstore/tools/convert"
	"rsros/bagstore/tools/rewrite"
	"rsros/msgs/jpeg"
	"rsros/msgs/png"
)

// Options say what is hidden, and how.
type Options struct {
	In, Out string   // of one format
	Boxes   string   // the detector's file
	Style   Style    // Mask if empty
	Grow    float64  // share of its size by which a box grows on each side
	Quality int      // of JPEG images that are encoded again, 1 … 100
	Require []string // topics each of whose images must have a line
	// Bag has the options of Out. Without a compression, it keeps that of In.
	Bag      bagstore.Options
	Progress bagstore.Progress
}

// Result counts what was done.
type Result struct {
	Messages uint64 // in the output
	Whole    int    // chunks of a bag that were copied as they are stored
	Size     int64
	Images   uint64            // in which boxes were hidden
	Boxes    uint64            // hidden
	Empty    uint64            // images with lines that have no boxes
	Without  map[string]uint64 // images without a line, by topic
	// Left lists images that were left out because they have boxes that can't be hidden.
	Left List
	// Unmatched lists lines without an image.
	Unmatched List
	// Lost lists what else of In the output doesn't have.
	Lost []string
}

// List counts things, and describes the first of them.
type List struct {
	Count uint64
	First []string
}

const maxListed = 20

func (l *List) add(format string, args ...any) {
	if l.Count++; l.Count <= maxListed {
		l.First = append(l.First, fmt.Sprintf(format, args...))
	}
}

// ErrRequired means that an image of a required topic has no line.
var ErrRequired = errors.New("an image has no line in the boxes")

// editor hides boxes in messages. It reuses its memory, and is for one goroutine.
type editor struct {
	*index
	style   Style
	grow    float64
	quality int
	require map[string]bool
	r       *Result

	buf  []byte // a message
	out  []byte // a compressed image
	list []region
	jpeg jpeg.Encoder
	png  png.Encoder
}

// Run makes Out. Nothing is left of it after an error.
func Run(ctx context.Context, o Options) (r Result, err error) {
	x, err := openIndex(ctx, o.Boxes)
	if err != nil {
		return r, err
	}
	defer x.close()
	r.Without = make(map[string]uint64)
	e := &editor{index: x, style: cmp.Or(o.Style, Mask), grow: o.Grow, quality: o.Quality, require: make(map[string]bool), r: &r}
	for _, topic := range o.Require {
		e.require[topic] = true
	}
	format, err := recording.FormatOf(ctx, o.In)
	if err == nil {
		err = convert.Misnamed(format, o.Out)
	}
	if err != nil {
		return r, err
	}
	types := make(map[string]string) // of topics
	if format == recording.Bag {
		err = e.bag(ctx, o, types)
	} else {
		err = e.other(ctx, o, types)
	}
	e.unmatched(types)
	return r, err
}

func (e *editor) bag(ctx context.Context, o Options, types map[string]string) error {
	b, err := bagstore.Open(o.In, bagstore.OpenOptions{Context: ctx, Whole: true})
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // only read
	counts := b.Counts()
	edits := make(map[*bagstore.Connection]bool)
	for _, c := range b.Connections() {
		types[c.Topic] = c.Type
		_, listed := e.numbers[c.Topic]
		if edits[c] = kindOf(c.Type) != noImage && (listed || e.require[c.Topic]); !edits[c] && kindOf(c.Type) != noImage {
			e.r.Without[c.Topic] += counts[c.ID]
		}
	}
	if err := e.checkRequired(types); err != nil {
		return err
	}
	for _, n := range b.Notes() {
		if n.Severity == bagstore.Loss {
			e.r.Lost = append(e.r.Lost, n.Text)
		}
	}
	res, err := rewrite.Merge(ctx, []*bagstore.Bag{b}, o.Out, rewrite.Options{
		Options: o.Bag, Progress: o.Progress,
		Edits: func(c *bagstore.Connection) bool { return edits[c] },
		Edit: func(m bagstore.Message) ([]byte, error) {
			return e.edit(container.ROS1Topic(m.Conn), m.Time, m.Data)
		},
	})
	if err != nil {
		return err
	}
	e.r.Messages, e.r.Size, e.r.Whole = res.Messages, res.Size, res.Whole
	for _, n := range res.Found {
		e.r.Lost = append(e.r.Lost, n.Text)
	}
	return nil
}

func (e *editor) other(ctx context.Context, o Options, types map[string]string) error {
	b, topics, err := recording.OpenRaw(o.In, bagstore.OpenOptions{Context: ctx})
	if err != nil {
		return err
	}
	if err := b.Close(); err != nil {
		return err
	}
	for _, t := range topics {
		types[t.Name] = t.Type
	}
	if err := e.checkRequired(types); err != nil {
		return err
	}
	res, err := convert.Edited(ctx, convert.Options{In: o.In, Out: o.Out, Bag: o.Bag, Progress: o.Progress, Edit: e.edit})
	if err != nil {
		return err
	}
	e.r.Messages, e.r.Size = res.Messages, res.Size
	for _, l := range res.Lost {
		e.r.Lost = append(e.r.Lost, fmt.Sprintf("%s (%d times)", l.What, l.Count))
	}
	if res.Damaged > 0 {
		e.r.Lost = append(e.r.Lost, fmt.Sprintf("%d messages are damaged; the last: %v", res.Damaged, res.Why))
	}
	return nil
}

func (e *editor) checkRequired(types map[string]string) error {
	for topic := range e.require {
		if kindOf(types[topic]) == noImage {
			return fmt.Errorf("required topic %s: the recording has no images of it", topic)
		}
	}
	return nil
}

// edit returns a message with its boxes hidden; nil if they can't be.
func (e *editor) edit(t container.Topic, at bagstore.Time, data []byte) ([]byte, error) {
	k := kindOf(t.Type)
	if k == noImage {
		return data, nil
	}
	if _, listed := e.numbers[t.Name]; !listed && !e.require[t.Name] {
		e.r.Without[t.Name]++
		return data, nil
	}
	m, err := parse(k, t.Encoding, data)
	if err != nil { // it may be an image that has boxes
		e.leave(t.Name, at, err)
		return nil, nil
	}
	boxes, found, err := e.find(t.Name, int64(m.head.Header.Stamp), int64(at))
	switch {
	case err != nil:
		return nil, err
	case !found && e.require[t.Name]:
		return nil, fmt.Errorf("%w: %s at %s, stamp %s", ErrRequired, t.Name, seconds(int64(at)), seconds(int64(m.head.Header.Stamp)))
	case !found:
		e.r.Without[t.Name]++
		return data, nil
	case len(boxes) == 0:
		e.r.Empty++
		return data, nil
	}
	edited, err := e.hide(k, m, data, boxes)
	if err != nil {
		e.leave(t.Name, at, err)
		return nil, nil
	}
	e.r.Images++
	e.r.Boxes += uint64(len(boxes))
	return edited, nil
}

func (e *editor) leave(topic string, at bagstore.Time, why error) {
	e.r.Left.add("image of %s at %s: %v", topic, seconds(int64(at)), why)
}

// unmatched lists the lines without an image. types are those of the recording's topics.
func (e *editor) unmatched(types map[string]string) {
	slices.SortFunc(e.entries, func(a, b entry) int { return int(a.line) - int(b.line) })
	for _, n := range e.entries {
		if n.matched {
			continue
		}
		topic, by, why := e.names[n.topic], "stamp", "the topic has no such image"
		if n.byTime {
			by = "time"
		}
		switch typ, known := types[topic]; {
		case !known:
			why = "the recording has no such topic"
		case kindOf(typ) == noImage:
			why = "the topic has messages of type " + typ
		}
		e.r.Unmatched.add("line %d, %s, %s %s: %s", n.line, topic, by, seconds(n.at), why)
	}
}

func seconds(ns int64) string { return fmt.Sprintf("%d.%09d", ns/1e9, ns%1e9) }
