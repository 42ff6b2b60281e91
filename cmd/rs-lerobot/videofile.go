package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// videoCodec is a form of video files.
type videoCodec struct {
	Name    string // of the codec, as ffmpeg has it
	Input   string // pixel format of frames
	Bytes   int    // a pixel of frames
	Stored  string // pixel format of the file
	Exact   bool   // frames are decoded to the bytes that were written
	encoder []string
}

// The codecs. Every second frame of the lossy ones is a key frame, for random access.
var (
	H264 = videoCodec{Name: "h264", Input: "rgb24", Bytes: 3, Stored: "yuv420p",
		encoder: []string{"-c:v", "libx264", "-crf", "18", "-preset", "veryfast", "-g", "2", "-bf", "0", "-f", "mp4"}}
	HEVC = videoCodec{Name: "hevc", Input: "rgb24", Bytes: 3, Stored: "yuv420p",
		encoder: []string{"-c:v", "libx265", "-crf", "20", "-preset", "veryfast", "-g", "2", "-bf", "0", "-x265-params",
			"log-level=error", "-tag:v", "hvc1", "-f", "mp4"}}
	// FFV1 has 16 bits. ffmpeg writes it in the container mov, which readers of MP4 read.
	FFV1 = videoCodec{Name: "ffv1", Input: "gray16le", Bytes: 2, Stored: "gray16le", Exact: true,
		encoder: []string{"-c:v", "ffv1", "-level", "3", "-g", "1", "-slicecrc", "1", "-f", "mov"}}
	// HEVC12 has 12 bits.
	HEVC12 = videoCodec{Name: "hevc", Input: "gray12le", Bytes: 2, Stored: "gray12le", Exact: true,
		encoder: []string{"-c:v", "libx265", "-preset", "veryfast", "-g", "2", "-bf", "0", "-x265-params",
			"lossless=1:log-level=error", "-tag:v", "hvc1", "-f", "mp4"}}
)

type videoOptions struct {
	Path          string // gets its name when the file is complete
	Codec         videoCodec
	Width, Height int
	FPS           int
	Stall         time.Duration // without progress, until ffmpeg is killed; 0: a minute
}

// errNoVideo means that there is no ffmpeg.
var errNoVideo = errors.New("ffmpeg isn't installed: videos need it")

const (
	defaultStall = time.Minute
	maxSaid      = 2 << 10 // bytes of ffmpeg's errors that are kept
)

// videoWriter writes images as a video file with an installed ffmpeg, and decodes the file again: with lossless codecs,
// each frame must be the one that was written. It holds one frame, and eight bytes of each. It is for one goroutine.
type videoWriter struct {
	o      videoOptions
	ctx    context.Context
	run    *videoProcess
	in     io.WriteCloser
	hashes []uint64 // of frames
	bad    error    // of the process, from the first failure
}

// createVideo starts ffmpeg, which the context kills.
func createVideo(ctx context.Context, o videoOptions) (*videoWriter, error) {
	if o.Codec.Stored == "yuv420p" && (o.Width%2 != 0 || o.Height%2 != 0) {
		return nil, fmt.Errorf("images of %d×%d: %s needs even sizes", o.Width, o.Height, o.Codec.Name)
	}
	o.Stall = cmp.Or(o.Stall, defaultStall)
	// An ffmpeg that outlives a killed program writes on to the removed file.
	if err := os.Remove(o.partial()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	output, err := fileName(o.partial())
	if err != nil {
		return nil, err
	}
	args := []string{"-y", "-f", "rawvideo", "-pix_fmt", o.Codec.Input, "-video_size",
		fmt.Sprintf("%dx%d", o.Width, o.Height),
		"-framerate", fmt.Sprint(o.FPS), "-i", "pipe:0", "-an", "-map_metadata", "-1", "-pix_fmt", o.Codec.Stored}
	args = append(append(args, o.Codec.encoder...), "-fflags", "+bitexact", "-flags", "+bitexact", output)
	w := &videoWriter{o: o, ctx: ctx}
	if w.run, err = newVideoProcess(ctx, o.Stall, args); err != nil {
		return nil, err
	}
	if w.in, err = w.run.cmd.StdinPipe(); err == nil {
		err = w.run.start()
	}
	return w, err
}

func (o *videoOptions) partial() string { return o.Path + ".partial" }

// fileName returns a path that ffmpeg can't take for anything else.
func fileName(path string) (string, error) {
	path, err := filepath.Abs(path)
	return "file:" + path, err
}

// Write writes a frame.
func (w *videoWriter) Write(frame []byte) error {
	if want := w.o.Width * w.o.Height * w.o.Codec.Bytes; len(frame) != want {
		return fmt.Errorf("a frame has %d bytes, want %d", len(frame), want)
	}
	if w.bad == nil {
		if _, err := w.in.Write(frame); err != nil {
			w.bad = w.run.wait(err)
		}
		w.run.progress()
	}
	w.hashes = append(w.hashes, frameHash(frame))
	return w.bad
}

func frameHash(frame []byte) uint64 {
	h := fnv.New64a()
	h.Write(frame)
	return h.Sum64()
}

// Close completes the file and decodes it.
func (w *videoWriter) Close() error {
	if w.bad == nil {
		if err := w.in.Close(); err != nil {
			w.bad = err
		}
		w.bad = w.run.wait(w.bad)
	}
	if w.bad == nil {
		w.bad = w.verify()
	}
	if w.bad == nil {
		w.bad = os.Rename(w.o.partial(), w.o.Path)
	}
	if w.bad != nil {
		_ = os.Remove(w.o.partial()) // may not be there
	}
	return w.bad
}

// Abort ends an unfinished file.
func (w *videoWriter) Abort() {
	w.run.kill()
	_ = w.run.wait(nil)
	_ = os.Remove(w.o.partial())
}

func (w *videoWriter) verify() error {
	input, err := fileName(w.o.partial())
	if err != nil {
		return err
	}
	run, err := newVideoProcess(w.ctx, w.o.Stall,
		[]string{"-i", input, "-map", "0:v:0", "-vsync", "passthrough", "-f", "rawvideo",
			"-pix_fmt", w.o.Codec.Input, "pipe:1"})
	if err != nil {
		return err
	}
	out, err := run.cmd.StdoutPipe()
	if err == nil {
		err = run.start()
	}
	if err != nil {
		return err
	}
	err = w.compare(out, run)
	if err != nil {
		run.kill()
	}
	if failed := run.wait(nil); err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("the video that was written: %w", err)
	}
	return nil
}

