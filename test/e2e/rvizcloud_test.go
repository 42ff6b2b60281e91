package e2e

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"math"
	"testing"

	"rsros/msgs"
	"rsros/test/need"
)

// rvizView is the camera of launch/cloud.rviz: where the window shows points, and from where.
var rvizView = struct {
	window               image.Rectangle
	distance, yaw, pitch float64
	focus                [3]float64
}{image.Rect(364, 22, 858, 771), 4.2, 3.4, 0.45, [3]float64{1.5, 0, 0}}

// project returns the pixel where rviz draws a point of the depth camera's optical frame, and its distance.
func project(x, y, z float64) (at image.Point, distance float64) {
	v := rvizView
	sinYaw, cosYaw := math.Sincos(v.yaw)
	sinPitch, cosPitch := math.Sincos(v.pitch)
	// Relative to the eye, which is on a sphere around the focus; x ahead, y left, z up.
	ahead := z - v.focus[0] - v.distance*cosYaw*cosPitch
	left := -x - v.focus[1] - v.distance*sinYaw*cosPitch
	up := -y - v.focus[2] - v.distance*sinPitch
	depth := -(ahead*cosYaw*cosPitch + left*sinYaw*cosPitch + up*sinPitch)
	right := -ahead*sinYaw + left*cosYaw
	high := -ahead*cosYaw*sinPitch - left*sinYaw*sinPitch + up*cosPitch
	centre := v.window.Min.Add(v.window.Max).Div(2)
	const fieldOfView = math.Pi / 4 // Ogre's default, for the window's height
	scale := float64(v.window.Dy()) / 2 / math.Tan(fieldOfView/2) / depth
	return centre.Add(image.Pt(int(math.Round(right*scale)), int(-math.Round(high*scale)))), depth
}

// drawn is the point that covers a pixel.
type drawn struct {
	distance float64
	colour   [3]int
}

// drawCloud draws a cloud as rviz does: squares of three pixels, the nearest in front.
func drawCloud(head *msgs.PointCloudHead, points []byte) map[image.Point]drawn {
	pixels := map[image.Point]drawn{}
	float := func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
	step := int(head.PointStep)
	for p := points; len(p) >= step; p = p[step:] {
		at, distance := project(float(p), float(p[4:]), float(p[8:]))
		point := drawn{distance, [3]int{int(p[18]), int(p[17]), int(p[16])}}
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				pixel := at.Add(image.Pt(dx, dy))
				if before, ok := pixels[pixel]; pixel.In(rvizView.window) && (!ok || distance < before.distance) {
					pixels[pixel] = point
				}
			}
		}
	}
	return pixels
}

const cloudTopic = "/camera/depth/color/points"

// compareCloud says what is wrong with the points in a screenshot of rviz: they must have the colours
// and places of the cloud's points.
func compareCloud(t *testing.T, picture, cloud []byte) []string {
	t.Helper()
	shot, err := png.Decode(bytes.NewReader(picture))
	need.Must(t, err)
	var head msgs.PointCloudHead
	d := msgs.NewDecoder(cloud)
	d.Message(&head)
	points := d.Raw(int(head.DataLen))
	if d.Err() != nil || head.PointStep != 20 {
		t.Fatalf("%s: %v, points of %d bytes", cloudTopic, d.Err(), head.PointStep)
	}
	var all, fit, vivid int
	for at, point := range drawCloud(&head, points) {
		all++
		r, g, b, _ := shot.At(at.X, at.Y).RGBA()
		c := point.colour
		if abs(int(r>>8)-c[0]) < 40 && abs(int(g>>8)-c[1]) < 40 && abs(int(b>>8)-c[2]) < 40 {
			fit++
			if max(c[0], c[1], c[2])-min(c[0], c[1], c[2]) > 60 {
				vivid++
			}
		}
	}
	if all < 50_000 || fit < all*7/10 || vivid < all/50 {
		return []string{fmt.Sprintf("of %d pixels with points %d have their colours, %d of them vivid ones", all, fit, vivid)}
	}
	t.Logf("of %d pixels with points %d have their colours, %d of them vivid ones", all, fit, vivid)
	return nil
}

func abs(x int) int { return max(x, -x) }
