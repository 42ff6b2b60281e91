package sim

import (
	"rsros/camdriver"
	"rsros/camdriver/model"
)

// video returns the profiles of a stream. The default is standard.
func video(id camdriver.StreamID, f camdriver.Format, sizes []model.Size, standard model.Size) []camdriver.Profile {
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
	standard := model.Size{W: 848, H: 480, FPS: []int{30}}
	out := video(camdriver.DepthStream, camdriver.Z16, model.StereoSizes, standard)
	out = append(out, video(camdriver.LeftStream, camdriver.Y8, model.StereoSizes, standard)...)
	return append(out, video(camdriver.RightStream, camdriver.Y8, model.StereoSizes, standard)...)
}

func colorProfiles() []camdriver.Profile {
	return video(camdriver.ColorStream, camdriver.RGB8, model.ColorSizes, model.Size{W: 1280, H: 720, FPS: []int{30}})
}

func poseProfiles() []camdriver.Profile {
	return []camdriver.Profile{{Stream: camdriver.PoseStream, Format: camdriver.SixDOF, FPS: 200, Default: true}}
}
