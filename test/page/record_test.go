package page

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/rig"
	"rsros/test/samplebag"
	"rsros/tools/info"
)

// TestRecordButtons clicks every button of a recording: of a camera's black box, and of one of topics. The view of
// what they have kept shows the marks.
func TestRecordButtons(t *testing.T) {
	m := rig.Master(t)
	dir := t.TempDir()
	const recording = `viewer.store.record.value?.on`
	kept := func(pattern string) (files []string) {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		need.Must(t, err)
		return files
	}
	pressed := func(b *tab, name string) {
		t.Helper()
		b.await(`[...document.querySelectorAll('button')].some((e) => (e.getAttribute('aria-label') ?? e.textContent).startsWith($1))`, name)
		b.press(eval[string](b, `(() => { const e = [...document.querySelectorAll('button')].find((e) => (e.getAttribute('aria-label') ?? e.textContent).startsWith($1)); return e.getAttribute('aria-label') ?? e.textContent })()`, name))
	}

	t.Run("camera", func(t *testing.T) {
		_, url := startNode(t, m.URI(), "live", "--record", filepath.Join(dir, "walk.bag"), "--record-ring", "300s", "--device", "sim",
			"--depth", "424x240@15", "--color", "off", "--infra1", "off", "--infra2", "off", "--gyro", "off", "--accel", "off")
		b := newTab(t)
		b.open(url)
		b.await(`window.viewer && ` + recording + ` && viewer.store.record.value.seconds > 1`)
		pressed(b, "Start a new file")
		b.await(`viewer.store.record.value.part === 2 && viewer.store.record.value.seconds < 29`) // the ring's own files have 30 s
		pressed(b, "Mark this moment")
		pressed(b, "Keep what the ring holds")
		b.await(`viewer.store.record.value.ring.includes('files kept') && !viewer.store.record.value.ring.includes('; 0 files kept')`)
		b.screenshot("record-buttons")
		pressed(b, "Pause recording")
		b.await(`viewer.store.record.value.paused`)
		pressed(b, "Resume recording")
		b.await(`!viewer.store.record.value.paused`)
		pressed(b, "Stop")
		b.await(`!` + recording)
		files := kept("walk_*.bag")
		if len(files) == 0 {
			t.Fatal("the trigger has kept nothing")
		}
		for _, f := range files {
			rig.CheckTake(t, f)
		}
		pressed(b, "Record")
		b.await(recording)
		pressed(b, "Stop")
		b.await(`!` + recording)
		showsMark(t, files, dir)
	})

	t.Run("topics", func(t *testing.T) {
		n := rig.Node(t, m, "counter")
		p, err := n.Advertise(ros.PublisherOptions{Topic: "/count", Type: msgs.MustType("std_msgs/String")})
		need.Must(t, err)
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for tick := time.NewTicker(20 * time.Millisecond); ; {
				select {
				case <-stop:
					return
				case <-tick.C:
					p.Publish(msgs.Raw{Head: msgs.Marshal(&msgs.String{Data: "one"})})
				}
			}
		}()
		t.Cleanup(func() { close(stop); <-done })
		recorder, url := startNode(t, m.URI(), "record", "-O", filepath.Join(dir, "box.bag"), "--ring", "300s", "/count")
		b := newTab(t)
		b.expect("WebSocket") // the program ends
		b.expect("net::ERR")
		b.open(url)
		b.await(`window.viewer && ` + recording + ` && viewer.store.record.value.seconds > 1`)
		pressed(b, "Start a new file")
		b.await(`viewer.store.record.value.part === 2 && viewer.store.record.value.seconds < 29`) // the ring's own files have 30 s
		pressed(b, "Mark this moment")
		pressed(b, "Keep what the ring holds")
		b.await(`viewer.store.record.value.ring.includes('files kept') && !viewer.store.record.value.ring.includes('; 0 files kept')`)
		pressed(b, "Pause recording")
		b.await(`viewer.store.record.value.paused`)
		pressed(b, "Resume recording")
		b.await(`!viewer.store.record.value.paused`)
		pressed(b, "Stop")
		if code := recorder.Wait(); code != 0 {
			t.Errorf("record ended with %d: %s", code, recorder.Output())
		}
		showsMark(t, kept("box_*.bag"), dir)
	})
}

// showsMark opens the file that has a mark in a viewer, whose bar shows it.
func showsMark(t *testing.T, files []string, dir string) {
	t.Helper()
	for _, f := range files {
		if !hasMark(t, f) {
			continue
		}
		b := newTab(t)
		b.expect("net::ERR") // the program ends before the page
		b.open(startView(t, "--bags", dir, f))
		b.await(`window.viewer && viewer.store.source.value?.kind === 'file' && document.querySelectorAll('.mark').length > 0`)
		b.await(`viewer.store.marks.value.some((m) => m.text.includes('mark 1'))`)
		return
	}
	t.Errorf("no mark in %q", files)
}

// hasMark reports whether a recording has one.
func hasMark(t *testing.T, path string) bool {
	t.Helper()
	b := samplebag.Open(t, path)
	for m, err := range b.View(bagstore.Query{}).Messages() {
		need.Must(t, err)
		if (m.Conn.Topic == info.MarksTopic || strings.Contains(m.Conn.Topic, "notification")) && strings.Contains(string(m.Data), "mark 1") {
			return true
		}
	}
	return false
}
