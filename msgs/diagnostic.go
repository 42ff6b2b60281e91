package msgs

// KeyValue is diagnostic_msgs/KeyValue.
type KeyValue struct{ Key, Value string }

func (m *KeyValue) fields(c codec) { c.str(&m.Key, &m.Value) }

// Levels of a DiagnosticStatus.
const (
	DiagnosticOK    = 0
	DiagnosticWarn  = 1
	DiagnosticError = 2
	DiagnosticStale = 3
)

// DiagnosticStatus is diagnostic_msgs/DiagnosticStatus.
type DiagnosticStatus struct {
	Level      uint8
	Name       string
	Message    string
	HardwareID string
	Values     []KeyValue
}

func (m *DiagnosticStatus) fields(c codec) {
	c.u8(&m.Level)
	c.str(&m.Name, &m.Message, &m.HardwareID)
	list(c, &m.Values, 8)
}

// DiagnosticArray is diagnostic_msgs/DiagnosticArray.
type DiagnosticArray struct {
	Header Header
	Status []DiagnosticStatus
}

func (m *DiagnosticArray) fields(c codec) {
	m.Header.fields(c)
	list(c, &m.Status, 17)
}
