package live

import (
	"slices"

	"rsros/node/keys"
	"rsros/record"
)

// RecordFigures describes the cameras' recordings.
func (n *Session) RecordFigures() (list []record.Figures) {
	for _, c := range n.recorders() {
		if c.up.Load() {
			if rec := c.records.Current(); rec != nil {
				list = append(list, rec.Figures())
			}
		}
	}
	return list
}

// RecordKeys returns the commands of keys, which apply to the recordings of all cameras, and a help line.
func (n *Session) RecordKeys() (help string, commands map[string]keys.Command) {
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
	records := func() bool { return len(n.RecordFigures()) > 0 }
	running := func() bool {
		return slices.ContainsFunc(n.RecordFigures(), func(f record.Figures) bool { return !f.Paused })
	}
	help = "space pause  r stop, start  s split  m mark"
	commands = map[string]keys.Command{
		" ": {Do: key((*camera).togglePause), Cuts: "pause", If: running},
		"r": {Do: key((*camera).toggleRecording), Cuts: "end the recording", If: records},
		"s": {Do: key(onRecording("split")), Cuts: "start a new file"},
		"m": {Do: key(onRecording("mark"))},
	}
	if n.cameras[0].opts.Recording.Ring.Before > 0 {
		help += "  t trigger"
		commands["t"] = keys.Command{Do: key(onRecording("trigger"))}
	}
	return help, commands
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
