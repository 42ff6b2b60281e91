package sim

import "rsros/camdriver"

// mode is an image size and its frame rates.
type mode struct {
	width, height int
	fps           []int
}

var stereoModes = []mode{
	{256, 144, []int{300, 90}},
	{424, 240, []int{90, 60, 30, 15, 6}},
	{480, 270, []int{90, 60, 30, 15, 6}},
	{640, 360, []int{90, 60, 30, 15, 6}},
	{640, 480, []int{90, 60, 30, 15, 6}},
	{848, 100, []int{300, 100}},
	{848, 480, []int{90, 60, 30, 15, 6}},
	{1280, 720, []int{30, 15, 6}},
}

var colorModes = []mode{
	{320, 180, []int{60, 30, 6}},
	{320, 240, []int{60, 30, 6}},
	{424, 240, []int{60, 30, 15, 6}},
	{640, 360, []int{60, 30, 15, 6}},
	{640, 480, []int{60, 30, 15, 6}},
	{848, 480, []int{60, 30, 15, 6}},
	{960, 540, []int{60, 30, 15, 6}},
	{1280, 720, []int{30, 15, 6}},
	{1920, 1080, []int{30, 15, 6}},
}

// video returns the profiles of a stream. The default is standard.
func video(id camdriver.StreamID, f camdriver.Format, modes []mode, standard mode) []camdriver.Profile {
	var out []camdriver.Profile
	for _, m := range modes {
		for _, fps := range m.fps {
			out = append(out, camdriver.Profile{
				Stream: id, Format: f, Width: m.width, Height: m.height, FPS: fps,
				Default: m.width == standard.width && m.height == standard.height && fps == standard.fps[0],
			})
		}
	}
	return out
}

func stereoProfiles() []camdriver.Profile {
	standard := mode{848, 480, []int{30}}
	out := video(depthID, camdriver.Z16, stereoModes, standard)
	out = append(out, video(leftID, camdriver.Y8, stereoModes, standard)...)
	return append(out, video(rightID, camdriver.Y8, stereoModes, standard)...)
}

func colorProfiles() []camdriver.Profile {
	return video(colorID, camdriver.RGB8, colorModes, mode{1280, 720, []int{30}})
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
