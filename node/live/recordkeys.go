package live

import "rsros/record"

// RecordFigures describes the cameras' recordings.
func (n *Node) RecordFigures() (list []record.Figures) {
	for _, c := range n.recorders() {
		if c.up.Load() {
			if rec := c.records.Current(); rec != nil {
				list = append(list, rec.Figures())
			}
		}
	}
	return list
}

// RecordKeys returns the functions of keys, which apply to the recordings of all cameras, and a help line.
func (n *Node) RecordKeys() (help string, keys map[string]func()) {
	key := func(do func(*camera) (string, error)) func() {
		return func() {
			text, err := n.allOf(n.recorders(), do)
			if err != nil {
				n.log.Warn().Err(err).Msg("a key had no effect")
			} else {
				n.log.Info().Msg(text)
			}
		}
	}
	help = "space pause  r stop, start  s split  m mark"
	keys = map[string]func(){
		" ": key((*camera).togglePause), "r": key((*camera).toggleRecording), "s": key(onRecording("split")), "m": key(onRecording("mark")),
	}
	if n.cameras[0].opts.Recording.Ring.Before > 0 {
		help += "  t trigger"
		keys["t"] = key(onRecording("trigger"))
	}
	return help, keys
}

func (c *camera) togglePause() (string, error) {
	rec := c.records.Current()
	return c.pauseRecording(rec != nil && !rec.Figures().Paused)
}

func (c *camera) toggleRecording() (string, error) {
	if c.records.Current() != nil {
		return c.stopRecording()
	}
	return c.startRecording()
}
