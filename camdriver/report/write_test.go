package report

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"reflect"
	"strings"
	"testing"

	"rsros/camdriver/model"
)

var (
	cameraSerial = []byte{0x84, 0x39, 0x22, 0x07, 0x11, 0x05}
	asicSerial   = []byte{0x84, 0x79, 0x13, 0x07, 0x08, 0x22}
)

// sample returns a report in which the serial numbers are wherever a camera might have them.
func sample() *Report {
	gvd := make([]byte, 200)
	copy(gvd[48:], cameraSerial)
	copy(gvd[64:], asicSerial)
	table := make([]byte, 64)
	binary.LittleEndian.PutUint32(table[4:], 48)
	copy(table[20:], cameraSerial)
	copy(table[40:], strings.ToLower(hex.EncodeToString(asicSerial)))
	binary.LittleEndian.PutUint32(table[12:], crc32.ChecksumIEEE(table[16:]))
	damaged := bytes.Clone(table)
	damaged[12]++
	device := make([]byte, 18)
	device[16] = 3
	text := wide(strings.ToUpper(hex.EncodeToString(asicSerial)))
	return &Report{
		Head: Head{Format: Format, Version: Version, Notes: []string{"camera " + hex.EncodeToString(cameraSerial)}},
		Descriptors: []Descriptor{
			{Kind: KindDevice, Data: device}, {Kind: KindConfiguration, Data: make([]byte, 9)},
			{Kind: KindString, Index: 3, Where: 0x409, Data: append([]byte{byte(2 + len(text)), KindString}, text...)},
		},
		Requests: []Request{{Type: 0xa1, Request: 0x81, Value: 0x100, What: "a control", Answer: bytes.Clone(asicSerial)}, {Error: Stall}},
		Commands: []Command{
			{Op: model.OpGVD, What: "device description", Data: gvd},
			{Op: model.OpGetCalibration, Params: [4]uint32{25}, What: "table 25", CRC: Right, Data: table},
			{Op: model.OpGetCalibration, Params: [4]uint32{32}, What: "table 32", CRC: Wrong, Data: damaged},
			{Op: model.OpGetCalibration, Params: [4]uint32{31}, What: "table 31", Code: -6},
		},
		Probes:  []Probe{{Profile: Profile{Interface: 1, GUID: make(Hex, 16), Interval: 333333}, Answer: make(Hex, 48)}},
		Streams: []Stream{{Profile: Profile{GUID: make(Hex, 16)}, Payloads: []Payload{{Size: 20, Header: make(Hex, 12)}}}},
		Motion:  []Motion{{ID: 1, Interval: 1000, Reports: []Packet{{Data: make(Hex, 32)}}}},
	}
}

func file(t testing.TB, r *Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// contents returns the files of a report.
func contents(t *testing.T, b []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if out[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestWrite(t *testing.T) {
	r := sample()
	b := file(t, r)
	if !bytes.Equal(b, file(t, sample())) {
		t.Error("the same report makes another file")
	}
	got := contents(t, b)
	for name, want := range map[string]string{
		"report.json":                `"format": "rs-ros-node camera report"`,
		"requests.json":              `"answer": "847913070822"`,
		"monitor.json":               `"crc": "wrong"`,
		"probes.json":                `"interval": 333333`,
		"streams.json":               `"size": 20`,
		"motion.json":                `"report": 1`,
		"descriptors/01-00-0000.bin": string(r.Descriptors[0].Data),
		"descriptors/03-03-0409.bin": string(r.Descriptors[2].Data),
		"monitor/10-0-0-0-0.bin":     string(r.Commands[0].Data),
		"monitor/15-19-0-0-0.bin":    string(r.Commands[1].Data),
		"README.txt":                 "docs/usb.md",
	} {
		if !bytes.Contains(got[name], []byte(want)) {
			t.Errorf("%s has %q, want %q", name, got[name], want)
		}
	}
}

func TestMask(t *testing.T) {
	r := sample()
	r.Mask()
	b := file(t, r)
	for name, content := range contents(t, b) {
		for _, serial := range [][]byte{cameraSerial, asicSerial} {
			digits := hex.EncodeToString(serial)
			for _, form := range [][]byte{serial, []byte(digits), wide(digits)} {
				if bytes.Contains(bytes.ToLower(content), bytes.ToLower(form)) {
					t.Errorf("%s has the serial number %x", name, serial)
				}
			}
		}
	}
	gvd := r.Command(model.OpGVD, [4]uint32{}).Data
	if !bytes.Equal(gvd[48:54], masked(1)) || !bytes.Equal(gvd[64:70], masked(2)) {
		t.Errorf("device description has % x and % x", gvd[48:54], gvd[64:70])
	}
	if got := r.Descriptor(KindString, 3, 0x409)[2:]; !bytes.Equal(got, wide("000000000002")) {
		t.Errorf("string %q", got)
	}
	if !bytes.Equal(r.Requests[0].Answer, masked(2)) {
		t.Errorf("answer % x", r.Requests[0].Answer)
	}
	if got := Checksum(r.Commands[1].Data); got != Right {
		t.Errorf("checksum of table 25 is %s", got)
	}
	if got := Checksum(r.Commands[2].Data); got != Wrong {
		t.Errorf("checksum of table 32, which was wrong, is %s", got)
	}
	if want := []string{"camera 000000000001", "table 25: the checksum was computed again after masking a serial number"}; !reflect.DeepEqual(r.Notes, want) {
		t.Errorf("notes %q, want %q", r.Notes, want)
	}
}

// TestMaskPlain checks that a number like zero is masked in its places only.
func TestMaskPlain(t *testing.T) {
	r := sample()
	clear(r.Commands[0].Data)
	r.Mask()
	want := make([]byte, len(r.Commands[0].Data))
	want[53], want[69] = 1, 2
	if !bytes.Equal(r.Commands[0].Data, want) {
		t.Errorf("device description % x", r.Commands[0].Data)
	}
	if got := r.Descriptor(KindString, 3, 0x409)[2:]; !bytes.Equal(got, wide("000000000002")) {
		t.Errorf("string %q", got)
	}
}
