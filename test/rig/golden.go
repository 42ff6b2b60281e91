package rig

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

// Difficult is a recording of frame sets 100 to 115 with all difficulties for processing,
// and librealsense's results.
type Difficult struct {
	Bag   string
	Cases map[string]map[uint64]string // by case and frame number: FNV-1a-64 of the depth image
}

// ReadDifficult returns the recording. root is the path of the module's root.
func ReadDifficult(t testing.TB, root string) Difficult {
	t.Helper()
	folder := filepath.Join(root, "camdriver/process/testdata")
	text, err := os.ReadFile(filepath.Join(folder, "unpleasant.json"))
	need.Must(t, err)
	var golden struct {
		Cases []struct {
			Case    string
			Outputs []struct {
				Part  string
				Frame uint64
				Hash  string `json:"fnv1a64"`
			}
		}
	}
	need.Must(t, json.Unmarshal(text, &golden))
	u := Difficult{Bag: filepath.Join(folder, "unpleasant.bag"), Cases: make(map[string]map[uint64]string)}
	for _, c := range golden.Cases {
		u.Cases[c.Case] = make(map[uint64]string)
		for _, o := range c.Outputs {
			if o.Part == "depth" {
				u.Cases[c.Case][o.Frame] = o.Hash
			}
		}
	}
	return u
}
