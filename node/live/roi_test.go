package live

import (
	"strings"
	"testing"

	"rsros/msgs"
)

// The region of auto exposure set through dynamic_reconfigure reaches the camera, whose metadata
// reports it.
func TestAutoExposureROI(t *testing.T) {
	_, n := startTestLive(t, Options{})
	var info msgs.Metadata
	const metadata = "/camera/depth/metadata"
	next(t, n, metadata, &info, func() bool { return strings.Contains(info.JSONData, `"exposure_roi_right":423,`) })
	set := func(name string, value int32) msgs.Config {
		t.Helper()
		req := msgs.Config{Ints: []msgs.Param[int32]{{Name: name, Value: value}}}
		var now msgs.Config
		ask(t, n, "/camera/stereo_module/auto_exposure_roi/set_parameters", "dynamic_reconfigure/Reconfigure", &req, &now)
		return now
	}
	set("left", 100)
	now := set("bottom", 5000) // limited to the image
	if len(now.Ints) != 4 || now.Ints[0].Value != 100 || now.Ints[3].Name != "bottom" || now.Ints[3].Value != 239 {
		t.Errorf("the region is %+v", now.Ints)
	}
	next(t, n, metadata, &info, func() bool { return strings.Contains(info.JSONData, `"exposure_roi_left":100,`) })
}
