package msgs

// Logger is roscpp/Logger, and the request of roscpp/SetLoggerLevel.
type Logger struct {
	Name  string
	Level string // "debug", "info", "warn", "error", "fatal"
}

// Append adds the wire form.
func (m *Logger) Append(e *Encoder) {
	e.String(m.Name)
	e.String(m.Level)
}

// Decode fills m.
func (m *Logger) Decode(d *Decoder) {
	m.Name = d.String()
	m.Level = d.String()
}

// Loggers is the response of roscpp/GetLoggers.
type Loggers struct{ Loggers []Logger }

// Append adds the wire form.
func (m *Loggers) Append(e *Encoder) {
	e.Len(len(m.Loggers))
	for i := range m.Loggers {
		m.Loggers[i].Append(e)
	}
}

// Decode fills m.
func (m *Loggers) Decode(d *Decoder) {
	m.Loggers = make([]Logger, d.Len(8))
	for i := range m.Loggers {
		m.Loggers[i].Decode(d)
	}
}
