package report

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"time"
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
