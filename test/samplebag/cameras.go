package samplebag

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/test/need"
)

// The images of Cameras.
const (
	CameraFrames              = 8
	CameraWidth, CameraHeight = 64, 48
)

// CameraValue is the grey of a camera's colour images, a tenth of its depth in mm, and its focal length.
func CameraValue(camera string) byte {
	return map[string]byte{"front": 50, "robot1/wrist": 70, "camera/camera": 90}[camera]
}

// Cameras writes a bag with topics of camera nodes, at 10 Hz. A topic is the camera and what it has: color or depth, after
// a dot its form: raw, jpeg, png or rvl; or tf: its place in /tf_static, on the x axis of base. With @3, its first image is the fourth.
func Cameras(t testing.TB, topics ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cameras.bag")
	w := Create(t, path, bagstore.Options{})
	var packer imagetransport.Encoder
	for i := range CameraFrames {
		at := NodeStart + int64(i)*100_000_000
		for _, topic := range topics {
			topic, from, _ := strings.Cut(topic, "@")
			if first, _ := strconv.Atoi(from); i < first {
				continue
			}
			name, form, _ := strings.Cut(topic, ".")
			camera, stream, v := name[:strings.LastIndexByte(name, '/')], name[strings.LastIndexByte(name, '/')+1:], CameraValue(name[:strings.LastIndexByte(name, '/')])
			h := msgs.Header{Seq: uint32(i), Stamp: msgs.Time(at), FrameID: strings.ReplaceAll(name, "/", "_")}
			p := imagetransport.Image{Width: CameraWidth, Height: CameraHeight}
			base := "/" + name + "/image_raw"
			if stream == "depth" {
				base = "/" + name + "/image_rect_raw"
				p.Encoding, p.Step = "16UC1", 2*CameraWidth
				p.Data = bytes.Repeat(binary.LittleEndian.AppendUint16(nil, 10*uint16(v)), CameraWidth*CameraHeight)
			} else {
				p.Encoding, p.Step, p.Data = "rgb8", 3*CameraWidth, bytes.Repeat([]byte{v}, 3*CameraWidth*CameraHeight)
			}
			if form == "tf" {
				if i == 0 {
					link := msgs.TransformStamped{Header: msgs.Header{FrameID: "base"}, ChildFrameID: h.FrameID}
					link.Transform.Translation.X, link.Transform.Rotation.W = float64(v)/100, 1
					m := &msgs.TFMessage{Transforms: []msgs.TransformStamped{link}}
					w.Put(Topic("/tf_static", "tf2_msgs/TFMessage"), bagstore.Time(at), msgs.Marshal(m))
				}
				continue
			}
			info := &msgs.CameraInfo{Header: h, Width: CameraWidth, Height: CameraHeight, DistortionModel: "plumb_bob", D: make([]float64, 5)}
			info.K = [9]float64{float64(v), 0, CameraWidth / 2, 0, float64(v), CameraHeight / 2, 0, 0, 1}
			w.Put(Topic("/"+camera+"/"+stream+"/camera_info", "sensor_msgs/CameraInfo"), bagstore.Time(at), msgs.Marshal(info))
			if form == "raw" {
				head := msgs.ImageHead{Header: h, Height: CameraHeight, Width: CameraWidth, Encoding: p.Encoding, Step: uint32(p.Step), DataLen: uint32(len(p.Data))}
				var e msgs.Encoder
				head.Append(&e)
				w.Put(Topic(base, "sensor_msgs/Image"), bagstore.Time(at), e.B, p.Data)
				continue
			}
			o, pack, suffix := imagetransport.DefaultOptions(p.Encoding), packer.Compress, "/compressed"
			if stream == "depth" {
				o, pack, suffix = imagetransport.DefaultDepthOptions(p.Encoding), packer.CompressDepth, "/compressedDepth"
			}
			o.Format = form
			format, data, err := pack(nil, p, o)
			need.Must(t, err)
			var e msgs.Encoder
			e.Message(&h)
			e.String(format)
			e.Bytes(data)
			w.Put(Topic(base+suffix, "sensor_msgs/CompressedImage"), bagstore.Time(at), e.B)
		}
	}
	w.Done()
	return path
}

// Orders yields all orders of a short list, and the rotations of a long one.
func Orders(list []string) (all [][]string) {
	if len(list) > 4 {
		for i := range list {
			all = append(all, append(slices.Clone(list[i:]), list[:i]...))
		}
		return all
	}
	if len(list) < 2 {
		return [][]string{list}
	}
	for i := range list {
		rest := slices.Delete(slices.Clone(list), i, i+1)
		for _, others := range Orders(rest) {
			all = append(all, append([]string{list[i]}, others...))
		}
	}
	return all
}
