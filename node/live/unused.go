package live

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"rsros/node/graph"
	"rsros/node/settings"
)

// sayUnused warns of parameters that somebody set and that have no effect. A recording
// may have every stream.
func sayUnused(log zerolog.Logger, p graph.Params) {
	file, _ := p["rosbag_filename"].(string)
	for _, u := range settings.WithoutEffect {
		for _, name := range u.Params {
			if v, said := lookUp(p, name); said && !slices.Contains(u.Usual, v) && !(u.Stream && file != "") {
				sayNoEffect(log, name, v, u.Why)
			}
		}
	}
	for _, s := range settings.Live {
		if !s.Camera || file == "" {
			continue
		}
		if v, said := p[s.Params[0]]; said && v != "" {
			sayNoEffect(log, s.Params[0], v, "the recording is selected by its name")
		}
	}
}

func sayNoEffect(log zerolog.Logger, name string, value any, why string) {
	log.Warn().Str("parameter", "~"+name).Str("value", fmt.Sprint(value)).Msg("has no effect: " + why)
}

// lookUp finds a parameter in a tree: "a/b" is b in a.
func lookUp(p graph.Params, name string) (any, bool) {
	var at any = map[string]any(p)
	for {
		tree, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		key, rest, deeper := strings.Cut(name, "/")
		if at, ok = tree[key]; !ok || !deeper {
			return at, ok
		}
		name = rest
	}
}
