package usbreport

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"reflect"
	"strings"
	"testing"
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
			{Op: opGVD, What: "device description", Data: gvd},
			{Op: opGetCalibration, Params: [4]uint32{25}, What: "table 25", CRC: Right, Data: table},
			{Op: opGetCalibration, Params: [4]uint32{32}, What: "table 32", CRC: Wrong, Data: damaged},
			{Op: opGetCalibration, Params: [4]uint32{31}, What: "table 31", Code: -6},
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

func TestWriteRead(t *testing.T) {
	want := sample()
	b := file(t, want)
	got, err := Read(b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !bytes.Equal(b, file(t, sample())) {
		t.Error("the same report makes another file")
	}
}

func TestMask(t *testing.T) {
	r := sample()
	r.Mask()
	b := file(t, r)
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		u := unpacker{room: maxContent, files: map[string]*zip.File{f.Name: f}}
		content, err := u.read(f.Name, maxContent)
		if err != nil {
			t.Fatal(err)
		}
		for _, serial := range [][]byte{cameraSerial, asicSerial} {
			digits := hex.EncodeToString(serial)
			for _, form := range [][]byte{serial, []byte(digits), wide(digits)} {
				if bytes.Contains(bytes.ToLower(content), bytes.ToLower(form)) {
					t.Errorf("%s has the serial number %x", f.Name, serial)
				}
			}
		}
	}
	gvd := r.Command(opGVD, [4]uint32{}).Data
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

// pack makes a zip file of given contents, in which files of a report may be replaced or missing.
func pack(t testing.TB, replace map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	whole := file(t, sample())
	old, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(&b)
	write := func(name, content string) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range old.File {
		if _, ok := replace[f.Name]; !ok {
			if err := z.Copy(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, content := range replace {
		if content != "" {
			write(name, content)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHostile(t *testing.T) {
	const head = `{"format": "` + Format + `", "version": `
	for name, test := range map[string]struct {
		b    []byte
		want string
	}{
		"no zip file":         {[]byte("lsusb"), "not a valid zip file"},
		"large":               {make([]byte, MaxFile+1), "want at most"},
		"bomb":                {pack(t, map[string]string{"requests.json": strings.Repeat(" ", maxContent+1)}), "more than"},
		"two bombs":           {pack(t, map[string]string{"requests.json": "[]" + strings.Repeat(" ", maxContent*2/3), "probes.json": "[]" + strings.Repeat(" ", maxContent*2/3)}), "more than"},
		"binary bomb":         {pack(t, map[string]string{"descriptors/01-00-0000.bin": strings.Repeat("\x00", maxData+1)}), "more than"},
		"many items":          {pack(t, map[string]string{"requests.json": "[" + strings.Repeat("{},", maxItems) + "{}]"}), "want at most"},
		"deep":                {pack(t, map[string]string{"requests.json": strings.Repeat("[", maxItems)}), "exceeded max depth"},
		"another format":      {pack(t, map[string]string{"report.json": `{"format": "zip"}`}), "want"},
		"later version":       {pack(t, map[string]string{"report.json": head + `2}`}), "version 2"},
		"no head":             {pack(t, map[string]string{"report.json": ""}), "no file"},
		"no data":             {pack(t, map[string]string{"monitor/10-0-0-0-0.bin": ""}), "no file"},
		"short data":          {pack(t, map[string]string{"monitor/10-0-0-0-0.bin": "x"}), "1 bytes, want 200"},
		"no descriptor":       {pack(t, map[string]string{"descriptors/01-00-0000.bin": ""}), "device descriptor of 0 bytes"},
		"unknown descriptor":  {pack(t, map[string]string{"descriptors/device.bin": "x"}), "name of a descriptor"},
		"descriptor upstairs": {pack(t, map[string]string{"descriptors/../x": "x"}), "name of a descriptor"},
		"odd digits":          {pack(t, map[string]string{"probes.json": `[{"answer": "0"}]`}), "odd length"},
		"huge image":          {pack(t, map[string]string{"probes.json": `[{"width": 99999999, "guid": "00000000000000000000000000000000"}]`}), "99999999x0"},
		"no GUID":             {pack(t, map[string]string{"streams.json": `[{"guid": "00"}]`}), "GUID of 1 bytes"},
		"long header":         {pack(t, map[string]string{"streams.json": `[{"guid": "00000000000000000000000000000000", "payloads": [{"header": "` + strings.Repeat("00", 256) + `"}]}]`}), "header of 256 bytes"},
	} {
		if _, err := Read(test.b); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}

// TestManyFiles checks the number of files.
func TestManyFiles(t *testing.T) {
	many := map[string]string{}
	for i := range maxFiles {
		many[strings.Repeat("x", i+1)] = "x"
	}
	if _, err := Read(pack(t, many)); err == nil || !strings.Contains(err.Error(), "files") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, sample()))
	f.Add(pack(f, map[string]string{"requests.json": "[{}]"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Read(b)
		if err != nil {
			return
		}
		r.Mask()
		if err := r.Check(); err != nil {
			t.Error(err)
		}
	})
}
