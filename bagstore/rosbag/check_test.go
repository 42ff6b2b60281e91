package rosbag_test

import (
	"fmt"
	"slices"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestCheckTells checks that Check reports the messages of a view, in the same order.
func TestCheckTells(t *testing.T) {
	for name, path := range map[string]string{
		"whole":    samplebag.Walk(t, "whole.bag"),
		"lz4":      need.Bag(t, "librealsense/sw_small_lz4.bag"),
		"torn":     samplebag.Torn(t),
		"unsorted": need.Bag(t, "public/example-unsorted-chunks.bag"),
		"damaged":  need.Bag(t, "hostile/found_silent_101_412.bag"),
	} {
		b, err := rosbag.Open(path, bagstore.OpenOptions{Sequential: true})
		need.Must(t, err)
		var want, got []string
		add := func(to *[]string) func(bagstore.Message, error) {
			return func(m bagstore.Message, err error) {
				*to = append(*to, fmt.Sprintf("%d %x %v", m.Time, m.Data, err))
			}
		}
		for m, err := range b.View(bagstore.Query{}).Messages() {
			add(&want)(m, err)
		}
		if _, err := rosbag.FileOf(b).Check(t.Context(), bagstore.CheckOptions{Message: add(&got)}); err != nil {
			t.Error(err)
		}
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %d messages, the view has %d", name, len(got), len(want))
		}
		b.Close()
	}
}
