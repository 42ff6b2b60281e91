package export

import (
	"io"

	"rsros/bagstore"
	"rsros/bagstore/orbbec"
	"rsros/bagstore/tools/imagefile"
)

// describeOrbbec fills in the manifest's head.
func (t *topics) describeOrbbec() {
	t.manifest.device = make(map[string]string)
	for _, f := range t.orbbec.Device {
		t.manifest.device[f.Name] = f.Value
	}
	for _, note := range t.orbbec.Notes {
		t.o.Log.Warn().Msg(note)
	}
}

// newStream describes a topic, which has the name of a stream in a recording of Orbbec's SDK.
func (t *topics) newStream(topic string) *manifestStream {
	m := &manifestStream{Name: topic, Topic: topic, Frames: t.counts[topic]}
	if s := t.orbbec.Stream(topic); s != nil {
		m.Name = s.Name
		if p := s.Profile; p != nil {
			m.Profile = p.String()
			m.Intrinsics = map[string]any{"width": p.Width, "height": p.Height, "fx": p.Intrinsics[0], "fy": p.Intrinsics[1],
				"ppx": p.Intrinsics[2], "ppy": p.Intrinsics[3], "model": p.Model, "coeffs": p.Distortion}
			if p.ToColour != nil {
				m.Extrinsics = map[string]any{"to": "Color", "rotation_rows": p.ToColour[:9], "translation_mm": p.ToColour[9:]}
			}
		}
	}
	m.Place = t.place(m.Name)
	return m
}

// orbbecEntry describes the topic's next file. The stamp is the camera's time on the computer's clock, if it
// is known.
func (t *topics) orbbecEntry(m bagstore.Message, s *orbbec.Stream, f orbbec.Frame, ext string) manifestFile {
	e := manifestFile{Stream: s.Name, Number: f.Number, Stamp: float64(f.Device) / 1000, Domain: "Hardware Clock", Time: int64(m.Time)}
	if f.Global != 0 {
		e.Stamp, e.Domain = float64(f.Global)/1000, "Global Time"
	}
	if ext != "" {
		e.File = t.nextFile(t.stream(m.Conn.Topic).Place, t.counts[m.Conn.Topic], ext)
	}
	return e
}

func (t *topics) orbbecImage(m bagstore.Message, s *orbbec.Stream) error {
	image, err := orbbec.DecodeImage(m.Data)
	if err != nil {
		return err
	}
	release := m.Retain().Release
	if image.Encoding == "mjpg" {
		e := t.orbbecEntry(m, s, image.Frame, imageExtension(image.Data))
		e.Encoding, e.Width, e.Height = image.Encoding, int(image.Width), int(image.Height)
		t.err = t.write(e, release, func(w io.Writer) error {
			_, err := w.Write(image.Data)
			return err
		})
		return nil
	}
	p := imagefile.OfMessage(image.ImageHead, image.Data)
	p.Encoding = orbbec.StockEncoding(image.Encoding)
	if err := p.Check(); err != nil {
		release()
		return err
	}
	e := t.orbbecEntry(m, s, image.Frame, p.Ext())
	e.describe(p, image.Encoding)
	if s.Name == "Depth" {
		e.Units = t.orbbec.DepthUnit
	}
	t.err = t.write(e, release, p.Encode)
	return nil
}

func (t *topics) orbbecMotion(m bagstore.Message, s *orbbec.Stream) error {
	sample, err := orbbec.DecodeMotion(m.Data)
	if err != nil {
		return err
	}
	e := t.orbbecEntry(m, s, sample.Frame, "")
	v, columns := sample.Gyro, []string{"x_rad_s", "y_rad_s", "z_rad_s"}
	if s.Name == "Accel" {
		v, columns = sample.Accel, []string{"x_m_s2", "y_m_s2", "z_m_s2"}
	}
	t.err = t.row(t.stream(m.Conn.Topic).Place+".csv", append([]string{"time_ns", "number", "timestamp_ms", "domain"}, append(columns, "temperature_c")...),
		e.Time, e.Number, e.Stamp, e.Domain, v[0], v[1], v[2], sample.Temperature)
	return nil
}
