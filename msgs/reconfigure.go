package msgs

// Param is dynamic_reconfigure's BoolParameter, IntParameter, StrParameter or DoubleParameter.
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

// Config is dynamic_reconfigure/Config, and request and response of dynamic_reconfigure/Reconfigure.
type Config struct {
	Bools   []Param[bool]
	Ints    []Param[int32]
	Strs    []Param[string]
	Doubles []Param[float64]
	Groups  []GroupState
}

func (m *Config) fields(c codec) {
	params(c, &m.Bools, 4+1, func(v *bool) { c.bool(v) })
	params(c, &m.Ints, 4+4, func(v *int32) { c.i32(v) })
	params(c, &m.Strs, 4+4, func(v *string) { c.str(v) })
	params(c, &m.Doubles, 4+8, func(v *float64) { c.f64(v) })
	list(c, &m.Groups, 4+1+4+4)
}

func params[T bool | int32 | string | float64](c codec, v *[]Param[T], least int, value func(*T)) {
	size(c, v, least)
	for i := range *v {
		p := &(*v)[i]
		c.str(&p.Name)
		value(&p.Value)
	}
}

func (m *GroupState) fields(c codec) {
	c.str(&m.Name)
	c.bool(&m.State)
	c.i32(&m.ID, &m.Parent)
}

// ParamDescription is dynamic_reconfigure/ParamDescription.
type ParamDescription struct {
	Name        string
	Type        string // "bool", "int", "str", "double"
	Level       uint32
	Description string
	EditMethod  string // enumeration as a Python dictionary, or empty
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

func (m *ConfigDescription) fields(c codec) {
	list(c, &m.Groups, 20)
	m.Max.fields(c)
	m.Min.fields(c)
	m.Dflt.fields(c)
}

func (m *Group) fields(c codec) {
	c.str(&m.Name, &m.Type)
	list(c, &m.Parameters, 20)
	c.i32(&m.Parent, &m.ID)
}

func (m *ParamDescription) fields(c codec) {
	c.str(&m.Name, &m.Type)
	c.u32(&m.Level)
	c.str(&m.Description, &m.EditMethod)
}
