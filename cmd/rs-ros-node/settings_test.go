package main

import (
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/spf13/cobra"

	"rsros/node/demo"
	"rsros/node/live"
	"rsros/node/settings"
)

// nodeCommands are the commands with settings, and the structs that these set.
var nodeCommands = map[string]struct {
	set     settings.Set
	targets func() []any
}{
	"live": {settings.Live, func() []any {
		o := new(live.Options)
		return []any{o.Lists(), o}
	}},
	"play":   {settings.Play, func() []any { return []any{new(playArgs)} }},
	"record": {settings.Record, func() []any { return []any{new(recordArgs)} }},
	"view":   {settings.View, func() []any { return []any{new(viewArgs)} }},
	"demo":   {settings.Demo, func() []any { return []any{new(demo.Options)} }},
	"master": {settings.Master, func() []any { return []any{new(masterArgs)} }},
}

// Every setting has one name in its command, and a field to set.
func TestSettingsHaveFields(t *testing.T) {
	for name, c := range nodeCommands {
		var fields []string
		for _, f := range c.set.Fields(c.targets()...) {
			fields = append(fields, f.Name())
		}
		for i, s := range c.set {
			if !slices.Contains(fields, s.Name()) && (s.Flag != "" || s.Params != nil) {
				t.Errorf("%s: nothing has the setting %s", name, s.Name())
			}
			if c.set.Find(s.Name()) != &c.set[i] {
				t.Errorf("%s: two settings are called %s", name, s.Name())
			}
		}
	}
}

// values returns values of a setting as flags spell them, including zero values.
func values(s *settings.Setting) []string {
	return map[settings.Kind][]string{
		settings.Bool: {"true", "false"}, settings.Text: {"a", ""}, settings.Texts: {"/a=1", "/b=2"}, settings.List: {"a,b", "c"},
		settings.File: {"a", ""}, settings.Folder: {"a", ""}, settings.Serial: {"_12", ""}, settings.Word: s.Choices, settings.Value: {s.Example, ""},
		settings.Profile: {"off", "640x480@30"}, settings.Whole: {"3", "0"}, settings.Number: {"1.5", "0"}, settings.Positive: {"2.5", "0.5"},
		settings.Size: {"7k", "0"}, settings.TimeOrZero: {"3", "0", "2m"},
		settings.Time: {"5m", "30"}, settings.Wait: {"5m", "-1"}, settings.Limit: {"3", "0"},
	}[s.Kind]
}

// parameter returns a value in the parameter server's type.
func parameter(s *settings.Setting, text string) any {
	switch number, err := strconv.ParseFloat(text, 64); {
	case s.Kind == settings.Bool:
		return text == "true"
	case err == nil && s.Kind >= settings.Whole && s.Kind <= settings.Size:
		return number
	}
	return text
}

// meansDefault reports whether a parameter leaves the value to the default.
func meansDefault(s *settings.Setting, text string) bool {
	return text == "" || text == "0" && s.Kind >= settings.Whole && s.Kind <= settings.Size && s.Kind != settings.Number
}

// Every setting is given every value against its default: by its flag, by each of its parameters, and
// by both. The flag takes precedence over the parameter, even with a zero value.
func TestPrecedence(t *testing.T) {
	for command, c := range nodeCommands {
		for i := range c.set {
			s := &c.set[i]
			if s.Flag == "" && s.Params == nil {
				continue
			}
			unset := []string{"unset"}
			flags, params := unset, unset
			if s.Flag != "" {
				flags = append(flags, values(s)...)
			}
			if s.Params != nil && s.Kind != settings.Profile { // which depend on the device: node/live
				params = append(params, values(s)...)
			}
			for _, flag := range flags {
				for _, param := range params {
					expected := flag
					if flag == "unset" {
						expected = param
						if meansDefault(s, param) {
							expected = "unset"
						}
					}
					for _, name := range append(s.Params, "none")[:max(len(s.Params), 1)] {
						got, want := turned(t, c.set, c.targets(), s, flag, name, param), directly(t, c.set, c.targets(), s, expected)
						if !reflect.DeepEqual(got, want) {
							t.Errorf("%s --%s=%s _%s:=%s: %+v\nwant %+v", command, s.Flag, flag, name, param, got, want)
						}
					}
				}
			}
		}
	}
}

// turned sets targets by a flag and a parameter, each of which may be "unset".
func turned(t *testing.T, set settings.Set, targets []any, s *settings.Setting, flag, name, param string) []any {
	t.Helper()
	cmd := &cobra.Command{}
	given := jobFlags(cmd, set, targets...)
	if flag != "unset" {
		if err := cmd.ParseFlags([]string{"--" + s.Flag + "=" + flag}); err != nil {
			t.Error(err)
		}
	}
	if param != "unset" {
		p := settings.NewReader(map[string]any{name: parameter(s, param)})
		set.Fill(p, given, targets...)
		if err := p.Err(); err != nil {
			t.Error(err)
		}
	}
	set.Complete(given, targets...)
	return plain(targets)
}

// directly sets the setting's own field.
func directly(t *testing.T, set settings.Set, targets []any, s *settings.Setting, text string) []any {
	t.Helper()
	given := settings.Given{}
	for _, f := range set.Fields(targets...) {
		if f.Name() == s.Name() && text != "unset" {
			given[f.Name()] = settings.Flag
			if err := f.Set(text); err != nil {
				t.Error(err)
			}
		}
	}
	set.Complete(given, targets...)
	return plain(targets)
}

// plain returns what targets point to, except functions, which can't be compared.
func plain(targets []any) (out []any) {
	for _, target := range targets {
		fields, ok := target.(settings.Fields)
		if !ok {
			out = append(out, reflect.ValueOf(target).Elem().Interface())
			continue
		}
		values := map[string]any{}
		for name, p := range fields {
			values[name] = reflect.ValueOf(p).Elem().Interface()
		}
		out = append(out, values)
	}
	return out
}

// A value outside a setting's kind is rejected.
func TestOddValuesAreRefused(t *testing.T) {
	for command, c := range nodeCommands {
		for _, s := range c.set {
			bad, ok := map[settings.Kind]string{
				settings.Bool: "maybe", settings.Word: "maybe", settings.Profile: "big", settings.Whole: "1.5", settings.Limit: "1.5", settings.Number: "x",
				settings.Positive: "0", settings.Size: "1T", settings.TimeOrZero: "-1",
				settings.Time: "soon", settings.Wait: "soon", settings.Value: "nonsense", settings.Expression: "(",
			}[s.Kind]
			if !ok || s.Flag == "" {
				continue
			}
			cmd := &cobra.Command{}
			settingFlags(cmd, c.set, c.targets()...)
			if err := cmd.ParseFlags([]string{"--" + s.Flag + "=" + bad}); err == nil {
				t.Errorf("%s --%s=%s is accepted", command, s.Flag, bad)
			}
		}
	}
}
