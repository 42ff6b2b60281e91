package anonymise

import (
	"encoding/binary"
	"fmt"
	"strings"

	"rsros/bagstore/formats/container"
	"rsros/msgs"
	"rsros/msgs/cdr"
)

// kind is a type of message with an image.
type kind int

const (
	noImage kind = iota
	rawImage
	compressedImage
)

// kindOf returns the kind of a type's messages, of ROS 1 or ROS 2.
func kindOf(typ string) kind {
	switch strings.Replace(typ, "/msg/", "/", 1) {
	case "sensor_msgs/Image":
		return rawImage
	case "sensor_msgs/CompressedImage":
		return compressedImage
	}
	return noImage
}

// message is an image's message. head are the fields before the image's bytes: of a compressed image
// only Header and Encoding, its format, are set.
type message struct {
	head   msgs.ImageHead
	at     int              // of the image's bytes
	length int              // of these
	order  binary.ByteOrder // of the length before them
}

// parse finds the image in a message. The encoding is container.ROS1 or container.CDR.
func parse(k kind, encoding string, data []byte) (m message, err error) {
	switch encoding {
	case container.ROS1:
		err = m.parseROS1(k, data)
	case container.CDR:
		err = m.parseCDR(k, data)
	default:
		err = fmt.Errorf("message encoding %q is not supported", encoding)
	}
	return m, err
}

func (m *message) parseROS1(k kind, data []byte) error {
	d := msgs.NewDecoder(data)
	m.order = binary.LittleEndian
	if k == rawImage {
		m.head.Decode(d)
	} else {
		m.head.Header.Decode(d)
		m.head.Encoding = d.String()
		m.head.DataLen = d.U32()
	}
	m.at, m.length = d.Pos(), len(d.Raw(int(m.head.DataLen)))
	return d.Err()
}

func (m *message) parseCDR(k kind, data []byte) error {
	d := cdr.NewDecoder(data)
	m.order = binary.LittleEndian
	if d.BigEndian() {
		m.order = binary.BigEndian
	}
	m.head.Header.Stamp = d.Time()
	m.head.Header.FrameID = d.String()
	if k == rawImage {
		m.head.Height, m.head.Width = d.U32(), d.U32()
		m.head.Encoding = d.String()
		m.head.BigEndian = d.Bool()
		m.head.Step = d.U32()
	} else {
		m.head.Encoding = d.String()
	}
	m.length = d.Len(1)
	const encapsulation = 4
	m.at = encapsulation + d.Pos()
	d.Raw(m.length)
	return d.Err()
}

// hide returns the message with hidden boxes, valid until the next call. A box outside of the image is an
// error.
func (e *editor) hide(k kind, m message, data []byte, boxes []box) ([]byte, error) {
	if k == compressedImage {
		body, err := e.compressed(m.head.Encoding, data[m.at:][:m.length], boxes)
		if err != nil {
			return nil, err
		}
		e.buf = append(e.buf[:0], data[:m.at]...)
		m.order.PutUint32(e.buf[m.at-4:], uint32(len(body)))
		e.buf = append(append(e.buf, body...), data[m.at+m.length:]...)
		return e.buf, nil
	}
	l, ok := layoutOf(m.head.Encoding, m.head.BigEndian)
	if !ok {
		return nil, fmt.Errorf("image encoding %.40q is not supported", m.head.Encoding)
	}
	e.buf = append(e.buf[:0], data...)
	p := bitmap{layout: l, width: int(m.head.Width), height: int(m.head.Height), step: int(m.head.Step), data: e.buf[m.at:][:m.length]}
	return e.buf, e.draw(p, boxes)
}

// draw hides boxes in an image.
func (e *editor) draw(p bitmap, boxes []box) error {
	if err := p.check(); err != nil {
		return err
	}
	regions, err := e.regions(boxes, p.width, p.height)
	if err == nil {
		p.hide(e.style, regions)
	}
	return err
}

func (e *editor) regions(boxes []box, width, height int) ([]region, error) {
	e.list = e.list[:0]
	for _, b := range boxes {
		r, err := b.within(width, height, e.grow)
		if err != nil {
			return nil, err
		}
		e.list = append(e.list, r)
	}
	return e.list, nil
}
