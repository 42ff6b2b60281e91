package main

import (
	"fmt"
	"slices"

	"rsros/tools/dataset"
)

// feature describes a column of the rows, or a video.
type feature struct {
	Type  string         `json:"dtype"`
	Shape []int          `json:"shape"`
	Names []string       `json:"names"`
	Info  map[string]any `json:"info,omitempty"`
}

// shaped returns a statistic in the feature's shape: that of images is [[[a]], [[b]]], with a value for each channel.
func (f feature) shaped(v []float64) any {
	if f.Type != "image" && f.Type != "video" {
		return v
	}
	var list channels
	for _, c := range v {
		list = append(list, [][]float64{{c}})
	}
	return list
}

// episode describes a sequence in the shared files.
type episode struct {
	Index    int                 `json:"index"`
	From     int64               `json:"from"` // number of the first row in the data set
	FPS      int                 `json:"fps"`
	Features map[string]feature  `json:"features"`
	Stats    map[string]*summary `json:"statistics"`
	Sequence *dataset.Sequence   `json:"sequence"`
	Lost     []string            `json:"lost"`
}

func (e *episode) rows() int64 { return int64(e.Sequence.Sets) }

func (e *episode) file() string { return fmt.Sprintf(fileOf, e.Index/chunkSize, e.Index%chunkSize) }

// fits returns an error if an episode can't be in one data set with another.
func (e *episode) fits(first *episode) error {
	if e.FPS != first.FPS {
		return fmt.Errorf("has %d sets a second, the first recording has %d: --fps chooses sets", e.FPS, first.FPS)
	}
	for name := range first.Features {
		if _, ok := e.Features[name]; !ok {
			return fmt.Errorf("lacks %s, which the first recording has", name)
		}
	}
	for name, f := range e.Features {
		g, ok := first.Features[name]
		switch {
		case !ok:
			return fmt.Errorf("has %s, which the first recording lacks", name)
		case f.Type != g.Type || !slices.Equal(f.Shape, g.Shape) || !slices.Equal(f.Names, g.Names) ||
			f.Info["depth_m"] != g.Info["depth_m"]:
			return fmt.Errorf("%s is %v, and %v in the first recording", name, f, g)
		}
	}
	return nil
}

// shaped returns statistics of the features as LeRobot has them.
func (e *episode) shaped(all map[string]*summary) map[string]map[string]any {
	stats := make(map[string]map[string]any)
	for name, s := range all {
		one := map[string]any{"count": []int64{s.Count}}
		for statistic, v := range s.Values {
			one[statistic] = e.Features[name].shaped(v)
		}
		stats[name] = one
	}
	return stats
}
