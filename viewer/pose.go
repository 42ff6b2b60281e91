package viewer

import (
	"encoding/json"

	"rsros/camdriver"
	"rsros/viewer/api"
)

// encodePose returns a pose as JSON.
func encodePose(f *camdriver.Frame) []byte {
	p := &f.Pose
	text, _ := json.Marshal(struct { // encoding such a structure can't fail
		Translation         api.Floats[float32] `json:"translation"`
		Rotation            api.Floats[float32] `json:"rotation"`
		Velocity            api.Floats[float32] `json:"velocity"`
		Acceleration        api.Floats[float32] `json:"acceleration"`
		AngularVelocity     api.Floats[float32] `json:"angularVelocity"`
		AngularAcceleration api.Floats[float32] `json:"angularAcceleration"`
		TrackerConfidence   uint32              `json:"trackerConfidence"`
		MapperConfidence    uint32              `json:"mapperConfidence"`
	}{
		p.Translation[:], p.Rotation[:], p.Velocity[:], p.Acceleration[:], p.AngularVelocity[:], p.AngularAcceleration[:],
		p.TrackerConfidence, p.MapperConfidence,
	})
	return text
}
