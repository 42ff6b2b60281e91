package d400

import (
	"errors"
	"fmt"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// Sub-presets are sequences of frames with settings of their own. Their ids 0 to 3 are
// HDR; this one alternates the emitter.
const (
	hdrIDs        = 4
	alternatingID = 15
)

// As in the SDK, hdrBefore is the exposure set before a sequence starts, and hdrRestoreWait is the wait after its end.
const (
	hdrBefore      = 30000 // µs
	hdrRestoreWait = 70 * time.Millisecond
)

// setSubPreset starts a sequence, or ends it if it has no frames.
func (l *link) setSubPreset(id uint8, frames ...model.SequenceFrame) error {
	var b []byte
	if len(frames) > 0 {
		b = model.Sequence{ID: id, Frames: frames}.Encode()
	}
	_, err := l.command(model.OpSetSubPreset, b, uint32(len(b)))
	return err
}

// subPreset returns the id of the running sub-preset, a byte or the name of old firmware, or nothing if none runs.
func (l *link) subPreset() ([]byte, error) {
	b, err := l.command(model.OpSubPresetID, nil)
	if refusal := (*model.Refusal)(nil); errors.As(err, &refusal) { // usually that there is no data
		return nil, nil
	}
	return b, err
}

// alternating is the emitter that is off in every second frame. Before HDRFirmware, sub-presets have names, not ids.
func alternating(named bool) setting {
	return setting{
		id: camdriver.OptionEmitterOnOff, about: "Turn the emitter off in every second frame", span: onOff(false),
		get: func(l *link) (float32, error) {
			id, err := l.subPreset()
			if named {
				return boolToFloat(string(id) == model.AlternatingName), err
			}
			return boolToFloat(len(id) > 0 && id[0] == alternatingID), err
		},
		set: func(l *link, v float32) error {
			if v == 0 {
				return l.setSubPreset(0)
			}
			if named {
				b := model.NamedAlternating()
				_, err := l.command(model.OpSetSubPreset, b, uint32(len(b)))
				return err
			}
			return l.setSubPreset(alternatingID, model.SequenceFrame{{Control: model.SequenceLaser, Value: 0}},
				model.SequenceFrame{{Control: model.SequenceLaser, Value: 1}})
		},
	}
}

// hdr is the option HDR and what belongs to it. As in the SDK, Exposure and Gain are those
// of a step of the sequence while Sequence Id isn't 0.
type hdr struct {
	exposure        setting // of the camera, without HDR
	auto, alternate setting // paused by HDR

	name   int
	index  int           // Sequence Id
	steps  [2][2]float32 // exposure and gain
	seeded [2]bool       // which of exposure and gain have steps
	on     bool          // set by this driver; firmware may report it only while it streams
	before float32       // exposure
	paused []setting     // to turn on again
}

// settings returns the options of the sequence.
func (h *hdr) settings() []setting {
	host := func(id camdriver.OptionID, about string, s span, value *int) setting {
		return local(id, about, s, func() float32 { return float32(*value) }, func(v float32) { *value = int(v) })
	}
	size := len(h.steps)
	enabled := setting{
		id: camdriver.OptionHdrEnabled, about: "Alternate between the exposures and gains of a sequence", span: onOff(false),
		get: func(l *link) (float32, error) {
			on, err := h.active(l)
			return boolToFloat(on), err
		},
		set: func(l *link, v float32) error {
			if v != 0 {
				return h.enable(l)
			}
			return h.disable(l)
		},
	}
	return []setting{
		enabled,
		host(camdriver.OptionSequenceName, "Id of the HDR sequence", span{0, hdrIDs - 1, 1, 1}, &h.name),
		host(camdriver.OptionSequenceSize, "Frames of the HDR sequence", span{2, 2, 1, 2}, &size),
		host(camdriver.OptionSequenceId, "Frame of the HDR sequence that Exposure and Gain apply to; 0 if to no sequence",
			span{0, 2, 1, 0}, &h.index),
	}
}

// active reports whether HDR is on.
func (h *hdr) active(l *link) (bool, error) {
	if h.on {
		return true, nil
	}
	id, err := l.subPreset()
	h.on = err == nil && len(id) > 0 && id[0] < hdrIDs
	return h.on, err
}

// step is Exposure (0) or Gain (1), which apply to a step if one is chosen.
func (h *hdr) step(which int, camera setting) setting {
	s := camera
	s.ask = func(l *link) (span, error) {
		r, err := camera.ask(l)
		if err == nil {
			h.seed(which, r)
		}
		return r, err
	}
	s.kept = func() bool { return h.index > 0 }
	s.get = func(l *link) (float32, error) {
		if h.index > 0 {
			return h.steps[h.index-1][which], nil
		}
		return camera.get(l)
	}
	s.set = func(l *link, v float32) error {
		on, _ := h.active(l) // if the camera is gone, the change itself fails
		switch {
		case h.index == 0 && on:
			return fmt.Errorf("HDR is on; turn it off or choose a frame with Sequence Id: %w", camdriver.ErrBusy)
		case h.index == 0:
			return camera.set(l, v)
		}
		h.steps[h.index-1][which] = v
		if !on {
			return nil
		}
		index := h.index // firmware doesn't accept changes of a running sequence
		if err := h.disable(l); err != nil {
			return err
		}
		err := h.enable(l)
		h.index = index
		return err
	}
	return s
}

// seed sets the SDK's default steps once the range is known.
func (h *hdr) seed(which int, r span) {
	if h.seeded[which] {
		return
	}
	h.seeded[which] = true
	h.steps[0][which], h.steps[1][which] = r.def, r.min
	if which == 0 {
		h.steps[0][which] = max(r.def-1000, r.min)
	}
}

// enable starts the sequence, after turning off what excludes it.
func (h *hdr) enable(l *link) error {
	if b, err := l.command(model.OpGetSubPreset, nil); err == nil && len(b) > 1 && b[1] < hdrIDs {
		h.on = true
		return nil
	}
	h.paused = nil
	for _, s := range []setting{h.auto, h.alternate} {
		if v, err := s.get(l); err != nil || v == 0 {
			continue
		}
		if err := s.set(l, 0); err != nil {
			return fmt.Errorf("turn off %s: %w", s.id, err)
		}
		h.paused = append(h.paused, s)
	}
	h.index = 0
	var err error
	if h.before, err = h.exposure.get(l); err != nil {
		return err
	}
	if err := h.exposure.set(l, hdrBefore); err != nil {
		return err
	}
	var frames []model.SequenceFrame
	for _, step := range h.steps {
		frames = append(frames, model.SequenceFrame{{Control: model.SequenceExposure, Value: uint32(step[0])},
			{Control: model.SequenceGain, Value: uint32(step[1])}})
	}
	err = l.setSubPreset(uint8(h.name), frames...)
	h.on = err == nil
	return err
}

// disable ends the sequence and restores what enable changed.
func (h *hdr) disable(l *link) error {
	if err := l.setSubPreset(0); err != nil {
		return err
	}
	h.on, h.index = false, 0
	wait(l.ctx, hdrRestoreWait) // the firmware restores its own exposure first
	if h.before > 0 {
		if err := h.exposure.set(l, h.before); err != nil {
			return err
		}
	}
	paused := h.paused
	h.before, h.paused = 0, nil
	for _, s := range paused {
		if err := s.set(l, 1); err != nil {
			return fmt.Errorf("turn on %s: %w", s.id, err)
		}
	}
	return nil
}
