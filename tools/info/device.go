package info

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

// WriteDevice prints the summary of a RealSense recording for people.
func WriteDevice(w io.Writer, s *rsbag.Summary) error {
	name := "device"
	switch {
	case s.Number < 0:
		name = "camera " + s.Camera
	case len(s.Others) > 0 || s.Number > 0:
		name = fmt.Sprint("device ", s.Number)
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	info := func(k camdriver.InfoKey) string { return s.Device[k.String()] }
	fmt.Fprintf(t, "%s:\t%s, serial %s, firmware %s\n", name, info(camdriver.InfoName), info(camdriver.InfoSerialNumber),
		info(camdriver.InfoFirmwareVersion))
	if s.Number >= 0 {
		fmt.Fprintf(t, "layout:\tRealSense version %d, %.3fs\n", s.Version, s.Seconds)
	}
	if s.Recorded != nil {
		fmt.Fprintf(t, "recorded:\t%s\n", s.Recorded.Format(time.RFC3339))
	}
	for i, sensor := range s.Sensors {
		fmt.Fprintf(t, "sensor %d:\t%s, %d options\n", i, sensor.Name, sensor.Options)
		if sensor.Clock != "" {
			fmt.Fprintf(t, "\t  clock: %s\n", sensor.Clock)
		}
		for _, st := range sensor.Streams {
			fmt.Fprintf(t, "\t  %s: %d frames", st.Profile, st.Frames)
			if st.Rate > 0 {
				fmt.Fprintf(t, " at %.1f Hz", st.Rate)
			}
			if st.Missing != nil && *st.Missing > 0 {
				fmt.Fprintf(t, ", %d missing", *st.Missing)
			}
			fmt.Fprintln(t)
		}
	}
	for _, n := range s.Notes {
		fmt.Fprintf(t, "note:\t%s\n", n)
	}
	if s.Damaged != nil && *s.Damaged > 0 {
		fmt.Fprintf(t, "damaged:\t%d messages\n", *s.Damaged)
	}
	err := t.Flush()
	for _, other := range s.Others {
		err = errors.Join(err, WriteDevice(w, other))
	}
	return err
}