func (w *videoWriter) compare(out io.Reader, run *videoProcess) error {
	frame := make([]byte, w.o.Width*w.o.Height*w.o.Codec.Bytes)
	for i, want := range w.hashes {
		if _, err := io.ReadFull(out, frame); err != nil {
			return fmt.Errorf("it has %d of %d frames%s", i, len(w.hashes), run.said.text())
		}
		run.progress()
		if w.o.Codec.Exact && frameHash(frame) != want {
			return fmt.Errorf("frame %d differs from the camera's", i)
		}
	}
	if n, _ := out.Read(frame); n > 0 {
		return fmt.Errorf("it has more than %d frames", len(w.hashes))
	}
	return nil
}

// videoProcess is an ffmpeg that is killed when it stalls.
type videoProcess struct {
	cmd    *exec.Cmd
	cancel context.CancelCauseFunc
	ctx    context.Context
	stall  time.Duration
	timer  *time.Timer
	said   outputTail
}

var errStalled = errors.New("it made no progress")

// ffmpeg returns the path of the program, or errNoVideo.
func ffmpeg() (path string, err error) {
	if path, err = exec.LookPath("ffmpeg"); err != nil {
		return "", fmt.Errorf("%w: %w", errNoVideo, err)
	}
	return path, nil
}

func newVideoProcess(ctx context.Context, stall time.Duration, args []string) (*videoProcess, error) {
	program, err := ffmpeg()
	if err != nil {
		return nil, err
	}
	p := &videoProcess{stall: stall}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	p.cmd = exec.CommandContext(p.ctx, program,
		append([]string{"-nostdin", "-hide_banner", "-loglevel", "error"}, args...)...)
	p.cmd.Stderr = &p.said
	p.cmd.WaitDelay = time.Second // for children that keep its standard error open
	return p, nil
}

func (p *videoProcess) start() error {
	if err := p.cmd.Start(); err != nil {
		p.cancel(nil)
		return err
	}
	p.timer = time.AfterFunc(p.stall, func() { p.cancel(fmt.Errorf("%w for %v", errStalled, p.stall)) })
	return nil
}

func (p *videoProcess) progress() { p.timer.Reset(p.stall) }

func (p *videoProcess) kill() { p.cancel(context.Canceled) }

// wait waits for the end, and returns why it failed.
func (p *videoProcess) wait(failed error) error {
	err := p.cmd.Wait()
	p.timer.Stop()
	cause := context.Cause(p.ctx)
	p.cancel(nil)
	switch {
	case cause != nil:
		return fmt.Errorf("ffmpeg: %w", cause)
	case err != nil:
		return fmt.Errorf("ffmpeg: %w%s", err, p.said.text())
	case failed != nil:
		return fmt.Errorf("ffmpeg ended early: %w%s", failed, p.said.text())
	}
	return nil
}

// outputTail keeps the last bytes that are written to it.
type outputTail struct {
	mu sync.Mutex
	b  []byte
}

func (t *outputTail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b[max(0, len(b)-maxSaid):]...)
	t.b = t.b[max(0, len(t.b)-maxSaid):]
	return len(b), nil
}

// text returns the lines as one, for the end of an error.
func (t *outputTail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(bytes.TrimSpace(t.b)) == 0 {
		return ""
	}
	return ": " + strings.ToValidUTF8(strings.Join(strings.Fields(string(t.b)), " "), "?")
}
