package recording

import (
	"context"
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
)

// maxBad bounds how many damaged messages a check lists.
const maxBad = 20

// Check is [rosbag.File.Check] for any format: it reads every message and compares it with its type.
// Topics without a ROS 1 form aren't damage.
func Check(ctx context.Context, b *bagstore.Recording, o bagstore.CheckOptions) (*bagstore.CheckReport, error) {
	if bag := rosbag.FileOf(b); bag != nil {
		return bag.Check(ctx, o)
	}
	c := b.Source().(container)
	k := checker{rep: &bagstore.CheckReport{Path: b.Path(), Version: b.Version()},
		specs: make(map[*bagstore.Connection]*msgs.Spec)}
	for _, n := range b.Notes() {
		if n.Kind == KindTopic {
			n.Severity = bagstore.Harmless
		}
		k.rep.Notes.Add(n)
	}
	if err := k.messages(ctx, b, o); err != nil {
		return k.rep, err
	}
	if lost := b.Crowded(); lost != nil {
		k.lost("chunk", lost)
	}
	c.Check()
	for _, n := range c.Found() {
		k.rep.Notes.Add(n)
	}
	k.rep.Conclude()
	return k.rep, nil
}

type checker struct {
	rep    *bagstore.CheckReport
	specs  map[*bagstore.Connection]*msgs.Spec
	cache  msgs.Cache[*msgs.Spec]
	listed int    // damaged messages and blocks in the report
	more   uint64 // damaged messages that aren't
}

func (k *checker) lost(kind string, err error) { k.rep.Notes.Addf(bagstore.Loss, -1, kind, "%v", err) }

func (k *checker) messages(ctx context.Context, b *bagstore.Recording, o bagstore.CheckOptions) error {
	v := b.View(bagstore.Query{FileOrder: o.Message == nil})
	moved := 0
	pace := bagstore.Pace{Ctx: ctx, Progress: o.Progress, Total: v.Count()}
	for m, err := range v.Messages() {
		if o.Message != nil {
			o.Message(m, err)
		}
		if place.Ended(err) {
			return err
		}
		if err == nil {
			err = k.message(m)
		}
		if err == nil {
			k.rep.Messages++
			if m.TimeClamped {
				moved++
			}
		} else if k.listed++; k.listed <= maxBad {
			k.lost("message", err)
		} else {
			k.more += bagstore.LostMessages(err)
		}
		if err := pace.Step(); err != nil {
			return err
		}
	}
	if moved > 0 {
		k.rep.Notes.Addf(bagstore.Harmless, -1, "message",
			"%d messages have times before 1970 or after 2106, which a bag can't hold", moved)
	}
	if k.more > 0 {
		k.lost("message", fmt.Errorf("%d more messages can't be read", k.more))
	}
	return nil
}

func (k *checker) message(m bagstore.Message) error {
	s, ok := k.specs[m.Conn]
	if !ok {
		var err error
		if s, err = k.cache.Get(m.Conn.Type, m.Conn.Definition, msgs.Parse); err != nil {
			return fmt.Errorf("topic %s: %w", m.Conn.Topic, err)
		}
		k.specs[m.Conn] = s
	}
	if err := s.Check(m.Data); err != nil {
		return fmt.Errorf("topic %s: no %s: %w", m.Conn.Topic, m.Conn.Type, err)
	}
	return nil
}
