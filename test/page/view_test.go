package page

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// startView starts the program's view command, and returns the address that it prints.
func startView(t *testing.T, args ...string) string {
	t.Helper()
	p := peer.Start(t, peer.Env(t, "http://127.0.0.1:1"), peer.Released(t), append([]string{"view", "--no-open"}, args...)...)
	p.Await("its address", func(stdout string) bool { return strings.Contains(stdout, "\n") })
	url, _, err := bufio.NewReader(strings.NewReader(p.Stdout())).ReadLine()
	need.Must(t, err)
	return string(url)
}

// TestView shows the page of the program itself: a camera, a recording made of it with the keyboard,
// and that recording opened from the list. Its depth equals the file's, set by set.
func TestView(t *testing.T) {
	dir := t.TempDir()
	url := startView(t, "--bags", dir, "--record-path", dir, "--depth", "424x240@15", "--color", "424x240@15", "--infra1", "424x240@15", "--infra2", "off", "sim")
	b := newTab(t)
	b.open(url)
	b.await(`window.viewer && viewer.store.connected.value`)
	depth, color := b.streamID("Depth_0"), b.streamID("Color_0")
	b.await(drawn(depth, 5) + ` && ` + drawn(color, 5))
	b.screenshot("view")
	b.held(ctrl, enter)
	b.await(`viewer.store.record.value?.on && viewer.store.record.value.bytes > 6e6`) // about ten sets
	b.screenshot("view-recording")
	b.held(ctrl, enter)
	b.await(`!viewer.store.record.value.on`)
	b.await(`viewer.store.logs.value.some((l) => l.level === 'info' && l.text.startsWith('recorded '))`)
	made, err := filepath.Glob(filepath.Join(dir, "*.bag"))
	if err != nil || len(made) != 1 {
		t.Fatalf("recordings %v, %v", made, err)
	}
	rig.CheckTake(t, made[0])
	depths := depthsOf(t, made[0])
	eval[bool](b, `viewer.link.request('open', { file: $1 }).then(() => viewer.link.request('pause')).then(a => a.ok)`, filepath.Base(made[0])) // before its first frame
	b.await(`viewer.store.source.value?.kind === 'file'`)
	depth = b.streamID("Depth_0")
	b.await(drawn(depth, 1))
	for set := range 4 {
		eval[bool](b, `viewer.link.request('seek', { set: $1 }).then(a => a.ok)`, set)
		var number, hash uint64
		b.await(fmt.Sprintf(`viewer.store.state.value.set === %d && %s`, set, drawn(depth, set+2)))
		if _, err := fmt.Sscan(eval[string](b, pageHash, depth), &number, &hash); err != nil {
			t.Fatal(err)
		}
		if want, ok := depths[number]; !ok || hashOf(want) != hash {
			t.Errorf("set %d: frame %d has hash %d in the texture, %d in the file", set, number, hash, hashOf(want))
		}
	}
	b.keys("3")
	b.await(`document.querySelector('.stage')`)
	b.screenshot("view-3d")
	b.keys("2")
	b.screenshot("view-playback")
}
