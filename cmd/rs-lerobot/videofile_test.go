//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/test/need"
)

const width, height = 64, 48

func frames(c videoCodec, n int) (list [][]byte) {
	random := rand.New(rand.NewPCG(1, 2))
	for range n {
		f := make([]byte, width*height*c.Bytes)
		for i := range f {
			f[i] = byte(random.Uint32())
			if c.Stored == "gray12le" && i%2 == 1 {
				f[i] &= 15
			}
		}
		list = append(list, f)
	}
	return list
}

func write(t *testing.T, ctx context.Context, o videoOptions, list [][]byte) error {
	t.Helper()
	o.Width, o.Height, o.FPS = width, height, 30
	w, err := createVideo(ctx, o)
	if err != nil {
		return err
	}
	for _, f := range list {
		if err := w.Write(f); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Close()
}

// TestCodecs: python3-av, which has its own binding of the libraries, decodes what was written; ffprobe finds the codec.
func TestCodecs(t *testing.T) {
	need.Programs(t, "ffmpeg", "ffprobe")
	python := need.Python(t, "av")
	for _, c := range []videoCodec{H264, HEVC, FFV1, HEVC12} {
		list := frames(c, 7)
		path := filepath.Join(t.TempDir(), "a file,with:signs.mp4")
		if err := write(t, t.Context(), videoOptions{Path: path, Codec: c}, list); err != nil {
			t.Fatal(c.Name, err)
		}
		got, err := exec.CommandContext(t.Context(), python, "testdata/decode.py", path, c.Input).Output()
		if err != nil {
			t.Fatal(c.Name, err)
		}
		if want := bytes.Join(list, nil); len(got) != len(want) || c.Exact && !bytes.Equal(got, want) {
			t.Errorf("%s: python3-av decodes %d bytes, want %d, or they differ", c.Name, len(got), len(want))
		}
		said, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,pix_fmt,r_frame_rate,start_pts,nb_frames", "-of", "csv=p=0", path).Output()
		if want := c.Name + "," + c.Stored + ",30/1,0,7"; err != nil || strings.TrimSpace(string(said)) != want {
			t.Errorf("ffprobe: %s, %v, want %s", said, err, want)
		}
		again := filepath.Join(t.TempDir(), "again.mp4")
		need.Must(t, write(t, t.Context(), videoOptions{Path: again, Codec: c}, list))
		if a, b := read(t, path), read(t, again); !bytes.Equal(a, b) {
			t.Errorf("%s: the same frames make another file", c.Name)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	need.Must(t, err)
	return b
}

// TestHostile runs programs that only claim to be ffmpeg.
func TestHostile(t *testing.T) {
	const out = `for last in "$@"; do :; done; last="${last#file:}"; `
	for name, c := range map[string]struct{ script, want string }{
		"exits at once":   {`echo no encoder >&2; exit 3`, "exit status 3: no encoder"},
		"says too much":   {`yes complaint | head -c 1000000 >&2; exit 1`, "complaint complaint"},
		"hangs":           {`exec sleep 1000`, "no progress"},
		"hangs at end":    {`cat >/dev/null; exec sleep 1000`, "no progress"},
		"reads nothing":   {`exit 0`, ""},
		"writes nothing":  {`cat >/dev/null`, "0 of 100 frames"},
		"writes garbage":  {out + `[ "$last" = pipe:1 ] && exec head -c 614400 /dev/zero; cat >/dev/null; echo garbage >"$last"`, "frame 0 differs"},
		"decodes forever": {out + `[ "$last" = pipe:1 ] && exec cat /dev/zero; cat >/dev/null; echo garbage >"$last"`, "frame 0 differs"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			need.Must(t, os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o700))
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			path := filepath.Join(t.TempDir(), "out.mp4")
			err := write(t, t.Context(), videoOptions{Path: path, Codec: FFV1, Stall: 500 * time.Millisecond}, frames(FFV1, 100))
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 2*maxSaid {
				t.Errorf("%.300v, want %q", err, c.want)
			}
			if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
				t.Errorf("it left %v, %v", left, err)
			}
		})
	}
}

// TestCancel checks that canceling the context ends ffmpeg and leaves no file.
func TestCancel(t *testing.T) {
	need.Programs(t, "ffmpeg")
	ctx, cancel := context.WithCancel(t.Context())
	path := filepath.Join(t.TempDir(), "out.mp4")
	w, err := createVideo(ctx, videoOptions{Path: path, Codec: H264, Width: width, Height: height, FPS: 30})
	need.Must(t, err)
	list := frames(H264, 1)
	need.Must(t, w.Write(list[0]))
	cancel()
	for err == nil {
		err = w.Write(list[0])
	}
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := w.Close(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}
