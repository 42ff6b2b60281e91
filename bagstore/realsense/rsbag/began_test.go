package rsbag

import (
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/recording"
	"rsros/msgs"
	"rsros/test/need"
)

const someDay bagstore.Time = 1_700_000_000e9

// taken adds a depth image with a stamp, its domain, and the host's time in ms.
func (o *odd) taken(at bagstore.Time, stream string, stamp bagstore.Time, domain, system string) {
	o.depth(at, stream, 1, msgs.Time(stamp), domain)
	if system != "" {
		o.kv(at, stream+"/image/metadata", "system_time", system)
	}
}

// TestBegan checks when recordings of all kinds of clocks began, and what their times in the bag lack.
func TestBegan(t *testing.T) {
	const depth, infra, other = "/device_0/sensor_0/Depth_0", "/device_0/sensor_0/Infrared_1", "/device_1/sensor_0/Depth_0"
	const hardware, global = "Hardware Clock", "Global Time"
	start := rslayout.FormatStart(someDay.Std())
	for name, c := range map[string]struct {
		write         func(*odd)
		began, offset bagstore.Time
	}{
		"a stamp with a date": {func(o *odd) { o.taken(5000, depth, someDay+7000, global, "") }, someDay + 2000, someDay + 2000},
		"the first of them": {func(o *odd) {
			o.taken(5000, depth, 360e9, hardware, "1600000000000")
			o.taken(6000, infra, someDay, global, "")
		}, someDay - 6000, someDay - 6000},
		"the camera's clock, and the host's": {func(o *odd) { o.taken(5000, depth, 360e9, hardware, "1700000000000") }, someDay - 5000, someDay - 5000},
		"the camera's clock, and a start": {func(o *odd) {
			o.kv(1, "/additional_info", rslayout.KeyStart, start)
			o.taken(5000, depth, 360e9, hardware, "1600000000000")
		}, someDay, someDay},
		"the camera's clock alone": {func(o *odd) { o.taken(5000, depth, 360e9, hardware, "") }, 0, 0},
		"a host without a date":    {func(o *odd) { o.taken(5000, depth, 360e9, hardware, "5000.5") }, 0, 0},
		"stamps without a date":    {func(o *odd) { o.taken(5000, depth, 360e9, "System Time", "") }, 360e9 - 5000, 360e9 - 5000},
		"a stamp before file time": {func(o *odd) { o.taken(5000, depth, 4000, global, "") }, 0, 0},
		"a stamp beyond a bag's":   {func(o *odd) { o.taken(5000, depth, bagstore.MaxTime, global, ""); o.taken(9000, depth, 0, global, "") }, 0, 0},
		"a start and no frames": {func(o *odd) {
			o.kv(1, "/additional_info", rslayout.KeyStart, start)
			o.kv(1, "/device_0/sensor_0/info", "Name", "Stereo Module")
		}, someDay, someDay},
		"a start that isn't a time": {func(o *odd) { o.kv(1, "/additional_info", rslayout.KeyStart, "yesterday") }, 0, 0},
		"times with dates":          {func(o *odd) { o.taken(someDay, depth, someDay+7000, global, "") }, someDay + 6000, 0},
		"times below zero": {func(o *odd) {
			o.taken(wrapPoint-1000, depth, someDay, global, "")
			o.taken(5000, depth, someDay+6000, global, "")
		}, someDay - 1000, 0},
		"a second device with a date": {func(o *odd) {
			o.taken(5000, depth, 360e9, hardware, "")
			o.taken(6000, other, someDay+6000, global, "")
		}, 0, someDay},
	} {
		o := newOdd(t)
		c.write(o)
		f := o.open()
		if got := f.Began(); got.Sub(c.began).Abs() > time.Microsecond { // in a frame, stamps are ms in a float64
			t.Errorf("%s: began at %d, want %d", name, got, c.began)
		}
		if got := TimeLineOf(f.Bag()); got.Offset.Sub(c.offset).Abs() > time.Microsecond || len(got.Unstamped) > 0 {
			t.Errorf("%s: time line %+v, want the offset %d", name, got, c.offset)
		}
	}
}

// TestExamplesBegan finds the dates in what librealsense recorded. In a .db3, headers have file times.
func TestExamplesBegan(t *testing.T) {
	for name, c := range map[string]struct {
		offset    bagstore.Time
		unstamped int
	}{
		"librealsense/sw_small_lz4.bag":  {someDay + 4125118 - 319429, 0}, // by colour, whose stamps have a date
		"processing/unpleasant.bag":      {0, 0},                          // the camera's clock alone
		"processing/sim_424.bag":         {1795291943007014160 - 1000, 0},
		"public/d435_2018_v3.bag":        {1534232519_732935546 - 1500, 0}, // the camera's clock, by the host's
		"public/test_sample.bag":         {0, 0},
		"db3/sdk_rec_raw.db3":            {someDay + 4125000 - 752919, 6}, // the same camera, recorded again
		"db3/own_native.db3":             {0, 0},
		"db3/pr15556_formats_png.db3":    {5000250000 - 693, 10},
		"db3/public/rosbag2_talker.mcap": {0, 0},
	} {
		bag, err := recording.Open(need.Bag(t, name), bagstore.OpenOptions{})
		need.Must(t, err)
		got := TimeLineOf(bag)
		bag.Close()
		if got.Offset.Sub(c.offset).Abs() > time.Microsecond || len(got.Unstamped) != c.unstamped {
			t.Errorf("%s: offset %d, %d topics without stamps, want %+v", name, got.Offset, len(got.Unstamped), c)
		}
	}
}
