package live

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/node/naming"
	"rsros/program"
	"rsros/ros/graph"
	"rsros/test/need"
	"rsros/test/rig"
)

// Anybody can set a parameter, so it can't name a file outside the record path.
func TestParameterServerNamesNoFileElsewhere(t *testing.T) {
	top, other := t.TempDir(), t.TempDir()
	links := need.Symlink(t, other, filepath.Join(top, "out"))
	need.Must(t, os.Mkdir(filepath.Join(top, "in"), 0o755))
	for name, c := range map[string]struct {
		p  graph.Params
		ok bool
	}{
		"nothing":                       {graph.Params{"record": "", "device": "sim"}, true},
		"below":                         {graph.Params{"record": top + "/walk.bag", "record_path": top + "/in"}, true},
		"a folder to come":              {graph.Params{"record_path": top + "/new/"}, true},
		"a prefix":                      {graph.Params{"record_path": top + "/in/walk"}, true},
		"elsewhere":                     {graph.Params{"record": other + "/walk.bag"}, false},
		"the folder itself elsewhere":   {graph.Params{"record_path": other}, false},
		"through a link":                {graph.Params{"record": top + "/out/walk.bag"}, false},
		"a new folder through a link":   {graph.Params{"record_path": top + "/out/new/"}, false},
		"upwards":                       {graph.Params{"record": top + "/in/../../walk.bag"}, false},
		"a neighbour that begins alike": {graph.Params{"record": top + "x/walk.bag"}, false},
		"below the working directory":   {graph.Params{"record": "walk.bag"}, false},
	} {
		if !links && strings.Contains(name, "link") {
			continue
		}
		o := Options{RecordPath: top + "/"}
		if c.p["record_path"] != nil { // a parameter counts only if the command line is silent
			o.RecordPath = ""
			t.Chdir(top)
		}
		err := o.checkRemotePaths(c.p)
		if c.ok != (err == nil) || err != nil && !errors.Is(err, program.ErrUsage) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "~record") {
			t.Errorf("%s: %v doesn't name the parameter", name, err)
		}
		o.AllowRemotePaths = true
		if err := o.checkRemotePaths(c.p); err != nil {
			t.Errorf("%s, allowed: %v", name, err)
		}
		t.Chdir("/")
	}
}

// The command line is trusted, and overrides parameters without asking the server.
func TestCommandLineNamesAnyFile(t *testing.T) {
	p := graph.Params{"record": "/any/a.bag", "record_path": "/any"}
	o := Options{}
	need.Must(t, o.fill(p))
	if err := o.checkRemotePaths(p); err != nil || o.Record != "/any/a.bag" || o.RecordPath != "/any" {
		t.Errorf("%q %q %v", o.Record, o.RecordPath, err)
	}
}

// A node whose parameters on the server name a file elsewhere doesn't start.
func TestStrangersFileIsRefusedAtStart(t *testing.T) {
	master := rig.Master(t).URI()
	n := rig.NodeAt(t, master, "stranger")
	path := filepath.Join(t.TempDir(), "notes.txt")
	need.Must(t, os.WriteFile(path, []byte("mine"), 0o644))
	need.Must(t, n.SetParam(t.Context(), "/camera_node/record", path))
	live, err := Start(t.Context(), Options{Log: zerolog.Nop(), RecordPath: t.TempDir()}.at(master))
	if err == nil {
		live.Close() //nolint:errcheck // the test has failed
	}
	if !errors.Is(err, program.ErrUsage) || !strings.Contains(err.Error(), strconv.Quote(path)) {
		t.Errorf("%v, want wrong usage and %s", err, path)
	}
	if text, err := os.ReadFile(path); string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}

// A camera's recording never overwrites the bag that is the camera.
func TestInputIsNotRecordedInto(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	need.Must(t, os.WriteFile(in("a.bag"), []byte("precious"), 0o644))
	links := need.Symlink(t, "a.bag", in("soft.bag"))
	for _, err := range []error{
		os.Link(in("a.bag"), in("hard.bag")), os.Link(in("a.bag"), in("part_0.bag")), os.Link(in("a.bag"), in("later_12.bag")),
		os.WriteFile(in("b.bag"), nil, 0o644),
	} {
		need.Must(t, err)
	}
	for name, refused := range map[string]bool{
		"a.bag": true, "./a.bag": true, "soft.bag": true, "hard.bag": true, "part.bag": true, "part": true, "later.bag": true, "b.bag": false, "c.bag": false, "par.bag": false,
	} {
		if !links && name == "soft.bag" {
			continue
		}
		o := Options{Source: SourceOptions{Device: in("a.bag")}, Record: in(name)}
		o.Recording.Bag.Overwrite = true
		_, err := Start(t.Context(), o)
		if got := errors.Is(err, program.ErrUsage); got != refused || got && !strings.Contains(err.Error(), "a.bag") {
			t.Errorf("%s: %v, want refused %v", name, err, refused)
		}
	}
	if text, err := os.ReadFile(in("a.bag")); string(text) != "precious" {
		t.Errorf("%q, %v", text, err)
	}
}

// A name that claims a format in upper case, by which no program knows it, is refused.
func TestOtherFormatsAreNotRecorded(t *testing.T) {
	for _, name := range []string{"walk.DB3", "walk.MCAP"} {
		path := filepath.Join(t.TempDir(), name)
		_, err := Start(t.Context(), Options{Source: SourceOptions{Device: "sim"}, Record: path})
		if !errors.Is(err, program.ErrUsage) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is there", name)
		}
	}
}

// Callers of ~start_recording can't choose the file, and replace none.
func TestStartRecordingStaysInRecordPath(t *testing.T) {
	dir := t.TempDir()
	live := startAt(t, rig.Master(t).URI(), Options{Naming: naming.SDK, Streams: small, RecordPath: dir})
	// All names of the next minutes are taken.
	for at := range 300 {
		name := time.Now().Add(time.Duration(at) * time.Second).Format("2006-01-02-15-04-05")
		need.Must(t, os.WriteFile(filepath.Join(dir, name+".bag"), []byte("mine"), 0o644))
	}
	seen := map[string]bool{}
	for range 3 {
		text, err := live.cameras[0].startRecording()
		need.Must(t, err)
		path := strings.TrimPrefix(text, "recording into ")
		if filepath.Dir(path) != dir || seen[path] {
			t.Errorf("%s, with the record path %s, after %v", path, dir, seen)
		}
		seen[path] = true
		if _, err := live.cameras[0].stopRecording(); err != nil {
			t.Error(err)
		}
	}
	mine := 0
	files, err := os.ReadDir(dir)
	need.Must(t, err)
	for _, f := range files {
		if text, err := os.ReadFile(filepath.Join(dir, f.Name())); err == nil && string(text) == "mine" {
			mine++
		}
	}
	if mine != 300 {
		t.Errorf("%d of 300 files are left", mine)
	}
}
