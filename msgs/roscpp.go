package msgs

// Logger is roscpp/Logger, and the request of roscpp/SetLoggerLevel.
type Logger struct {
	Name  string
	Level string // "debug", "info", "warn", "error", "fatal"
}

func (m *Logger) fields(c codec) { c.str(&m.Name, &m.Level) }

// Loggers is the response of roscpp/GetLoggers.
type Loggers struct{ Loggers []Logger }

func (m *Loggers) fields(c codec) { list(c, &m.Loggers, 8) }
