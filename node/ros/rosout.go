package ros

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
)

const rosoutTopic = "/rosout"

// Rosout carries log lines to /rosout. It is a writer for zerolog and a hook that
// holds back what is below its level, which rqt_logger_level and
// `rosservice call ~set_logger_level` change:
//
//	out := ros.NewRosout(zerolog.InfoLevel)
//	log := zerolog.New(zerolog.MultiLevelWriter(console, out)).Hook(out)
//	node, err := ros.NewNode(ctx, ros.Config{Log: log, Rosout: out, …})
//
// A line reads as on the console: the message, then key=value of each field. As a
// hook alone it would see no fields, so it must be a writer, too.
//
// Lines written before the node runs are published when it does. A write never
// blocks: what doesn't fit is dropped.
type Rosout struct {
	level atomic.Int32
	lines chan rosoutLine
}

// rosoutLine is one log line: zerolog's JSON, or plain text.
type rosoutLine struct {
	level zerolog.Level
	text  string
	done  chan struct{} // not a line: closed when all before it are published
}

// NewRosout makes a Rosout that lets level and above pass.
func NewRosout(level zerolog.Level) *Rosout {
	r := &Rosout{lines: make(chan rosoutLine, 256)}
	r.SetLevel(level)
	return r
}

// SetLevel changes which lines pass, here and in all that the logger writes to.
func (r *Rosout) SetLevel(level zerolog.Level) { r.level.Store(int32(level)) }

// Write takes a line without a level.
func (r *Rosout) Write(line []byte) (int, error) { return r.WriteLevel(zerolog.NoLevel, line) }

// WriteLevel takes a line; zerolog calls it.
func (r *Rosout) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	r.post(level, string(line))
	return len(line), nil
}

func (r *Rosout) post(level zerolog.Level, text string) {
	select {
	case r.lines <- rosoutLine{level: level, text: text}:
	default:
	}
}

// Run is the hook: it discards events below the level.
func (r *Rosout) Run(e *zerolog.Event, level zerolog.Level, _ string) {
	if level < zerolog.Level(r.level.Load()) {
		e.Discard()
	}
}

// messageHook posts messages (without their fields) of a logger that doesn't
// write into the Rosout.
type messageHook struct{ *Rosout }

func (h messageHook) Run(e *zerolog.Event, level zerolog.Level, message string) {
	h.Rosout.Run(e, level, message)
	if e.Enabled() {
		h.post(level, message)
	}
}

// startRosout publishes the lines until the node closes.
func (n *Node) startRosout() error {
	t := msgs.MustType("rosgraph_msgs/Log")
	p, err := n.Advertise(PublisherOptions{Topic: rosoutTopic, Type: t, Latch: true, Queue: 100})
	if err != nil {
		return err
	}
	n.rosoutPublisher = p
	n.wg.Go(func() {
		for seq := uint32(1); ; seq++ {
			select {
			case <-n.ctx.Done():
				return
			case line := <-n.rosout.lines:
				if line.done != nil {
					close(line.done)
					continue
				}
				m := n.logMessage(line)
				m.Header.Seq = seq
				if n.cfg.OnLog != nil {
					n.cfg.OnLog(m)
				}
				p.Publish(msgs.Raw{Head: msgs.Marshal(m)})
			}
		}
	})
	return nil
}

// flushRosout sends what was logged so far, as far as that takes no long time: the
// last words of a program are the ones that matter.
func (n *Node) flushRosout() {
	ctx, cancel := context.WithTimeout(n.ctx, 200*time.Millisecond)
	defer cancel()
	done := make(chan struct{})
	select {
	case n.rosout.lines <- rosoutLine{done: done}:
	case <-ctx.Done():
		return
	}
	select {
	case <-done:
		n.rosoutPublisher.Flush(ctx) //nolint:errcheck // a slow listener misses it
	case <-ctx.Done():
	}
}

func (n *Node) logMessage(line rosoutLine) *msgs.Log {
	m := &msgs.Log{Level: rosLevel(line.level), Name: n.Name(), Msg: line.text}
	m.Header.Stamp = msgs.FromTime(n.Now())
	if fields, ok := lineFields(line.text); ok {
		m.Msg = lineText(fields)
		caller, _ := fields[zerolog.CallerFieldName].(string)
		if at := strings.LastIndexByte(caller, ':'); at > 0 {
			number, _ := strconv.ParseUint(caller[at+1:], 10, 32)
			m.File, m.Line = caller[:at], uint32(number)
		}
	}
	n.mu.Lock()
	m.Topics = slices.Sorted(maps.Keys(n.topics))
	n.mu.Unlock()
	return m
}

// lineFields reads a line of zerolog's; ok is false for plain text. Numbers stay
// as they were written.
func lineFields(text string) (fields map[string]any, ok bool) {
	if !strings.HasPrefix(text, "{") {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return fields, d.Decode(&fields) == nil
}

// lineText is a line for people: the message, then "key=value" of the other
// fields, sorted.
func lineText(fields map[string]any) string {
	text, _ := fields[zerolog.MessageFieldName].(string)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch key {
		case zerolog.MessageFieldName, zerolog.LevelFieldName, zerolog.TimestampFieldName, zerolog.CallerFieldName:
			continue
		}
		text += " " + key + "=" + fieldText(fields[key])
	}
	return strings.TrimSpace(text)
}

// fieldText quotes what a reader could take for more than one field.
func fieldText(value any) string {
	if s, ok := value.(string); ok {
		if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '"' || r == '=' }) {
			return strconv.Quote(s)
		}
		return s
	}
	b, err := json.Marshal(value) // of what was JSON
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(b)
}

// rosLevel is a level in rosgraph_msgs/Log's numbers.
func rosLevel(l zerolog.Level) uint8 {
	switch l {
	case zerolog.TraceLevel, zerolog.DebugLevel:
		return msgs.LogDebug
	case zerolog.WarnLevel:
		return msgs.LogWarn
	case zerolog.ErrorLevel:
		return msgs.LogError
	case zerolog.FatalLevel, zerolog.PanicLevel:
		return msgs.LogFatal
	}
	return msgs.LogInfo
}
