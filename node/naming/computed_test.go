package naming

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rssets"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/replay"
	"rsros/test/need"
)

// A step shows the points of its set; after a seek, and in the next round of a loop, they equal those
// of that set computed alone.
func TestPointsBelongToTheirSet(t *testing.T) {
	all := straight(t)
	p, a, source := playTo(t, alignedCloud, replay.Settings{Paused: true}, pointsTopic)
	for k := range 5 {
		if got := do(t, p, a, pointsTopic, replay.StepFrameSet{}); !bytes.Equal(got.data, all[k].data) {
			t.Errorf("step %d shows the set of %d, or other points, want %d", k, got.stamp(t), all[k].stamp(t))
		}
	}
	times := setTimes(t, source)
	for _, k := range []int{11, 2} {
		want := alone(t, times[k])
		if bytes.Equal(want.data, all[k].data) {
			t.Fatalf("set %d looks alone as it does after others: this shows nothing", k)
		}
		got := do(t, p, a, pointsTopic, replay.SeekTo{Time: times[k]}, replay.StepFrameSet{})
		if got.stamp(t) != all[k].stamp(t) || !bytes.Equal(got.data, want.data) {
			t.Errorf("after a seek to set %d the points aren't those of that set alone", k)
		}
	}
	for _, c := range []replay.Command{replay.SetLoop{On: true}, replay.SeekTo{Time: times[15]}, replay.StepFrameSet{}} {
		need.Must(t, p.Do(t.Context(), c))
	}
	a.take(pointsTopic)
	if got := do(t, p, a, pointsTopic, replay.StepFrameSet{}); !bytes.Equal(got.data, all[0].data) {
		t.Errorf("the next round begins with the set of %d, or other points, want %d", got.stamp(t), all[0].stamp(t))
	}
}

// After a seek while paused, the results for the last set before the target are recalled as if computed
// alone. What follows is the same as without the recall.
func TestRecalledPoints(t *testing.T) {
	all := straight(t)
	p, a, source := playTo(t, alignedCloud, replay.Settings{Paused: true}, pointsTopic, alignedTopic)
	recall := replay.Recall{Topics: []string{pointsTopic, alignedTopic, "/camera/aligned_depth_to_color/camera_info"}}
	times := setTimes(t, source)
	for _, k := range []int{11, 2} {
		want := alone(t, times[k])
		if got := do(t, p, a, pointsTopic, replay.SeekTo{Time: times[k] + 1}, recall); !bytes.Equal(got.data, want.data) {
			t.Errorf("after a seek to set %d the points are stamped %d, want %d, or aren't those of that set alone", k, got.stamp(t), want.stamp(t))
		}
	}
	if got := do(t, p, a, alignedTopic, recall); got.stamp(t) != all[2].stamp(t) {
		t.Errorf("aligned depth is stamped %d, want %d", got.stamp(t), all[2].stamp(t))
	}
	need.Must(t, p.Do(t.Context(), replay.SeekOffset{}))
	for k := range 5 {
		if got := do(t, p, a, pointsTopic, replay.StepFrameSet{}); !bytes.Equal(got.data, all[k].data) {
			t.Errorf("step %d shows other points than without a recall", k)
		}
		do(t, p, a, pointsTopic, recall)
	}
	if n := source.Skipped(); n > 0 {
		t.Errorf("%d sets skipped", n)
	}
}

// Recalled images reflect the current options.
func TestRecallHeedsOptions(t *testing.T) {
	p, a, source := playTo(t, WrapperOptions{AlignDepth: true, Filters: []string{filterColorizer}}, replay.Settings{Paused: true}, alignedTopic)
	options := source.worker.processor.filters.names[filterColorizer]
	for _, set := range []struct {
		id    camdriver.OptionID
		value float32
	}{{camdriver.OptionMaxDistance, 3}, {camdriver.OptionHistogramEqualizationEnabled, 1}, {camdriver.OptionColorScheme, 2}} {
		need.Must(t, options.SetOption(set.id, set.value))
		shown := do(t, p, a, alignedTopic, replay.SeekOffset{}, replay.StepFrameSet{})
		if got := do(t, p, a, alignedTopic, replay.Recall{Topics: []string{alignedTopic}}); !bytes.Equal(got.data, shown.data) {
			t.Errorf("with %s %v another image is recalled than was shown: stamped %d, want %d", set.id, set.value, got.stamp(t), shown.stamp(t))
		}
	}
}

