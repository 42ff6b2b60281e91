package live

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/node/settings"
	"rsros/program/work"
	"rsros/ros/graph"
)

// warnUnused warns of unknown parameters, and of those without effect. A recording may have any stream.
func warnUnused(log zerolog.Logger, p graph.Params) {
	for _, text := range settings.Live.Misread(p, nil, nil) {
		log.Warn().Msg(text)
	}
	file, _ := p["rosbag_filename"].(string)
	for _, u := range settings.WithoutEffect {
		for _, name := range u.Params {
			if v, ok := lookUp(p, name); ok && !slices.Contains(u.Usual, v) && !(u.Stream && file != "") {
				warnNoEffect(log, name, v, u.Why)
			}
		}
	}
}

// warnOfSelectors warns of parameters and flags that select one of several cameras and don't apply
// to this device. The serial number applies to a simulated camera.
func warnOfSelectors(log zerolog.Logger, o SourceOptions) {
	kind, _ := o.kind()
	why := "the simulated camera isn't selected"
	if o.isBag() {
		why = "the recording is selected by its name"
	}
	for _, s := range []struct {
		name, value string
		used        bool
	}{
		{"serial_no", o.Serial, kind != ""}, {"usb_port_id", o.Port, kind == "usb"}, {"device_type", o.Type, kind == "usb"},
	} {
		if s.value != "" && !s.used {
			warnNoEffect(log, s.name, s.value, why)
		}
	}
}

func warnNoEffect(log zerolog.Logger, name string, value any, why string) {
	log.Warn().Str("parameter", "~"+name).Str("value", fmt.Sprint(value)).Msg("has no effect: " + why)
}

// lookUp returns a parameter of a tree: "a/b" is b in a.
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

// warnOfSimTime warns if /use_sim_time is set, which a camera's frames don't follow.
func (n *Session) warnOfSimTime(ctx context.Context) {
	if n.cameras[0].opts.Source.isBag() {
		return
	}
	v, ok, err := n.node.Param(ctx, "/use_sim_time")
	if on, _ := v.(bool); err == nil && ok && on {
		n.log.Warn().Msg("/use_sim_time is true, but frames are stamped with the computer's time, not with /clock: " +
			"a camera takes its frames in real time, and /clock may stop or jump between two of them")
	}
}

// doublesEvery is the period of asking the master for other publishers of this node's topics.
const doublesEvery = 3 * time.Second

// common are topics that every node may publish.
var common = []string{"/rosout", "/tf", "/tf_static", "/diagnostics", "/clock"}

// watchDoubles warns once of each other node that publishes a topic of this one.
func (n *Session) watchDoubles() {
	n.cleanup.Go(func(ctx context.Context) {
		known := map[string]bool{}
		n.warnOfDuplicates(ctx, known)
		work.Every(ctx, doublesEvery, func(time.Time) { n.warnOfDuplicates(ctx, known) })
	})
}

func (n *Session) warnOfDuplicates(ctx context.Context, known map[string]bool) {
	doubles, err := n.joined.Doubles(ctx)
	if err != nil {
		return // ask the master again later
	}
	for topic, nodes := range doubles {
		for _, node := range nodes {
			if !known[node] && !slices.Contains(common, topic) {
				known[node] = true
				n.log.Warn().Str("node", node).Str("topic", topic).
					Msg("another node also publishes this topic: subscribers receive frames of both cameras (use --camera or __ns:= for another name)")
			}
		}
	}
}
