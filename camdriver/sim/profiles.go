package sim

import (
	"rsros/camdriver"
	"rsros/camdriver/d435i"
)

// video returns the profiles of a stream. The default is standard.
func video(id camdriver.StreamID, f camdriver.Format, sizes []d435i.Size, standard d435i.Size) []camdriver.Profile {
	var out []camdriver.Profile
	for _, s := range sizes {
		for _, fps := range s.FPS {
			out = append(out, camdriver.Profile{
				Stream: id, Format: f, Width: s.W, Height: s.H, FPS: fps,
				Default: s.W == standard.W && s.H == standard.H && fps == standard.FPS[0],
			})
		}
	}
	return out
}

func stereoProfiles() []camdriver.Profile {
	standard := d435i.Size{W: 848, H: 480, FPS: []int{30}}
	out := video(depthID, camdriver.Z16, d435i.StereoSizes, standard)
	out = append(out, video(leftID, camdriver.Y8, d435i.StereoSizes, standard)...)
	return append(out, video(rightID, camdriver.Y8, d435i.StereoSizes, standard)...)
}

func colorProfiles() []camdriver.Profile {
	return video(colorID, camdriver.RGB8, d435i.ColorSizes, d435i.Size{W: 1280, H: 720, FPS: []int{30}})
}

func motionProfiles() []camdriver.Profile {
	return []camdriver.Profile{
		{Stream: gyroID, Format: camdriver.MotionXYZ32F, FPS: 200, Default: true},
		{Stream: gyroID, Format: camdriver.MotionXYZ32F, FPS: 400},
		{Stream: accelID, Format: camdriver.MotionXYZ32F, FPS: 63, Default: true},
		{Stream: accelID, Format: camdriver.MotionXYZ32F, FPS: 250},
	}
}

func poseProfiles() []camdriver.Profile {
	return []camdriver.Profile{{Stream: poseID, Format: camdriver.SixDOF, FPS: 200, Default: true}}
}
