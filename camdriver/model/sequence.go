package model

import "encoding/binary"

// Controls of a sequence's frames.
const (
	SequenceLaser    = 0
	SequenceExposure = 1
	SequenceGain     = 2
)

// Sequence is a sub-preset: frames with settings of their own, repeated until it is replaced.
type Sequence struct {
	ID     uint8 // at most 15
	Frames []SequenceFrame
}

// SequenceFrame has the settings of a frame.
type SequenceFrame []SequenceSetting

// SequenceSetting is the value of a control.
type SequenceSetting struct {
	Control uint8
	Value   uint32
}

// Encode returns the data of OpSetSubPreset: a header of 5 bytes (its size, id, iterations, number of frames), and for
// each frame one of 4 (its size, iterations, number of controls) and the controls.
func (s Sequence) Encode() []byte {
	b := []byte{5, s.ID, 0, 0, uint8(len(s.Frames))}
	for _, frame := range s.Frames {
		b = append(b, 4, 1, 0, uint8(len(frame))) // for one frame
		for _, c := range frame {
			b = binary.LittleEndian.AppendUint32(append(b, c.Control), c.Value)
		}
	}
	return b
}

// NamedAlternating returns the data of OpSetSubPreset that turns the emitter off in every second frame, for firmware
// before sub-presets had ids: a header of 25 bytes (its size, the name, the number of frames), and for each frame one
// of 5 and the control.
func NamedAlternating() []byte {
	b := append([]byte{25, 0}, AlternatingName...)
	b = append(b, 0, 2, 0)
	for laser := range byte(2) {
		b = append(b, 5, 0, 1, 1, 0, SequenceLaser, 0, laser, 0, 0, 0)
	}
	return b
}

// AlternatingName is the reply to OpSubPresetID of firmware that runs NamedAlternating.
const AlternatingName = "Alternating_Emitter\x00"

// ParseSequence parses the data of OpSetSubPreset.
func ParseSequence(b []byte) (s Sequence, ok bool) {
	if len(b) < 5 || b[0] != 5 || b[1] > 15 || b[4] == 0 {
		return s, false
	}
	s.ID = b[1]
	rest := b[5:]
	for range b[4] {
		if len(rest) < 4 || rest[0] != 4 || len(rest) < 4+5*int(rest[3]) {
			return s, false
		}
		frame := make(SequenceFrame, rest[3])
		for i := range frame {
			at := rest[4+5*i:]
			frame[i] = SequenceSetting{at[0], binary.LittleEndian.Uint32(at[1:])}
		}
		s.Frames = append(s.Frames, frame)
		rest = rest[4+5*len(frame):]
	}
	return s, len(rest) == 0
}