// A step ends with its set, and a step back shows the previous set.
func TestStepsOfSets(t *testing.T) {
	const colour = "/camera/color/image_raw"
	p, a, source := playTo(t, alignedCloud, replay.Settings{Paused: true}, colour)
	times := setTimes(t, source)
	var stamps []bagstore.Time
	for k := range 3 {
		stamps = append(stamps, do(t, p, a, colour, replay.StepFrameSet{}).stamp(t))
		if at := p.Status().Time; at != times[k] {
			t.Errorf("step %d ends at %d, want %d", k, at, times[k])
		}
	}
	for k := 1; k >= 0; k-- {
		if got := do(t, p, a, colour, replay.StepBack{Sets: 1}).stamp(t); got != stamps[k] {
			t.Errorf("a step back shows the set of %d, want %d", got, stamps[k])
		}
	}
}

// setTimes returns the times of all sets on the time line.
func setTimes(t *testing.T, s *Source) (out []bagstore.Time) {
	t.Helper()
	it := viewOf(t, s, bagstore.Query{}).Iterator()
	defer it.Close()
	for it.Next() {
		if m := it.Message(); m.Deferred != nil && len(m.Deferred.(*deferredEntry).Set.Images) > 0 {
			out = append(out, m.Time)
		}
	}
	return out
}

// Topics without subscribers aren't computed, and a new subscriber sees nothing of earlier sets.
func TestNothingIsComputedForNobody(t *testing.T) {
	p, a, source := playTo(t, alignedCloud, replay.Settings{Paused: true})
	points := seat{a, pointsTopic}
	for range 3 {
		need.Must(t, p.Do(t.Context(), replay.StepFrameSet{}))
	}
	if n := source.worker.processor.res.InUse(); n != 0 {
		t.Errorf("%d bytes were made", n)
	}
	points.subscribe(true)
	got := do(t, p, a, pointsTopic, replay.StepFrameSet{})
	if want := alone(t, setTimes(t, source)[3]); !bytes.Equal(got.data, want.data) {
		t.Error("the first points aren't those of their set alone")
	}
}

// All messages of a set have one stamp, depth's, and --restamp shifts them all alike.
func TestStampsOfASet(t *testing.T) {
	for _, restamp := range []bool{false, true} {
		p, a, _ := playTo(t, alignedCloud, replay.Settings{Paused: true, Restamp: restamp}, pointsTopic, alignedTopic, "/camera/color/image_raw", "/camera/depth/image_rect_raw")
		for range 3 {
			need.Must(t, p.Do(t.Context(), replay.StepFrameSet{}))
			a.mu.Lock()
			set := slices.Clone(a.heard)
			a.heard = nil
			a.mu.Unlock()
			if len(set) != 4 {
				t.Fatalf("%d messages of a set, want 4", len(set))
			}
			for _, m := range set[1:] {
				if m.stamp(t) != set[0].stamp(t) {
					t.Errorf("restamp %v: %s is stamped %d, %s %d", restamp, m.topic, m.stamp(t), set[0].topic, set[0].stamp(t))
				}
			}
			if now := set[0].stamp(t) > 1.7e18; now != restamp {
				t.Errorf("restamp %v: stamped %d", restamp, set[0].stamp(t))
			}
		}
	}
}

// In real time a worker that is too slow drops whole sets, and counts them.
func TestLateSetsAreCounted(t *testing.T) {
	p, a, source := playTo(t, alignedCloud, replay.Settings{Rate: 1000}, pointsTopic, alignedTopic)
	<-p.Done()
	clouds, images := 0, 0
	for _, h := range a.heard {
		switch h.topic {
		case pointsTopic:
			clouds++
		case alignedTopic:
			images++
		}
	}
	if skipped := source.Skipped(); clouds != images || clouds+int(skipped) != 16 || p.Status().Skipped != skipped {
		t.Errorf("%d clouds, %d images, %d sets skipped, %d in the status, want 16 sets", clouds, images, skipped, p.Status().Skipped)
	}
}

