package orbbec

import (
	"errors"
	"fmt"

	"rsros/msgs"
)

// Frame is what the recorder adds to each frame. Times are in microseconds.
type Frame struct {
	Number uint64
	Device uint64 // the camera's clock
	System uint64 // the computer's clock when the frame arrived, since 1970
	Global uint64 // the camera's time on the computer's clock, since 1970; 0 if it isn't known
}

// Image is an image. Data and Metadata alias the message.
type Image struct {
	msgs.ImageHead
	Frame
	Data     []byte
	Metadata []byte // as the camera sent it
	Bits     int    // used of each pixel; 0 in recordings before 2.4.8
}

// DecodeImage decodes a message of an image topic.
func DecodeImage(data []byte) (m Image, err error) {
	d := msgs.NewDecoder(data)
	m.ImageHead.Decode(d)
	m.Data = d.Raw(int(m.DataLen))
	d.F32() // depth units, which the recorder doesn't set
	m.Frame.decode(d)
	m.Metadata = d.Bytes()
	if size := d.U32(); d.Err() == nil && size != uint32(len(m.Metadata)) {
		return m, fmt.Errorf("image: metadata of %d bytes, which the message says are %d", len(m.Metadata), size)
	}
	if d.Remaining() == 1 {
		m.Bits = int(d.U8())
	}
	return m, ended(d, "image")
}

func (f *Frame) decode(d *msgs.Decoder) {
	f.Number = d.U64()
	f.times(d)
}

func (f *Frame) times(d *msgs.Decoder) { f.Device, f.System, f.Global = d.U64(), d.U64(), d.U64() }

// ended returns an error if the message is longer or shorter than what was decoded.
func ended(d *msgs.Decoder, what string) error {
	if err := d.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if n := d.Remaining(); n > 0 {
		return fmt.Errorf("%s: %d bytes after the last field", what, n)
	}
	return nil
}

// Motion is a sample of an inertial sensor, which sets one of the vectors.
type Motion struct {
	Frame
	Gyro, Accel [3]float64 // rad/s, m/s²
	Temperature float32    // °C
}

// DecodeMotion decodes a message of an inertial sensor.
func DecodeMotion(data []byte) (m Motion, err error) {
	d := msgs.NewDecoder(data)
	var h msgs.Header
	h.Decode(d)
	var orientation [4]float64
	var covariance [9]float64
	d.F64s(orientation[:])
	d.F64s(covariance[:])
	d.F64s(m.Gyro[:])
	d.F64s(covariance[:])
	d.F64s(m.Accel[:])
	d.F64s(covariance[:])
	again := d.Bytes() // the vector as float32
	if size := d.U32(); d.Err() == nil && size != uint32(len(again)) {
		return m, fmt.Errorf("motion: data of %d bytes, which the message says are %d", len(again), size)
	}
	m.Number, m.Temperature = d.U64(), d.F32()
	m.times(d)
	return m, ended(d, "motion")
}

// Fact is something that the camera says about itself.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func decodeDevice(data []byte) ([]Fact, error) {
	d := msgs.NewDecoder(data)
	var h msgs.Header
	h.Decode(d)
	fact := func(name string) Fact { return Fact{name, d.String()} }
	facts := []Fact{fact("Name"), fact("Full Name"), fact("ASIC")}
	facts = append(facts, Fact{"Vendor Id", fmt.Sprintf("%04X", d.U16())}, Fact{"Product Id", fmt.Sprintf("%04X", d.U16())})
	for _, name := range []string{"Unique Id", "Serial Number", "Firmware Version", "Hardware Version", "Required SDK", "Connection"} {
		facts = append(facts, fact(name))
	}
	d.U16() // type and backend, as numbers
	d.U8()
	facts = append(facts, fact("IP Address"), fact("MAC Address"))
	return facts, ended(d, "device information")
}

// Profile is how a stream of images ran, and its camera's calibration.
type Profile struct {
	Format     string       `json:"format"`
	Width      int          `json:"width"`  // pixels
	Height     int          `json:"height"` // pixels
	FPS        int          `json:"fps"`
	Intrinsics [4]float32   `json:"intrinsics"`          // fx, fy, cx, cy in pixels
	Distortion [8]float32   `json:"distortion"`          // k1 … k6, p1, p2
	Model      string       `json:"model"`               // of the distortion
	ToColour   *[12]float32 `json:"to_colour,omitempty"` // of depth: the rotation by rows, then the translation in mm; nil if unknown
}

func decodeVideoProfile(data []byte) (p Profile, err error) {
	d := msgs.NewDecoder(data)
	var h msgs.Header
	h.Decode(d)
	d.U8() // the stream, as in the topic
	p.Format = formatName(d.U8())
	var to [12]float32
	d.F32s(to[:])
	if to != [12]float32{} {
		p.ToColour = &to
	}
	p.Width, p.Height, p.FPS = int(d.U16()), int(d.U16()), int(d.U16())
	d.F32s(p.Intrinsics[:])
	d.F32s(p.Distortion[:])
	p.Model = modelName(d.U8())
	return p, ended(d, "stream profile")
}

// property is a setting of the camera.
type property struct {
	id    uint32
	value []byte
}

func decodeProperty(data []byte) (p property, err error) {
	d := msgs.NewDecoder(data)
	var h msgs.Header
	h.Decode(d)
	p.id, p.value = d.U32(), d.Bytes()
	if size := d.U32(); d.Err() == nil && size != uint32(len(p.value)) {
		return p, errors.New("property: its size is stored twice, differently")
	}
	return p, ended(d, "property")
}
