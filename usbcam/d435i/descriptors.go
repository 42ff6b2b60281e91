package d435i

import (
	"encoding/binary"
	"unicode/utf16"

	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
)

// guid returns a media subtype's GUID: four bytes, then the usual rest.
func guid(four string) []byte {
	return append([]byte(four), 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71)
}

// formats returns the formats of the interfaces for depth, infrared and colour.
func (o Options) formats() (depth, infrared, color []model.Format) {
	if o.Source != nil {
		modes := o.Source.Modes()
		return formatsOf(modes, model.CodeZ16), formatsOf(modes, model.CodeL8, model.CodeY8I),
			formatsOf(modes, model.CodeYUY2)
	}
	return model.DepthFormats(o.USB2, o.D3D), model.InfraredFormats(o.USB2), model.ColorFormats(o.USB2)
}

// classVersion is that of the video class.
const classVersion = 0x0150

// descriptor returns a descriptor, or nil if there is none.
func (c *Camera) descriptor(kind, index uint8, where uint16) []byte {
	switch kind {
	case 1:
		return c.DeviceDescriptor()
	case 2:
		return c.Configuration()
	case 3:
		return c.stringDescriptor(index)
	case 15:
		return bos
	case 0x22:
		if where == 5 {
			return hidReportDescriptor()
		}
	}
	return nil
}

// DeviceDescriptor returns the device descriptor.
func (c *Camera) DeviceDescriptor() []byte {
	d := []byte{
		18, 1, 0x20, 0x03, 0xef, 2, 1, 9, 0x86, 0x80, byte(c.opt.Product), byte(c.opt.Product >> 8),
		0xc7, 0x50, 1, 2, 3, 1,
	}
	if c.opt.USB2 {
		d[2], d[3], d[7] = 0x10, 0x02, 64
	}
	return d
}

// bos describes USB 2 extension and SuperSpeed capabilities.
var bos = []byte{
	5, 15, 22, 0, 2,
	7, 16, 2, 0, 0, 0, 0,
	10, 16, 3, 0, 0x0e, 0, 1, 10, 0xff, 0x07,
}

const function = "Intel(R) RealSense(TM) Depth Camera 435i"

func (c *Camera) stringDescriptor(index uint8) []byte {
	if index == 0 {
		return []byte{4, 3, 9, 4} // English
	}
	text, ok := map[uint8]string{
		1: function, 2: function, 3: c.opt.ASICSerial.String(), 5: function + " Depth", 6: function + " RGB",
		9: "Intel(R) RealSense(TM) HID",
	}[index]
	if !ok {
		return nil
	}
	d := []byte{0, 3}
	for _, u := range utf16.Encode([]rune(text)) {
		d = binary.LittleEndian.AppendUint16(d, u)
	}
	d[0] = byte(len(d))
	return d
}

func (o Options) hasColor() bool  { return o.Product != model.D430 && o.Product != model.D405 }
func (o Options) hasMotion() bool { return o.hasColor() && o.Product != model.D435 }

// Configuration returns the configuration with its interfaces.
func (c *Camera) Configuration() []byte {
	depth, infrared, color := c.opt.formats()
	d := []byte{9, 2, 0, 0, 3, 1, 0, 0xc0, 55}
	d = append(d, 8, 11, 0, 3, 14, 3, 0, 5) // depth: interfaces 0 to 2
	d = append(d, 9, 4, 0, 0, 1, 14, 1, 0, 5)
	d = append(d, controlInterface([]byte{1, 2}, 1, 2,
		extension{3, model.DepthUnit[:], 17, 0x1fff}, []byte{4, 5}, 0, 0x200)...)
	d = c.endpoint(d, 0x87, 3, 64, 6)
	d = append(d, 5, 0x25, 3, 64, 0) // class part of the status endpoint
	d = c.streamInterface(d, 1, 0x82, 4, depth)
	d = c.streamInterface(d, 2, 0x83, 5, infrared)
	if c.opt.hasColor() {
		d = append(d, 8, 11, 3, 2, 14, 3, 0, 6) // colour: interfaces 3 and 4
		d = append(d, 9, 4, 3, 0, 0, 14, 1, 0, 6)
		d = append(d, controlInterface([]byte{4}, 6, 7, extension{8, colorUnit, 2, 0x03}, []byte{9}, 0x0e, 0x177f)...)
		d = c.streamInterface(d, 4, 0x84, 9, color)
		d[4] = 5
	}
	if c.opt.hasMotion() {
		d = append(d, 9, 4, 5, 0, 1, 3, 0, 0, 9) // HID
		n := len(hidReportDescriptor())
		d = append(d, 9, 0x21, 0x11, 0x01, 0, 1, 0x22, byte(n), byte(n>>8))
		d = c.endpoint(d, hidEndpoint, 3, 64, 2)
		d[4] = 6
	}
	binary.LittleEndian.PutUint16(d[2:], uint16(len(d)))
	return d
}