// Each option has its topics, in the form that a camera node publishes them.
func TestComputedTopics(t *testing.T) {
	const depth, info = "/camera/depth/image_rect_raw", "/camera/depth/camera_info"
	color := camdriver.ColorStream
	for name, c := range map[string]struct {
		o     WrapperOptions
		topic string
		want  msgs.ImageHead
	}{
		"filtered":       {WrapperOptions{Filters: []string{filterDecimation}}, depth, msgs.ImageHead{Width: 80, Height: 60, Encoding: "16UC1", Step: 160}},
		"beside aligned": {WrapperOptions{Filters: []string{filterDecimation}, AlignDepth: true}, depth, msgs.ImageHead{Width: 160, Height: 120, Encoding: "16UC1", Step: 320}},
		"aligned":        {WrapperOptions{Filters: []string{filterDecimation}, AlignDepth: true}, alignedTopic, msgs.ImageHead{Width: 160, Height: 120, Encoding: "16UC1", Step: 320}},
		"coloured":       {WrapperOptions{Filters: []string{filterColorizer}, AlignDepth: true}, depth, msgs.ImageHead{Width: 160, Height: 120, Encoding: "rgb8", Step: 480}},
		"clipped":        {WrapperOptions{Clip: 1}, depth, msgs.ImageHead{Width: 160, Height: 120, Encoding: "16UC1", Step: 320}},
		"rgbd":           {WrapperOptions{RGBD: true, Texture: color}, "/camera/color/image_rect_color", msgs.ImageHead{Width: 160, Height: 120, Encoding: "rgb8", Step: 480}},
	} {
		t.Run(name, func(t *testing.T) {
			p, a, _ := playTo(t, c.o, replay.Settings{Immediate: true}, c.topic)
			<-p.Done()
			got := a.take(c.topic)
			if len(got) != 16 {
				t.Fatalf("%d images, want 16", len(got))
			}
			d := msgs.NewDecoder(got[7].data)
			var head msgs.ImageHead
			head.Decode(d)
			if head.Width != c.want.Width || head.Height != c.want.Height || head.Encoding != c.want.Encoding || head.Step != c.want.Step {
				t.Errorf("%+v, want %+v", head, c.want)
			}
			for b := d.Rest(); c.o.Clip > 0 && len(b) > 1; b = b[2:] {
				if mm := float64(binary.LittleEndian.Uint16(b)); mm > 1000*c.o.Clip {
					t.Fatalf("a depth of %v mm", mm)
				}
			}
		})
	}
	p, a, _ := playTo(t, WrapperOptions{Filters: []string{filterDecimation}}, replay.Settings{Immediate: true}, info)
	<-p.Done()
	var m msgs.CameraInfo
	if got := a.take(info); len(got) != 16 || msgs.Unmarshal(got[0].data, &m) != nil || m.Width != 80 || m.K[0] != 48 {
		t.Errorf("%d times %+v, want camera_info of the decimated image", len(got), m)
	}
}

// The player's filters apply to computed topics, and no message is ahead of the clock.
func TestComputedTopicsUnderFilters(t *testing.T) {
	limited := replay.Filter{Topics: []string{pointsTopic, alignedTopic}, Limits: map[string]float64{pointsTopic: 10}}
	p, a, _ := playTo(t, alignedCloud, replay.Settings{Immediate: true, Filter: limited, ClockHz: 1, ClockTopics: []string{alignedTopic}},
		pointsTopic, alignedTopic, "/camera/color/image_raw")
	<-p.Done()
	count := map[string]int{}
	for _, h := range a.heard {
		if count[h.topic]++; count[alignedTopic] > count["/clock"] {
			t.Fatalf("aligned depth %d came after %d times of the clock", count[alignedTopic], count["/clock"])
		}
	}
	if count[alignedTopic] != 16 || count[pointsTopic] < 2 || count[pointsTopic] > 5 || count["/camera/color/image_raw"] != 0 {
		t.Errorf("%v, want 16 aligned images and points at 10 Hz for 0.3 s", count)
	}
}

