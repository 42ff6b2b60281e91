package ros

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
)

const rosoutTopic = "/rosout"

func (n *Node) startRosout() error {
	t := msgs.MustType("rosgraph_msgs/Log")
	p, err := n.Advertise(PublisherOptions{Topic: rosoutTopic, Type: t, Latch: true, Queue: 100})
	if err != nil {
		return err
	}
	n.rosoutPublisher = p
	n.wg.Go(func() {
		seq := uint32(0)
		for {
			select {
			case <-n.ctx.Done():
				return
			case line := <-n.rosout.Lines():
				m := line.Log()
				if m == nil {
					continue
				}
				seq++
				n.describe(m, seq)
				if n.cfg.OnLog != nil {
					n.cfg.OnLog(m)
				}
				p.Publish(msgs.Raw{Head: msgs.Marshal(m)})
			}
		}
	})
	return nil
}

func (n *Node) describe(m *msgs.Log, seq uint32) {
	m.Name = n.Name()
	m.Header.Seq, m.Header.Stamp = seq, msgs.FromTime(n.Now())
	n.mu.Lock()
	m.Topics = slices.Sorted(maps.Keys(n.topics))
	n.mu.Unlock()
}

// flushRosout sends the last lines of a program, within 200 ms.
func (n *Node) flushRosout() {
	ctx, cancel := context.WithTimeout(n.ctx, 200*time.Millisecond)
	defer cancel()
	published, err := n.rosout.Mark(ctx)
	if err != nil {
		return
	}
	select {
	case <-published:
		n.rosoutPublisher.Flush(ctx) //nolint:errcheck // a slow subscriber misses them
	case <-ctx.Done():
	}
}

// loggerName is the only logger that ~get_loggers lists; it is the whole node.
const loggerName = "ros"

// offerLoggers serves ~get_loggers and ~set_logger_level, as roscpp nodes do.
func (n *Node) offerLoggers() error {
	_, err := n.AdvertiseService("~get_loggers", msgs.MustService("roscpp/GetLoggers"), func(context.Context, []byte) ([]byte, error) {
		level := n.rosout.Level()
		return msgs.Marshal(&msgs.Loggers{Loggers: []msgs.Logger{{Name: loggerName, Level: max(level, zerolog.DebugLevel).String()}}}), nil
	})
	if err != nil {
		return err
	}
	_, err = n.AdvertiseService("~set_logger_level", msgs.MustService("roscpp/SetLoggerLevel"), func(_ context.Context, req []byte) ([]byte, error) {
		var m msgs.Logger
		if err := msgs.Unmarshal(req, &m); err != nil {
			return nil, err
		}
		level, err := zerolog.ParseLevel(strings.ToLower(m.Level))
		if err != nil || level < zerolog.DebugLevel || level > zerolog.FatalLevel {
			return nil, fmt.Errorf("level %q: want debug, info, warn, error or fatal", m.Level)
		}
		n.rosout.SetLevel(level)
		return nil, nil
	})
	return err
}
