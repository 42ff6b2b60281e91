package control

import (
	"slices"
	"testing"

	"rsros/node/settings"
	"rsros/replay"
)

// The parameters are those that the settings name as changing while the node runs.
func TestRunningSettings(t *testing.T) {
	var offered []string
	for _, p := range parameters(replay.Status{}) {
		offered = append(offered, p.Name)
	}
	for _, s := range slices.Concat(settings.Play, settings.Live) {
		if s.Running != "" && !slices.Contains(offered, s.Running) {
			t.Errorf("%s isn't offered", s.Running)
		}
	}
	for _, name := range offered {
		if !slices.ContainsFunc(settings.Play, func(s settings.Setting) bool { return s.Running == name }) {
			t.Errorf("no setting is called %s while it runs", name)
		}
	}
}
