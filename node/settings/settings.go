// Package settings declares the settings of the commands that run a node: flags, private
// parameters, kinds, defaults and help, each once. It puts values into the fields of options
// that have a setting's name in their tag, and knows who set a value.
//
// A flag takes precedence over a private parameter, and this over the default, also
// where the value is zero. The package knows neither a command line nor a graph, and
// nothing in it is safe for concurrent use but the tables.
package settings

import (
	"maps"
	"strings"
)

// Setting is the declaration of a setting. It is set by a flag, by private parameters, or by
// both.
type Setting struct {
	Flag   string   // "" if there is none
	Short  string   // the flag's letter
	Params []string // private parameters: the first that is set counts. A Profile has four

	Kind    Kind
	Unit    string   // of a number, or the form of a Value
	Choices []string // of a Word
	Alone   string   // what the flag means without a value, if it may have none
	Row     bool     // the flag takes several values in a row, as rosbag's do

	Default string // as the flag has it; "" is the zero value
	Auto    string // the default in words, where Default doesn't say it
	Help    string
	Example string // a value other than the default, where the kind doesn't suggest one

	// Running is the name under which dynamic_reconfigure changes it while the node runs.
	Running string
	// Camera says that it selects a camera: it has no effect if the device is a recording.
	Camera bool
}

// Name is the setting's name in the tags of options: its flag's, or else its parameter's.
func (s *Setting) Name() string {
	switch {
	case s.Flag != "":
		return s.Flag
	case len(s.Params) > 0:
		return s.Params[0]
	}
	return s.Running
}

// Usage is the help of the flag: what it does, and which parameters do it, too.
func (s *Setting) Usage() string {
	usage := s.Help
	if s.Auto != "" {
		usage += " (default: " + s.Auto + ")"
	}
	if len(s.Params) > 0 {
		usage += " [~" + strings.Join(s.Params, ", ~") + "]"
	}
	return usage
}

// Set is the settings of a command. No two have the same name.
type Set []Setting

// flags returns the settings that have flags, without their parameters: for commands that
// read none.
func (s Set) flags() (out Set) {
	for _, setting := range s {
		if setting.Flag != "" {
			setting.Params = nil
			out = append(out, setting)
		}
	}
	return out
}

// Find returns the setting with a name, or nil.
func (s Set) Find(name string) *Setting {
	for i := range s {
		if s[i].Name() == name {
			return &s[i]
		}
	}
	return nil
}

// Source is who set a value.
type Source int

// The sources. A parameter whose value means "the default", such as a size of 0, is a
// Default that is said.
const (
	Default Source = iota
	Parameter
	Flag
)

// Given says who set the values of options, by the names of settings. What isn't in it wasn't
// set by a flag or a parameter.
type Given map[string]Source

// Clone returns a copy that isn't nil.
func (g Given) Clone() Given {
	c := Given{}
	maps.Copy(c, g)
	return c
}

// By reports whether a setting was set by a source.
func (g Given) By(name string, by Source) bool {
	source, said := g[name]
	return said && source == by
}
