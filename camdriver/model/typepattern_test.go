package model

import "testing"

func TestTypePattern(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "Intel RealSense D435", true},
		{"d435", "Intel RealSense D435I", true},
		{"d435(?!i)", "Intel RealSense D435I", false},
		{"d435(?!i)", "Intel RealSense D435", true},
		{"D4.5$", "Intel RealSense D415", true},
		{"d455", "Intel RealSense D435", false},
		{"^RealSense D435$", "Intel RealSense D435", true},
		{"^Intel RealSense D436$", "RealSense D436", true},
		{"intel", "RealSense D436", true},
	} {
		p, err := ParseType(test.pattern)
		if err != nil || p.Match(test.name) != test.want {
			t.Errorf("%q on %q: %v %v", test.pattern, test.name, p.Match(test.name), err)
		}
	}
}

func TestOnlyTracking(t *testing.T) {
	for expression, want := range map[string]bool{"t265": true, "T2.5": true, "Intel RealSense T265": true, "": false, "d4.5": false, "265|435": false, "intel": false, "(": false} {
		if got := OnlyTracking(expression); got != want {
			t.Errorf("%q: %v", expression, got)
		}
	}
}
