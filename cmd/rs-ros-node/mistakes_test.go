package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/ros/graph"
	"rsros/test/samplebag"
)

// TestMistakes checks what a user reads after a mistake. BAG is a good recording in the folder DIR, TEXT another
// file there, and TAKEN an address in use.
func TestMistakes(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	text := filepath.Join(filepath.Dir(bag), "text.bag")
	if err := os.WriteFile(text, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	words := strings.NewReplacer("BAG", bag, "TEXT", text, "DIR", filepath.Dir(bag), "TAKEN", taken.Addr().String())
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"live --align_depth", exitUsage, "unknown flag: --align_depth; did you mean --align-depth?"},
		{"live --clock", exitUsage, "unknown flag: --clock; did you mean --clock-drift?"},
		{"live -device sim", exitUsage, "did you mean --device?"},
		{"view sim --record x.bag", exitUsage, "unknown flag: --record; did you mean"},
		{"info --frq BAG", exitUsage, "unknown flag: --frq; did you mean --freq?"},
		{"info --ya BAG", exitUsage, "unknown flag: --ya; did you mean --yaml?"},
		{"info --wobble BAG", exitUsage, "unknown flag: --wobble; see rs-ros-node info --help"},
		{"recover --out x BAG", exitUsage, "unknown flag: --out; did you mean"},
		{"record --output x /a", exitUsage, "--output may mean --output-prefix, --output-name"},
		{"play --s 4 BAG", exitUsage, "--s may mean --start, --skip-empty"},
		{"play --sta x BAG", exitUsage, `invalid argument "x" for "-s, --start" flag: time "x": want a date, or a time such as 10s, 2m or 10 (seconds)`},
		{"play --nam wrapper BAG", exitUsage, "unknown flag: --nam; did you mean --naming?"},
		{"batch check x -o y -- --jso", exitUsage, "unknown flag: --jso; did you mean --json?"},
		{"pley BAG", exitUsage, "unknown command \"pley\"; did you mean play?\ncommands: batch, cat, "},
		{"--log-level debug wobble BAG", exitUsage, "unknown command \"wobble\"\ncommands: batch, cat, "},
		{"cat --max-array x BAG", exitUsage, `invalid argument "x" for "--max-array" flag: want a whole number`},
		{"filter BAG TEXT", exitUsage, "filter needs -o, the output\nusage: rs-ros-node filter IN -o OUT "},
		{"filter BAG x.db3 True", exitUsage, `unexpected argument "True"; is it meant as --output True?`},
		{"filter BAG True", exitUsage, "filter needs -o, the output\n"},
		{"filter BAG True y -o x.bag", exitUsage, `unexpected argument "y"`},
		{"convert BAG out", exitUsage, `unexpected argument "out"; is it meant as --output out?`},
		{"convert", exitUsage, "IN is missing\n"},
		{"merge BAG BAG x.bag", exitUsage, "merge needs -o, the output\nusage: "},
		{"merge BAG BAG", exitUsage, "merge needs -o, the output\n"},
		{"catalog merge x.jsonl all.jsonl", exitUsage, "merge needs -o, the output\n"},
		{"batch check x y", exitUsage, "batch needs -o, "},
		{"batch check x", exitUsage, "batch needs -o, "},
		{"batch check x y -o z", exitUsage, `"y": flags and arguments of check follow --`},
		{"export BAG -o x.mcap", exitUsage, "export writes a folder; for an MCAP file: rs-ros-node convert "},
		{"recover BAG BAG -o -", exitUsage, "only a single bag can go to standard output"},
		{"devices --report", exitUsage, "--report needs -o, the file to write"},
		{"export --fps x --as tum BAG -o out", exitUsage, `invalid argument "x" for "--fps" flag: want a number`},
		{"info --yaml=x BAG", exitUsage, `invalid argument "x" for "--yaml" flag: want true or false`},
		{"record -a --size 1x", exitUsage, `invalid argument "1x" for "--size" flag: want a size such as 512M or 1.5G`},
		{"record -a --split-size 512", exitUsage, `invalid argument "512" for "--split-size" flag: want a size such as 512M or 1.5G`},
		{"live --duration soon", exitUsage, `invalid argument "soon" for "--duration" flag: want a time such as 10s, 2m, 1.5h or 10 (seconds)`},
		{"info --message-limit x BAG", exitUsage, "want a size such as 512M or 1.5G"},
		{"info --log-level loud BAG", exitUsage, `want error, warn, info or debug`},
		{"info --no-log BAG", exitUsage, "unknown flag: --no-log"},
		{"live depth_width:=640", exitUsage, "to set a private parameter, begin with _: _depth_width:=640"},
		{"info TEXT", exitFailed, "not a bag, and no MCAP or .db3 file: it begins with"},
		{"info DIR", exitFailed, "use catalog or view for a folder of recordings"},
		{"filter BAG -o TEXT", exitFailed, "text.bag: file already exists; --overwrite replaces it"},
		{"filter BAG -o DIR/none/x.bag", exitFailed, "/none/x.bag: no such file or directory"},
		{"merge -o TEXT BAG", exitFailed, "text.bag: file already exists; --overwrite replaces it"},
		{"view BAG --http TAKEN", exitFailed, "address already in use; --http=ADDRESS:PORT takes another one"},
		{"usb-serve --listen TAKEN", exitFailed, "address already in use; --listen=ADDRESS:PORT takes another one"},
		{"play BAG --http=TAKEN --master embedded __master:=http://127.0.0.1:0/", exitFailed, "address already in use; --http=ADDRESS:PORT takes another one"},
	} {
		args := strings.Fields(words.Replace(c.line))
		code, out, log := command(t, args...)
		if code != c.code || !strings.Contains(log, words.Replace(c.want)) || strings.Contains(log, "strconv") || strings.Contains(log, ".partial") {
			t.Errorf("%s: %d, want %d and %q\n%s%s", c.line, code, c.code, c.want, out, log)
		}
	}
}