// Outputs for which a recording has no frames are reported.
func TestWhatCantBeComputed(t *testing.T) {
	o := alignedCloud
	o.Texture, o.AllowNoTexture = camdriver.StreamID{Kind: camdriver.Fisheye}, false
	if got := openWrapperSource(t, unpleasantBag, o).Problems(); len(got) != 1 {
		t.Errorf("%q, want what is missing", got)
	}
	if got := openWrapperSource(t, unpleasantBag, alignedCloud).Problems(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// The combined topic of both motion sensors has increasing stamps, and no samples from before a seek.
func TestUnitedSamplesOfARecording(t *testing.T) {
	s := openWrapperSource(t, sampleBags+"sw_small_lz4.bag", WrapperOptions{UniteIMU: process.UniteCopy})
	if slices.ContainsFunc(s.Connections(), func(c *bagstore.Connection) bool { return c.Topic == "/camera/gyro/sample" }) || s.imu == nil {
		t.Fatal("gyro/sample is there, or imu isn't")
	}
	v := viewOf(t, s, bagstore.Query{Connections: func(c *bagstore.Connection) bool { return c == s.imu }})
	it := v.Iterator()
	defer it.Close()
	stamps := func() (list []msgs.Time) {
		for it.Next() {
			for _, made := range messagesOf(it.Message()) {
				var m msgs.Imu
				need.Must(t, msgs.Unmarshal(made.Head, &m))
				list = append(list, m.Header.Stamp)
			}
		}
		return list
	}
	all := stamps()
	first, _ := v.Start()
	it.Seek(first.Add(time.Second))
	later := stamps()
	if len(all) < 300 || len(later) < 100 || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Fatalf("%d samples, %d after a second", len(all), len(later))
	}
	if i := slices.Index(all, later[0]); i < 0 || !slices.Equal(all[i:], later) {
		t.Error("other samples after a seek")
	}
}

// ear is a sink that records the sequence numbers of its messages.
type ear struct{ numbers []uint32 }

func (e *ear) Wanted() bool { return true }

func (e *ear) Publish(m msgs.Raw) {
	e.numbers = append(e.numbers, binary.LittleEndian.Uint32(m.Head)) // the header starts with seq
	if m.Owner != nil {
		m.Owner.Release()
	}
}

// TestComputedNumbers checks that computed messages are numbered without gaps, even if some sets aren't
// computed, so that a recorder reports no losses.
func TestComputedNumbers(t *testing.T) {
	o := alignedCloud
	o.RGBD = true
	source := openWrapperSource(t, unpleasantBag, o)
	defer source.Close()
	source.layout.numbered = false // as in a camera node
	ears := make(map[string]*ear)
	p, err := newProcessor(source.layout, source.file.Snapshot(), noLimit, nil, func(topic, _ string, _ *stream) (sink, error) {
		ears["/"+topic] = &ear{}
		return ears["/"+topic], nil
	})
	need.Must(t, err)
	defer p.close()
	frames := rssets.NewReader(source.file, rssets.Options{Rig: source.rig, Match: true})
	defer frames.Close()
	sets := 0
	for e, ok := frames.Next(); ok; e, ok = frames.Next() {
		if len(e.Set.Images) > 0 {
			if sets++; sets%3 == 1 {
				need.Must(t, p.compute(&e.Set, msgs.Time(sets)))
			}
		}
		e.Release()
	}
	for _, topic := range []string{pointsTopic, alignedTopic, "/camera/depth_registered/points"} {
		e := ears[topic]
		if e == nil || len(e.numbers) < 5 {
			t.Fatalf("%s: numbers %v of %d sets", topic, e, sets)
		}
		for i, n := range e.numbers {
			if n != uint32(i) {
				t.Errorf("%s: message %d has the number %d", topic, i, n)
			}
		}
	}
}
