package viewer

import (
	"encoding/json"

	"rsros/camdriver"
	"rsros/viewer/wire"
)

// encodePose returns a pose as JSON.
func encodePose(f *camdriver.Frame) []byte {
	p := &f.Pose
	text, _ := json.Marshal(struct { // encoding such a structure can't fail
		Translation         wire.Floats[float32] `json:"translation"`
		Rotation            wire.Floats[float32] `json:"rotation"`
		Velocity            wire.Floats[float32] `json:"velocity"`
		Acceleration        wire.Floats[float32] `json:"acceleration"`
		AngularVelocity     wire.Floats[float32] `json:"angularVelocity"`
		AngularAcceleration wire.Floats[float32] `json:"angularAcceleration"`
		TrackerConfidence   uint32               `json:"trackerConfidence"`
		MapperConfidence    uint32               `json:"mapperConfidence"`
	}{
		p.Translation[:], p.Rotation[:], p.Velocity[:], p.Acceleration[:], p.AngularVelocity[:], p.AngularAcceleration[:],
		p.TrackerConfidence, p.MapperConfidence,
	})
	return text
}