// TestVersionFlag checks that --version is the command version.
func TestVersionFlag(t *testing.T) {
	if flag, word := want(t, exitOK, "--version"), want(t, exitOK, "version"); flag != word {
		t.Errorf("%q, want %q", flag, word)
	}
}

// TestNoMaster checks that nodes say at once that there is no master, and end with exit code 5 if they
// are interrupted before there is one.
func TestNoMaster(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	for _, line := range []string{"live --device sim", "record -a -O " + filepath.Join(t.TempDir(), "x.bag"), "play --pause " + bag} {
		ctx, interrupt := context.WithCancel(t.Context())
		var out bytes.Buffer
		log := untilText{text: "no ROS master at http://127.0.0.1:1/: start roscore, or use --master embedded", found: interrupt}
		args := append(strings.Fields(line), "__master:=http://127.0.0.1:1/")
		code := run(ctx, args, streams{out: &out, err: zerolog.SyncWriter(&log)}, nil)
		if last := "rs-ros-node: no ROS master answered at http://127.0.0.1:1/\n"; code != exitNoMaster || !strings.HasSuffix(log.String(), last) || strings.Contains(log.String(), "canceled") {
			t.Errorf("%s: %d\n%s", line, code, log.String())
		}
		interrupt()
	}
}

// untilText calls found when a text was written.
type untilText struct {
	bytes.Buffer
	text  string
	found func()
}

func (u *untilText) Write(p []byte) (int, error) {
	n, err := u.Buffer.Write(p)
	if strings.Contains(u.String(), u.text) {
		u.found()
	}
	return n, err
}

// TestTakenMaster checks what a second master on an address says.
func TestTakenMaster(t *testing.T) {
	m, err := graph.StartMaster(t.Context(), graph.MasterOptions{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	want := "rs-ros-node: a ROS master already runs at http://127.0.0.1:"
	if code, _, log := command(t, "master", "__master:="+m.URI()); code != exitNoMaster || !strings.HasPrefix(log, want) {
		t.Errorf("%d, %s, want %s", code, log, want)
	}
}
