// Package settings declares the settings of the commands that run a node: flags, private parameters, kinds, defaults
// and help. It sets the fields of options that are tagged with a setting's name, and records which source set them.
//
// A flag takes precedence over a private parameter, a parameter over a file of settings, and that
// over the default, even if the value is zero. Only the tables are safe for concurrent use.
package settings

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"rsros/program/nearest"
)

// Setting declares a setting. A flag, private parameters, or both set it.
type Setting struct {
	Flag   string   // may be ""
	Short  string   // the flag's letter
	Group  string   // title in help
	Params []string // private parameters; the first that is set counts, but a Profile has four

	Kind    Kind
	Unit    string   // placeholder of the value in help, if the kind's doesn't suffice
	Bare    int64    // of a Size: the unit of a number without one, as rosbag's flags have it; 0 if it needs one
	Choices []string // of a Word
	Alone   string   // the flag's value if it is given without one; "" if it needs one
	Row     bool     // the flag takes several values in a row, as rosbag's do

	Default string // the flag's text; "" is the zero value
	Auto    string // describes the default if Default doesn't
	Help    string
	Example string // a value other than the default, where the kind doesn't suggest one

	Running string // name in dynamic_reconfigure, if it can change while the node runs
}

// Name returns the name in the tags of options: the flag's, or else the parameter's.
func (s *Setting) Name() string {
	switch {
	case s.Flag != "":
		return s.Flag
	case len(s.Params) > 0:
		return s.Params[0]
	}
	return s.Running
}

// Usage returns the flag's help, with the default and the parameters.
func (s *Setting) Usage() string {
	usage := s.Help
	switch {
	case s.Auto != "":
		usage += " (default: " + s.Auto + ")"
	case s.Default != "":
		usage += " (default " + s.Default + ")"
	}
	switch {
	case len(s.Params) > 2:
		usage += " [~" + s.Params[0] + ", ~" + s.Params[1] + ", …]"
	case len(s.Params) > 0:
		usage += " [~" + strings.Join(s.Params, ", ~") + "]"
	}
	return usage
}

// Set is the settings of a command. Their names are unique.
type Set []Setting

// flags returns the settings that have flags, without their parameters.
func (s Set) flags() (out Set) {
	for _, setting := range s {
		if setting.Flag != "" {
			setting.Params = nil
			out = append(out, setting)
		}
	}
	return out
}

// in puts the settings without a group into one.
func in(group string, s Set) Set {
	for i := range s {
		s[i].Group = cmp.Or(s[i].Group, group)
	}
	return s
}

// Find returns the setting with the name, or nil.
func (s Set) Find(name string) *Setting {
	for i := range s {
		if s[i].Name() == name {
			return &s[i]
		}
	}
	return nil
}

// Origin is what set a value.
type Origin int

// The origins. A parameter that means the default, such as a size of 0, is FromDefault.
const (
	FromDefault Origin = iota
	FromFile
	Parameter
	Flag
)

// Given maps the names of settings that a flag, parameter or file set to their origins.
type Given map[string]Origin

// Clone returns a copy, which isn't nil.
func (g Given) Clone() Given {
	c := Given{}
	maps.Copy(c, g)
	return c
}

// By reports whether origin set the setting.
func (g Given) By(name string, origin Origin) bool {
	by, set := g[name]
	return set && by == origin
}

// Misread returns warnings of a command line's private parameters that no setting has, and of remaps that look like
// parameters. isTopic says which names topics have. Parameters below a name, as ~front/depth_width, aren't looked at.
func (s Set) Misread(params map[string]any, remaps map[string]string,
	isTopic func(name string) bool) (warnings []string) {
	var known, flags []string
	for _, setting := range s {
		known = append(known, setting.Params...)
		flags = append(flags, strings.ReplaceAll(setting.Flag, "-", "_"))
	}
	for _, u := range WithoutEffect {
		known = append(known, u.Params...)
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if _, tree := params[name].(map[string]any); !tree && !slices.Contains(known, name) && !strings.Contains(name, "/") {
			warnings = append(warnings, "parameter ~"+name+" isn't known and has no effect"+nearest.Hint(name, known))
		}
	}
	for _, from := range slices.Sorted(maps.Keys(remaps)) {
		switch to := remaps[from]; {
		case isTopic(from):
		case slices.Contains(known, from):
			warnings = append(warnings, from+":="+to+" renames a topic; to set the parameter, write _"+from+":="+to)
		case slices.Contains(flags, from):
			warnings = append(warnings, from+":="+to+" renames a topic; the flag is --"+strings.ReplaceAll(from, "_", "-"))
		}
	}
	return warnings
}
