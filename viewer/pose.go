package viewer

import (
	"encoding/json"

	"rsros/camdriver"
)

// encodePose returns a pose as JSON.
func encodePose(f *camdriver.Frame) []byte {
	p := &f.Pose
	text, err := json.Marshal(struct {
		Translation         camdriver.Vec3 `json:"translation"`
		Rotation            [4]float32     `json:"rotation"`
		Velocity            camdriver.Vec3 `json:"velocity"`
		Acceleration        camdriver.Vec3 `json:"acceleration"`
		AngularVelocity     camdriver.Vec3 `json:"angularVelocity"`
		AngularAcceleration camdriver.Vec3 `json:"angularAcceleration"`
		TrackerConfidence   uint32         `json:"trackerConfidence"`
		MapperConfidence    uint32         `json:"mapperConfidence"`
	}{p.Translation, p.Rotation, p.Velocity, p.Acceleration, p.AngularVelocity, p.AngularAcceleration, p.TrackerConfidence, p.MapperConfidence})
	if err != nil { // a value that JSON doesn't have, such as NaN in a file
		return []byte("{}")
	}
	return text
}
