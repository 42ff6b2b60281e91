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
	"rsros/program/work"
)

const rosoutTopic = "/rosout"

func (n *Node) startRosout() error {
	t := msgs.MustType("rosgraph_msgs/Log")
	p, err := n.Advertise(PublisherOptions{Topic: rosoutTopic, Type: t, Latch: true, Queue: 100})
	if err != nil {
		return err
	}
	seq := uint32(0)
	publish := func(line LogLine) {
		m := line.Log()
		seq++
		m.Name, m.Header.Seq, m.Header.Stamp = n.Name(), seq, msgs.FromTime(n.Now())
		n.mu.Lock()
		m.Topics = slices.Sorted(maps.Keys(n.topics))
		n.mu.Unlock()
		if n.cfg.OnLog != nil {
			n.cfg.OnLog(m)
		}
		p.Publish(msgs.Raw{Head: msgs.Marshal(m)})
	}
	lines := n.rosout.Lines()
	stop := work.Run(n.ctx, func(ctx context.Context) {
		for {
			select {
			case <-ctx.Done():
				return
			case line := <-lines:
				publish(line)
			}
		}
	})
	n.flushRosout = func() {
		stop()
		for range len(lines) {
			publish(<-lines)
		}
		ctx, cancel := context.WithTimeout(n.ctx, flushTime)
		defer cancel()
		p.Flush(ctx) //nolint:errcheck // a slow subscriber misses the last lines
	}
	return nil
}

// flushTime bounds how long a closing node sends its last lines.
const flushTime = 200 * time.Millisecond

// loggerName is the only logger that ~get_loggers lists; it is the whole node.
const loggerName = "ros"

// offerLoggers serves ~get_loggers and ~set_logger_level, as roscpp nodes do.
func (n *Node) offerLoggers() error {
	_, err := n.AdvertiseService("~get_loggers", msgs.MustService("roscpp/GetLoggers"),
		func(context.Context, []byte) ([]byte, error) {
			level := n.rosout.Level()
			return msgs.Marshal(&msgs.Loggers{Loggers: []msgs.Logger{{Name: loggerName,
				Level: max(level, zerolog.DebugLevel).String()}}}), nil
		})
	if err != nil {
		return err
	}
	_, err = n.AdvertiseService("~set_logger_level", msgs.MustService("roscpp/SetLoggerLevel"),
		func(_ context.Context, req []byte) ([]byte, error) {
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
