package rsmarks

import (
	"context"
	"fmt"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

type markOption struct {
	sensor int
	id     camdriver.OptionID
}

func events(ctx context.Context, f *rsbag.File) []Mark {
	c := f.Cursor(rsbag.CursorOptions{Streams: func(camdriver.StreamID) bool { return false }})
	defer c.Close()
	values := make(map[markOption]float32)
	sensors := f.Snapshot().Sensors
	for i, s := range sensors {
		for _, o := range s.Options {
			values[markOption{i, o.ID}] = o.Value
		}
	}
	var list []Mark
	read := 0
	for e := range c.Events() {
		if read++; read > maxRead || ctx.Err() != nil {
			break
		}
		m := Mark{Time: e.Time}
		switch {
		case e.Notification != nil:
			n := e.Notification
			m.Kind, m.Text = Notification, clip(fmt.Sprintf("%s, %s: %s", n.Severity, n.Category, n.Description))
		case e.Option != nil:
			key := markOption{e.Sensor, e.Option.ID}
			before, known := values[key]
			values[key] = e.Option.Value
			if known && before == e.Option.Value {
				continue
			}
			m.Kind, m.Text = Option, fmt.Sprintf("%s %g", e.Option.ID, e.Option.Value)
			if known {
				m.Text = fmt.Sprintf("%s %g, before %g", e.Option.ID, e.Option.Value, before)
			}
			if e.Sensor >= 0 && e.Sensor < len(sensors) {
				m.Text = sensors[e.Sensor].Name + ": " + m.Text
			}
			m.Text = clip(m.Text)
		default:
			continue
		}
		if list = append(list, m); len(list) == maxEvents {
			list[maxEvents-1].Text = clip(fmt.Sprintf("%d events; later ones have no marks", maxEvents))
			break
		}
	}
	return list
}

func clip(text string) string {
	if r := []rune(text); len(r) > maxText {
		return string(r[:maxText-1]) + "…"
	}
	return text
}
