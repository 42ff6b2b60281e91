package export

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/samplebag"
)

// exported is manifest.json.
type exported struct {
	Bag     string
	Files   []exportedFile
	Device  map[string]string
	Streams []exportedStream
	Tables  []string
}

type exportedFile struct {
	File, Stream, Domain, Encoding string
	Number                         uint64
	Timestamp                      float64 `json:"timestamp_ms"`
	Time                           int64   `json:"time_ns"`
	Width, Height, Points, Stride  int
	Depth                          float64 `json:"depth_m"`
	ColourOf                       *uint64 `json:"colour_of"`
}

type exportedStream struct {
	Name, Topic, Place     string
	Frames                 uint64
	Intrinsics, Extrinsics map[string]any
}

func readManifest(t *testing.T, dir string) exported {
	t.Helper()
	return readJSON[exported](t, filepath.Join(dir, "manifest.json"))
}

func readJSON[T any](t *testing.T, path string) (v T) {
	t.Helper()
	text, err := os.ReadFile(path)
	need.Must(t, err)
	need.Must(t, json.Unmarshal(text, &v))
	return v
}

// sdkManifest lists what librealsense was given to record.
type sdkManifest struct {
	Streams map[string][]struct {
		Num   uint64
		TS    float64
		Hash  string `json:"fnv1a64"`
		Units float64
		XYZ   []float64
		MD    map[string]int64
	}
}

func readSDKManifest(t *testing.T, name string) sdkManifest {
	t.Helper()
	return readJSON[sdkManifest](t, samplebag.Data(t, name))
}

// checkTables compares motion samples and metadata with the manifest.
func checkTables(t *testing.T, dir string, given sdkManifest) {
	for sensor, frames := range given.Streams {
		_, stream, _ := strings.Cut(sensor, "/")
		if frames[0].XYZ != nil {
			rows := readCSV(t, filepath.Join(dir, stream+".csv"))
			if len(rows) != len(frames) {
				t.Fatalf("%s: %d rows, want %d", stream, len(rows), len(frames))
			}
			for i, f := range frames {
				unit := map[string]string{"Gyro_0": "_rad_s", "Accel_0": "_m_s2"}[stream]
				for axis, v := range f.XYZ {
					if got, err := strconv.ParseFloat(rows[i][string("xyz"[axis])+unit], 64); err != nil || got != v {
						t.Fatalf("%s row %d: %v, want %v: %v", stream, i, rows[i], f.XYZ, err)
					}
				}
			}
		}
		if len(frames[0].MD) == 0 {
			continue
		}
		for i, row := range readCSV(t, filepath.Join(dir, stream+".metadata.csv")) {
			for key, v := range frames[i].MD {
				if row[key] != strconv.FormatInt(v, 10) || row["number"] != fmt.Sprint(frames[i].Num) {
					t.Fatalf("%s row %d: %s is %q, want %d", stream, i, key, row[key], v)
				}
			}
		}
	}
}

// readCSV returns rows by column name.
func readCSV(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(path)
	need.Must(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil || len(all) == 0 {
		t.Fatal(path, err)
	}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, c := range cells {
			row[all[0][i]] = c
		}
		rows = append(rows, row)
	}
	return rows
}
