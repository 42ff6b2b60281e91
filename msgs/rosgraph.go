package msgs

// Clock is rosgraph_msgs/Clock.
type Clock struct{ Clock Time }

// Append adds the wire form.
func (m *Clock) Append(e *Encoder) { e.Time(m.Clock) }

// Decode fills m.
func (m *Clock) Decode(d *Decoder) { m.Clock = d.Time() }

// Levels of a Log.
const (
	LogDebug = 1
	LogInfo  = 2
	LogWarn  = 4
	LogError = 8
	LogFatal = 16
)

// Log is rosgraph_msgs/Log, what goes to /rosout.
type Log struct {
	Header   Header
	Level    uint8
	Name     string // the node
	Msg      string
	File     string
	Function string
	Line     uint32
	Topics   []string // that the node publishes
}

// Append adds the wire form.
func (m *Log) Append(e *Encoder) {
	m.Header.Append(e)
	e.U8(m.Level)
	e.String(m.Name)
	e.String(m.Msg)
	e.String(m.File)
	e.String(m.Function)
	e.U32(m.Line)
	e.Len(len(m.Topics))
	for _, t := range m.Topics {
		e.String(t)
	}
}

// Decode fills m.
func (m *Log) Decode(d *Decoder) {
	m.Header.Decode(d)
	m.Level = d.U8()
	m.Name = d.String()
	m.Msg = d.String()
	m.File = d.String()
	m.Function = d.String()
	m.Line = d.U32()
	m.Topics = make([]string, d.Len(4))
	for i := range m.Topics {
		m.Topics[i] = d.String()
	}
}
