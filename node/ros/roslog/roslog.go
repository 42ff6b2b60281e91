// Package roslog turns log lines into rosgraph_msgs/Log messages.
package roslog

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rs/zerolog"

	"rsros/msgs"
)

// Writer carries log lines to /rosout. It is a writer for zerolog and a hook that
// holds back what is below its level, which rqt_logger_level and
// `rosservice call ~set_logger_level` change:
//
//	out := roslog.New(zerolog.InfoLevel)
//	log := zerolog.New(zerolog.MultiLevelWriter(console, out)).Hook(out)
//	node, err := ros.NewNode(ctx, ros.Config{Log: log, Rosout: out, …})
//
// A line reads as on the console: the message, then key=value of each field. As a
// hook alone it would see no fields, so it must be a writer, too.
//
// Lines written before the node runs are published when it does. A write never
// blocks: what doesn't fit is dropped.
type Writer struct {
	level atomic.Int32
	lines chan Line
}

// Line is one log line: zerolog's JSON, or plain text.
type Line struct {
	level zerolog.Level
	text  string
	mark  chan struct{} // not a line: closed when it is reached
}

// New returns a Writer that lets level and above pass.
func New(level zerolog.Level) *Writer {
	r := &Writer{lines: make(chan Line, 256)}
	r.SetLevel(level)
	return r
}

// SetLevel changes which lines pass, here and in all that the logger writes to.
func (r *Writer) SetLevel(level zerolog.Level) { r.level.Store(int32(level)) }

// Write takes a line without a level.
func (r *Writer) Write(line []byte) (int, error) { return r.WriteLevel(zerolog.NoLevel, line) }

// WriteLevel takes a line; zerolog calls it.
func (r *Writer) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	r.post(level, string(line))
	return len(line), nil
}

func (r *Writer) post(level zerolog.Level, text string) {
	select {
	case r.lines <- Line{level: level, text: text}:
	default:
	}
}

// Run is the hook: it discards events below the level.
func (r *Writer) Run(e *zerolog.Event, level zerolog.Level, _ string) {
	if level < zerolog.Level(r.level.Load()) {
		e.Discard()
	}
}

// MessageHook posts messages (without their fields) of a logger that doesn't
// write into the Writer.
type MessageHook struct{ *Writer }

// Run implements zerolog.Hook.
func (h MessageHook) Run(e *zerolog.Event, level zerolog.Level, message string) {
	h.Writer.Run(e, level, message)
	if e.Enabled() {
		h.post(level, message)
	}
}

// Level is what SetLevel set.
func (r *Writer) Level() zerolog.Level { return zerolog.Level(r.level.Load()) }

// Lines are the lines written, for the one goroutine that publishes them.
func (r *Writer) Lines() <-chan Line { return r.lines }

// Mark returns a channel that is closed when Log was called on every line that
// was written before. It waits for room until ctx ends.
func (r *Writer) Mark(ctx context.Context) (<-chan struct{}, error) {
	reached := make(chan struct{})
	select {
	case r.lines <- Line{mark: reached}:
		return reached, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Log makes a message of a line: its level, text, file and line number. It returns
// nil for a mark, which it reaches.
func (l Line) Log() *msgs.Log {
	if l.mark != nil {
		close(l.mark)
		return nil
	}
	m := &msgs.Log{Level: rosLevel(l.level), Msg: l.text}
	if fields, ok := lineFields(l.text); ok {
		m.Msg = lineText(fields)
		caller, _ := fields[zerolog.CallerFieldName].(string)
		if at := strings.LastIndexByte(caller, ':'); at > 0 {
			number, _ := strconv.ParseUint(caller[at+1:], 10, 32)
			m.File, m.Line = caller[:at], uint32(number)
		}
	}
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
