package msgs

// KeyValue is diagnostic_msgs/KeyValue.
type KeyValue struct{ Key, Value string }

// Append adds the wire form.
func (m *KeyValue) Append(e *Encoder) {
	e.String(m.Key)
	e.String(m.Value)
}

// Decode fills m.
func (m *KeyValue) Decode(d *Decoder) {
	m.Key = d.String()
	m.Value = d.String()
}

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

// Append adds the wire form.
func (m *DiagnosticStatus) Append(e *Encoder) {
	e.U8(m.Level)
	e.String(m.Name)
	e.String(m.Message)
	e.String(m.HardwareID)
	e.Len(len(m.Values))
	for i := range m.Values {
		m.Values[i].Append(e)
	}
}

// Decode fills m.
func (m *DiagnosticStatus) Decode(d *Decoder) {
	m.Level = d.U8()
	m.Name = d.String()
	m.Message = d.String()
	m.HardwareID = d.String()
	m.Values = make([]KeyValue, d.Len(8))
	for i := range m.Values {
		m.Values[i].Decode(d)
	}
}

// DiagnosticArray is diagnostic_msgs/DiagnosticArray.
type DiagnosticArray struct {
	Header Header
	Status []DiagnosticStatus
}

// Append adds the wire form.
func (m *DiagnosticArray) Append(e *Encoder) {
	m.Header.Append(e)
	e.Len(len(m.Status))
	for i := range m.Status {
		m.Status[i].Append(e)
	}
}

// Decode fills m.
func (m *DiagnosticArray) Decode(d *Decoder) {
	m.Header.Decode(d)
	m.Status = make([]DiagnosticStatus, d.Len(17))
	for i := range m.Status {
		m.Status[i].Decode(d)
	}
}
