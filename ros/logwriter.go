package ros

import (
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

// LogWriter collects log lines for /rosout as rosgraph_msgs/Log messages. It is a writer for zerolog and a hook that
// discards events below its level, which rqt_logger_level and `rosservice call ~set_logger_level` change:
//
//	out := ros.NewLogWriter(zerolog.InfoLevel)
//	log := zerolog.New(zerolog.MultiLevelWriter(console, out)).Hook(out)
//	node, err := ros.NewNode(ctx, ros.Config{Log: log, Rosout: out, …})
//
// A line reads as on the console: the message, then key=value for each field. It must
// be both writer and hook, because a hook gets no fields.
//
// Lines written before the node runs are published when it starts. A write never
// blocks: lines are dropped when the buffer is full.
type LogWriter struct {
	level atomic.Int32
	lines chan LogLine
}

// LogLine is one log line: zerolog's JSON, or plain text.
type LogLine struct {
	level zerolog.Level
	text  string
}

// NewLogWriter returns a LogWriter that lets level and above pass.
func NewLogWriter(level zerolog.Level) *LogWriter {
	r := &LogWriter{lines: make(chan LogLine, 256)}
	r.SetLevel(level)
	return r
}

// SetLevel discards events below level, for all of the logger's writers.
func (r *LogWriter) SetLevel(level zerolog.Level) { r.level.Store(int32(level)) }

// Write adds a line without a level.
func (r *LogWriter) Write(line []byte) (int, error) { return r.WriteLevel(zerolog.NoLevel, line) }

func (r *LogWriter) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	r.post(level, string(line))
	return len(line), nil
}

func (r *LogWriter) post(level zerolog.Level, text string) {
	select {
	case r.lines <- LogLine{level: level, text: text}:
	default:
	}
}

// Run is the hook: it discards events below the level.
func (r *LogWriter) Run(e *zerolog.Event, level zerolog.Level, _ string) {
	if level < zerolog.Level(r.level.Load()) {
		e.Discard()
	}
}

// messageHook posts the messages of a logger that doesn't write to the LogWriter.
type messageHook struct{ *LogWriter }

func (h messageHook) Run(e *zerolog.Event, level zerolog.Level, message string) {
	h.LogWriter.Run(e, level, message)
	if e.Enabled() {
		h.post(level, message)
	}
}

// Level returns the level.
func (r *LogWriter) Level() zerolog.Level { return zerolog.Level(r.level.Load()) }

// Lines returns the written lines, for the goroutine that publishes them.
func (r *LogWriter) Lines() <-chan LogLine { return r.lines }

// Log returns the line as a message with level, text, file and line number.
func (l LogLine) Log() *msgs.Log {
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

// lineFields parses a zerolog line; ok is false for plain text.
func lineFields(text string) (fields map[string]any, ok bool) {
	if !strings.HasPrefix(text, "{") {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return fields, d.Decode(&fields) == nil
}

// lineText returns the message, followed by key=value for the other fields, sorted.
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

// fieldText formats a field's value, quoted if it could be read as several fields.
func fieldText(value any) string {
	if s, ok := value.(string); ok {
		if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '"' || r == '=' }) {
			return strconv.Quote(s)
		}
		return s
	}
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(b)
}

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
