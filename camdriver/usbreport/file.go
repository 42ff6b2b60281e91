package usbreport

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Limits of a report. One of a camera with 200 profiles and seven formats has 1.5 MB.
const (
	MaxFile    = 4 << 20 // bytes of a zip file
	maxContent = 8 << 20 // bytes of all files in it
	maxFiles   = 1000
	maxItems   = 20000 // objects and lists in a JSON file
	maxData    = 1 << 16
)

const readme = `What a camera says about itself on USB, made by "rs-ros-node devices --report".
There are no images. docs/usb.md of rs-ros-node describes the files:

report.json    the camera, the link, the computer, what could not be read
requests.json  control requests of video and HID, with their answers
monitor.json   commands of the hardware monitor; monitor/ has their data
probes.json    the camera's answer to a probe for each profile
streams.json   headers of each format's first payloads, with the times of their arrival
motion.json    input reports of the inertial sensors
descriptors/   USB descriptors, named by type, index, and language or interface
`

// descriptorName and commandName are the names of binary files. The numbers in a name identify the descriptor or command.
const (
	descriptorName = "descriptors/%02x-%02x-%04x.bin"
	commandName    = "monitor/%02x-%x-%x-%x-%x.bin"
)

func (d Descriptor) file() string { return fmt.Sprintf(descriptorName, d.Kind, d.Index, d.Where) }

func (c Command) file() string {
	return fmt.Sprintf(commandName, c.Op, c.Params[0], c.Params[1], c.Params[2], c.Params[3])
}

// texts returns the JSON files with the values that they hold.
func (r *Report) texts() []text {
	return []text{
		{"report.json", &r.Head},
		{"requests.json", &r.Requests},
		{"monitor.json", &r.Commands},
		{"probes.json", &r.Probes},
		{"streams.json", &r.Streams},
		{"motion.json", &r.Motion},
	}
}

type text struct {
	name  string
	value any
}

// Write writes a report as a zip file. Equal reports produce equal files.
func Write(w io.Writer, r *Report) error {
	z := zip.NewWriter(w)
	add := func(name string, b []byte) error {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			return err
		}
		_, err = f.Write(b)
		return err
	}
	if err := add("README.txt", []byte(readme)); err != nil {
		return err
	}
	for i := range r.Commands {
		r.Commands[i].Bytes = len(r.Commands[i].Data)
	}
	for _, t := range r.texts() {
		b, err := json.MarshalIndent(t.value, "", " ")
		if err == nil {
			err = add(t.name, append(b, '\n'))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	for _, d := range r.Descriptors {
		if err := add(d.file(), d.Data); err != nil {
			return err
		}
	}
	for _, c := range r.Commands {
		if len(c.Data) == 0 {
			continue
		}
		if err := add(c.file(), c.Data); err != nil {
			return err
		}
	}
	return z.Close()
}

// Read reads a zip file that Write has written, or one of the same form.
func Read(b []byte) (*Report, error) {
	if len(b) > MaxFile {
		return nil, fmt.Errorf("report of %d bytes, want at most %d", len(b), MaxFile)
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	if len(z.File) > maxFiles {
		return nil, fmt.Errorf("report has %d files, want at most %d", len(z.File), maxFiles)
	}
	u := unpacker{room: maxContent, files: map[string]*zip.File{}}
	for _, f := range z.File {
		if u.files[f.Name] != nil {
			return nil, fmt.Errorf("report has two files %q", f.Name)
		}
		u.files[f.Name] = f
	}
	r := &Report{}
	for _, t := range r.texts() {
		if err := u.text(t); err != nil {
			return nil, fmt.Errorf("read report: %s: %w", t.name, err)
		}
		if r.Format != Format || r.Version != Version {
			return nil, fmt.Errorf("%q version %d, want %q version %d", r.Format, r.Version, Format, Version)
		}
	}
	for _, f := range z.File {
		if !strings.HasPrefix(f.Name, "descriptors/") {
			continue
		}
		var d Descriptor
		if _, err := fmt.Sscanf(f.Name, descriptorName, &d.Kind, &d.Index, &d.Where); err != nil || d.file() != f.Name {
			return nil, fmt.Errorf("read report: name of a descriptor %q", f.Name)
		}
		if d.Data, err = u.data(f.Name); err != nil {
			return nil, fmt.Errorf("read report: %w", err)
		}
		r.Descriptors = append(r.Descriptors, d)
	}
	for i, c := range r.Commands {
		if c.Bytes == 0 {
			continue
		}
		if r.Commands[i].Data, err = u.data(c.file()); err != nil {
			return nil, fmt.Errorf("read report: %w", err)
		}
		if n := len(r.Commands[i].Data); n != c.Bytes {
			return nil, fmt.Errorf("read report: %s has %d bytes, want %d", c.file(), n, c.Bytes)
		}
	}
	return r, r.Check()
}

// unpacker reads files of a zip file and bounds their total size.
type unpacker struct {
	files map[string]*zip.File
	room  int64 // bytes that are left
}

func (u *unpacker) read(name string, limit int64) ([]byte, error) {
	f := u.files[name]
	if f == nil {
		return nil, fmt.Errorf("no file %q", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer r.Close()
	limit = min(limit, u.room)
	b, err := io.ReadAll(io.LimitReader(r, limit+1)) // whatever size the zip file claims
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("more than %d bytes", limit)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	u.room -= int64(len(b))
	return b, nil
}

func (u *unpacker) data(name string) ([]byte, error) { return u.read(name, maxData) }

func (u *unpacker) text(t text) error {
	b, err := u.read(t.name, maxContent)
	if err != nil {
		return err
	}
	for _, open := range []string{"{", "["} {
		if n := bytes.Count(b, []byte(open)); n > maxItems {
			return fmt.Errorf("%d of %q, want at most %d", n, open, maxItems)
		}
	}
	return json.Unmarshal(b, t.value)
}

// Bounds of a camera's values.
const (
	maxHeader = 255
	maxReport = 1024
	maxSide   = 1 << 14
)

// Check returns an error if the report has values that no camera could have sent.
func (r *Report) Check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("report: "+format, args...)) }
	if n := len(r.Descriptor(KindDevice, 0, 0)); n != 18 {
		bad("device descriptor of %d bytes, want 18", n)
	}
	if n := len(r.Descriptor(KindConfiguration, 0, 0)); n < 9 {
		bad("configuration descriptor of %d bytes, want at least 9", n)
	}
	profile := func(p Profile) {
		if p.Width < 0 || p.Width > maxSide || p.Height < 0 || p.Height > maxSide || len(p.GUID) != 16 {
			bad("profile of %dx%d pixels with a GUID of %d bytes", p.Width, p.Height, len(p.GUID))
		}
	}
	for _, p := range r.Probes {
		profile(p.Profile)
	}
	packets := func(list []Packet) {
		if slices.ContainsFunc(list, func(p Packet) bool { return len(p.Data) > maxReport }) {
			bad("packet of more than %d bytes", maxReport)
		}
	}
	for _, s := range r.Streams {
		profile(s.Profile)
		packets(s.Interrupts)
		for _, p := range s.Payloads {
			if len(p.Header) > maxHeader {
				bad("payload header of %d bytes, want at most %d", len(p.Header), maxHeader)
			}
		}
	}
	for _, m := range r.Motion {
		packets(m.Reports)
	}
	if len(errs) > 0 {
		return errors.Join(errs[:min(len(errs), 5)]...)
	}
	return nil
}
