package report

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode/utf16"

	"rsros/camdriver/model"
)

// serialPlaces are the offsets of the camera's and its ASIC's serial numbers in the device description.
var serialPlaces = [2]int{model.GVDSerial, model.GVDASICSerial}

const serialSize = model.SerialSize

// Checksum compares a calibration table with the CRC-32 in its header. It returns "" if the table is too short for one.
func Checksum(b []byte) string {
	body := model.TableBody(b)
	if body == nil {
		return ""
	}
	if want, got := model.TableCRC(b, body); got != want {
		return Wrong
	}
	return Right
}

// Table reports whether a command's reply is a calibration table with a checksum.
func (c Command) Table() bool { return c.Op == model.OpGetCalibration || c.Op == model.OpReadMotionTab }

// Mask replaces the serial numbers of the camera and of its ASIC by 000000000001 and 000000000002, wherever they occur: as bytes,
// and as digits in ASCII and UTF-16. The checksums of calibration tables are computed again if they were right.
func (r *Report) Mask() {
	r.Masked = true
	c := r.Command(model.OpGVD, [4]uint32{})
	if c == nil || len(c.Data) < serialPlaces[1]+serialSize {
		r.Note("no serial number is known, so none is masked except for the USB string")
		r.maskString()
		return
	}
	var m masks
	for i, at := range serialPlaces {
		m.add(c.Data[at:at+serialSize], byte(i+1))
	}
	for _, d := range r.Descriptors {
		m.apply(d.Data)
	}
	for i := range r.Requests {
		m.apply(r.Requests[i].Answer)
	}
	for i := range r.Commands {
		c := &r.Commands[i]
		if m.apply(c.Data) && c.Table() && c.CRC == Right {
			model.SetTableCRC(c.Data, model.TableBody(c.Data))
			r.Note("%s: the checksum was computed again after masking a serial number", c.What)
		}
	}
	for _, s := range r.Streams {
		for _, p := range s.Payloads {
			m.apply(p.Header)
		}
	}
	for i := range r.Notes {
		r.Notes[i] = m.text.Replace(r.Notes[i])
	}
	for i, at := range serialPlaces { // also numbers with too few different bytes to be searched for
		copy(c.Data[at:], masked(byte(i+1)))
	}
	r.maskString()
}

// maskString masks the serial number string of the device descriptor, unless it is masked already.
func (r *Report) maskString() {
	device := r.Descriptor(KindDevice, 0, 0)
	if len(device) < 17 || device[16] == 0 {
		return
	}
	for i, d := range r.Descriptors {
		if d.Kind == KindString && d.Index == device[16] && d.Where != 0 {
			digits := wide(strings.ToUpper(hex.EncodeToString(masked(2))))
			r.Descriptors[i].Data = append([]byte{byte(2 + len(digits)), KindString}, digits...)
		}
	}
}

// masked returns the replacement of serial number n.
func masked(n byte) []byte { return []byte{0, 0, 0, 0, 0, n} }

// masks are serial numbers in all their forms.
type masks struct {
	old, new [][]byte
	text     *strings.Replacer
	pairs    []string
}

// plain is the minimum number of different bytes by which a serial number is distinguished from other data.
const plain = 3

func (m *masks) add(serial []byte, n byte) {
	distinct := map[byte]bool{}
	for _, b := range serial {
		distinct[b] = true
	}
	if len(distinct) >= plain {
		replace := func(old, new []byte) {
			m.old, m.new = append(m.old, bytes.Clone(old)), append(m.new, new)
		}
		replace(serial, masked(n))
		for _, digits := range []func(string) string{strings.ToUpper, strings.ToLower} {
			old, new := digits(hex.EncodeToString(serial)), hex.EncodeToString(masked(n))
			replace([]byte(old), []byte(new))
			replace(wide(old), wide(new))
			m.pairs = append(m.pairs, old, new)
		}
	}
	m.text = strings.NewReplacer(m.pairs...)
}

// wide encodes a text as USB's string descriptors do.
func wide(text string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// apply masks b and reports whether it has changed.
func (m *masks) apply(b []byte) (changed bool) {
	for i, old := range m.old {
		for rest := b; ; changed = true {
			at := bytes.Index(rest, old)
			if at < 0 {
				break
			}
			copy(rest[at:], m.new[i])
			rest = rest[at+len(old):]
		}
	}
	return changed
}
