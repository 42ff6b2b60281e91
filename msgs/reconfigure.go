package msgs

// Param is dynamic_reconfigure's BoolParameter, IntParameter, StrParameter or
// DoubleParameter.
type Param[T bool | int32 | string | float64] struct {
	Name  string
	Value T
}

// GroupState is dynamic_reconfigure/GroupState.
type GroupState struct {
	Name       string
	State      bool
	ID, Parent int32
}

// Config is dynamic_reconfigure/Config: values by kind. It is also request and
// response of dynamic_reconfigure/Reconfigure.
type Config struct {
	Bools   []Param[bool]
	Ints    []Param[int32]
	Strs    []Param[string]
	Doubles []Param[float64]
	Groups  []GroupState
}

// Append adds the wire form.
func (m *Config) Append(e *Encoder) {
	appendParams(e, m.Bools, e.Bool)
	appendParams(e, m.Ints, e.I32)
	appendParams(e, m.Strs, e.String)
	appendParams(e, m.Doubles, e.F64)
	e.Len(len(m.Groups))
	for _, g := range m.Groups {
		e.String(g.Name)
		e.Bool(g.State)
		e.I32(g.ID)
		e.I32(g.Parent)
	}
}

// Decode fills m.
func (m *Config) Decode(d *Decoder) {
	m.Bools = decodeParams(d, 4+1, d.Bool)
	m.Ints = decodeParams(d, 4+4, d.I32)
	m.Strs = decodeParams(d, 4+4, d.String)
	m.Doubles = decodeParams(d, 4+8, d.F64)
	m.Groups = make([]GroupState, d.Len(4+1+4+4))
	for i := range m.Groups {
		m.Groups[i] = GroupState{Name: d.String(), State: d.Bool(), ID: d.I32(), Parent: d.I32()}
	}
}

func appendParams[T bool | int32 | string | float64](e *Encoder, list []Param[T], value func(T)) {
	e.Len(len(list))
	for _, p := range list {
		e.String(p.Name)
		value(p.Value)
	}
}

func decodeParams[T bool | int32 | string | float64](d *Decoder, size int, value func() T) []Param[T] {
	list := make([]Param[T], d.Len(size))
	for i := range list {
		list[i] = Param[T]{Name: d.String(), Value: value()}
	}
	return list
}

// ParamDescription is dynamic_reconfigure/ParamDescription.
type ParamDescription struct {
	Name        string
	Type        string // "bool", "int", "str", "double"
	Level       uint32
	Description string
	EditMethod  string // an enumeration as a python dictionary, or empty
}

// Group is dynamic_reconfigure/Group.
type Group struct {
	Name       string
	Type       string
	Parameters []ParamDescription
	Parent, ID int32
}

// ConfigDescription is dynamic_reconfigure/ConfigDescription.
type ConfigDescription struct {
	Groups         []Group
	Max, Min, Dflt Config
}

// Append adds the wire form.
func (m *ConfigDescription) Append(e *Encoder) {
	e.Len(len(m.Groups))
	for i := range m.Groups {
		m.Groups[i].Append(e)
	}
	m.Max.Append(e)
	m.Min.Append(e)
	m.Dflt.Append(e)
}

// Decode fills m.
func (m *ConfigDescription) Decode(d *Decoder) {
	m.Groups = make([]Group, d.Len(20))
	for i := range m.Groups {
		m.Groups[i].Decode(d)
	}
	m.Max.Decode(d)
	m.Min.Decode(d)
	m.Dflt.Decode(d)
}

// Append adds the wire form.
func (m *Group) Append(e *Encoder) {
	e.String(m.Name)
	e.String(m.Type)
	e.Len(len(m.Parameters))
	for _, p := range m.Parameters {
		e.String(p.Name)
		e.String(p.Type)
		e.U32(p.Level)
		e.String(p.Description)
		e.String(p.EditMethod)
	}
	e.I32(m.Parent)
	e.I32(m.ID)
}

// Decode fills m.
func (m *Group) Decode(d *Decoder) {
	m.Name = d.String()
	m.Type = d.String()
	m.Parameters = make([]ParamDescription, d.Len(20))
	for i := range m.Parameters {
		m.Parameters[i] = ParamDescription{Name: d.String(), Type: d.String(), Level: d.U32(),
			Description: d.String(), EditMethod: d.String()}
	}
	m.Parent = d.I32()
	m.ID = d.I32()
}
