package page

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// devtools is a Chromium that is driven by the DevTools protocol over two pipes: JSON documents, each ended by a zero byte.
type devtools struct {
	program *exec.Cmd
	folder  string // the user's data
	out     *os.File

	mu       sync.Mutex
	last     int                             // identifier of a call
	calls    map[int]chan reply              // that wait for their answers
	sessions map[string]func(method, []byte) // of tabs: what takes their events. It must not wait for an answer.
	ended    error                           // not nil once Chromium has closed its pipe
}

// method is the name of a call or an event.
type method = string

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// flags make drawing independent of the machine, and Chromium silent.
var flags = []string{
	"--headless", "--remote-debugging-pipe", "--no-sandbox", "--window-size=1440,900", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
	"--disable-dev-shm-usage", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync",
	"--no-first-run", "--no-default-browser-check", "--force-device-scale-factor=1", "--hide-scrollbars", "--mute-audio", "--force-color-profile=srgb",
	"--force-prefers-reduced-motion", "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
	"--disable-renderer-backgrounding", "--disable-breakpad", "--disable-default-apps", "--disable-extensions", "--disable-hang-monitor",
	"--disable-ipc-flooding-protection", "--disable-popup-blocking", "--disable-features=site-per-process,Translate", "--metrics-recording-only",
	"--password-store=basic", "--use-mock-keychain", "--enable-automation",
}

// startDevtools starts Chromium. Its close must be called.
func startDevtools() (*devtools, error) {
	folder, err := os.MkdirTemp("", "rs-ros-chromium")
	if err != nil {
		return nil, err
	}
	calls, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in, answers, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	d := &devtools{program: exec.Command("chromium", append(flags, "--user-data-dir="+folder)...), folder: folder, out: out,
		calls: make(map[int]chan reply), sessions: make(map[string]func(method, []byte))}
	d.program.ExtraFiles = []*os.File{calls, answers} // as 3 and 4
	if err := d.program.Start(); err != nil {
		return nil, err
	}
	calls.Close()
	answers.Close()
	go d.read(in)
	return d, nil
}

// read passes answers and events on until Chromium ends.
func (d *devtools) read(in *os.File) {
	defer in.Close()
	messages := bufio.NewReader(in)
	for {
		text, err := messages.ReadBytes(0)
		var m struct {
			reply
			ID        int
			SessionID string
			Method    method
			Params    json.RawMessage
		}
		if err == nil {
			err = json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m)
		}
		d.mu.Lock()
		if err != nil {
			d.ended = fmt.Errorf("chromium: %w", err)
			for _, answer := range d.calls {
				close(answer)
			}
			clear(d.calls)
			d.mu.Unlock()
			return
		}
		answer, event := d.calls[m.ID], d.sessions[m.SessionID]
		delete(d.calls, m.ID)
		d.mu.Unlock()
		switch {
		case answer != nil:
			answer <- m.reply
		case event != nil && m.Method != "":
			event(m.Method, m.Params)
		}
	}
}

// call calls a method, of a tab unless session is "", and decodes the result if result isn't nil.
func (d *devtools) call(ctx context.Context, session string, name method, params, result any) error {
	answer := make(chan reply, 1)
	d.mu.Lock()
	d.last++
	text, err := json.Marshal(map[string]any{"id": d.last, "method": name, "params": params})
	if session != "" && err == nil {
		text, err = json.Marshal(map[string]any{"id": d.last, "method": name, "params": params, "sessionId": session})
	}
	if err = errors.Join(err, d.ended); err == nil {
		d.calls[d.last] = answer
		_, err = d.out.Write(append(text, 0))
	}
	d.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", name, ctx.Err())
	case r, ok := <-answer:
		switch {
		case !ok:
			return fmt.Errorf("%s: %w", name, io.ErrUnexpectedEOF)
		case r.Error != nil:
			return fmt.Errorf("%s: %s", name, r.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(r.Result, result)
	}
}

// open opens a tab. event takes the events of its page, its console, its log and its requests.
func (d *devtools) open(ctx context.Context, event func(method, []byte)) (target, session string, err error) {
	var made struct{ TargetID string }
	if err := d.call(ctx, "", "Target.createTarget", map[string]any{"url": "about:blank", "newWindow": true}, &made); err != nil {
		return "", "", err
	}
	var attached struct{ SessionID string }
	if err := d.call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached); err != nil {
		return "", "", err
	}
	d.mu.Lock()
	d.sessions[attached.SessionID] = event
	d.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		err = errors.Join(err, d.call(ctx, attached.SessionID, domain+".enable", nil, nil))
	}
	return made.TargetID, attached.SessionID, errors.Join(err, d.call(ctx, attached.SessionID, "Page.setLifecycleEventsEnabled", map[string]any{"enabled": true}, nil))
}

// close ends Chromium.
func (d *devtools) close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if d.call(ctx, "", "Browser.close", nil, nil) != nil {
		_ = d.program.Process.Kill()
	}
	_ = d.program.Wait()
	d.out.Close()
	os.RemoveAll(d.folder)
}