var colorUnit = []byte{0x6e, 0x41, 0xec, 0xb8, 0xac, 0xa3, 0x80, 0x45, 0x8d, 0x5c, 0x0b, 0xee, 0x15, 0x97, 0xe4, 0x3d}

// extension is an extension unit with a number of controls and a bit map of those.
type extension struct {
	id    byte
	guid  []byte
	count byte
	bits  uint32
}

// controlInterface is the class part of a video control interface: camera
// terminal → processing unit → extension unit → output terminals.
func controlInterface(streams []byte, ct, pu byte, xu extension, outs []byte, ctBits, puBits uint32) []byte {
	var d []byte
	d = append(d, 18, 0x24, 2, ct, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, byte(ctBits), byte(ctBits>>8), byte(ctBits>>16))
	d = append(d, 13, 0x24, 5, pu, ct, 0, 0, 3, byte(puBits), byte(puBits>>8), byte(puBits>>16), 0, 0)
	d = append(d, 28, 0x24, 6, xu.id)
	d = append(d, xu.guid...)
	d = append(d, xu.count, 1, pu, 3, byte(xu.bits), byte(xu.bits>>8), byte(xu.bits>>16), 0)
	source := xu.id
	if len(outs) == 1 {
		source = pu // the colour function bypasses its extension unit
	}
	for _, id := range outs {
		d = append(d, 9, 0x24, 3, id, 1, 1, 0, source, 0)
	}
	total := len(d) + 12 + len(streams)
	head := []byte{byte(12 + len(streams)), 0x24, 1, classVersion & 0xff, classVersion >> 8, byte(total), byte(total >> 8),
		0x80, 0xc3, 0xc9, 0x01, byte(len(streams))}
	return append(append(head, streams...), d...)
}

func (c *Camera) streamInterface(d []byte, iface, endpoint, terminal byte, formats []model.Format) []byte {
	d = append(d, 9, 4, iface, 0, 1, 14, 2, 0, 0)
	var body []byte
	for i, f := range formats {
		body = describe(f, uint8(i+1)).Append(body)
	}
	size := 13 + len(formats)
	total := size + len(body)
	d = append(d, byte(size), 0x24, 1, byte(len(formats)), byte(total), byte(total>>8), endpoint, 0, terminal, 0, 0, 0, 1)
	d = append(d, make([]byte, len(formats))...)
	d = append(d, body...)
	packet := 1024
	if c.opt.USB2 {
		packet = 512
	}
	return c.endpoint(d, endpoint, 2, packet, 0)
}

// describe returns the descriptors of a format.
func describe(f model.Format, index uint8) uvc.Format {
	out := uvc.Format{Index: index, GUID: [16]byte(guid(f.Code)), Bits: f.Bits}
	for i, size := range f.Sizes {
		frame := uvc.Frame{Index: uint8(i + 1), Width: size.W, Height: size.H}
		for _, fps := range size.FPS {
			frame.Intervals = append(frame.Intervals, uvc.FrameInterval(fps))
		}
		out.Frames = append(out.Frames, frame)
	}
	return out
}

func (c *Camera) endpoint(d []byte, address, kind byte, packet int, every byte) []byte {
	d = append(d, 7, 5, address, kind, byte(packet), byte(packet>>8), every)
	if c.opt.USB2 {
		return d
	}
	if kind == 2 {
		return append(d, 6, 48, 15, 0, 0, 0) // SuperSpeed companion, with a burst of bulk packets
	}
	return append(d, 6, 48, 0, 0, 64, 0) // with the bytes of an interval
}
