package d400

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
	"rsros/test/need"
	"rsros/usbcam/d435i"
)

// answers are what was asked and the answers, in order.
type answers [][2]string

func (a answers) to(what string) string {
	for _, pair := range a {
		if pair[0] == what {
			return pair[1]
		}
	}
	return ""
}

// section returns the answers under a heading of a report.
func section(t *testing.T, text, heading string) (out answers) {
	t.Helper()
	_, text, ok := strings.Cut(text, "\n== "+heading)
	if !ok {
		t.Fatalf("no section %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n\n==")
	_, text, _ = strings.Cut(text, "\n\n")
	text = strings.TrimRight(text, "\n") + "\n"
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, " ") {
			out[len(out)-1][1] += line
			continue
		}
		what, answer, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		out = append(out, [2]string{what, strings.TrimSpace(answer)})
	}
	return out
}

var offsets = regexp.MustCompile(`(?m)^ *[0-9a-f]{4}  |\n`)

// digits returns the bytes of an answer, or nil if there are none.
func digits(answer string) []byte {
	b, err := hex.DecodeString(offsets.ReplaceAllString(answer, ""))
	if err != nil {
		return nil
	}
	return b
}

// description is what a report asks for the serial numbers.
const description = "10 0 0 0 0  device description (GVD)"

// askMonitor returns a camera's reply to a command.
func askMonitor(t testing.TB, c *d435i.Camera, op uint32, params ...uint32) ([]byte, error) {
	t.Helper()
	command := model.Command{Op: op}
	copy(command.Params[:], params)
	request, err := command.Encode()
	need.Must(t, err)
	set := d435i.Setup{RequestType: 0x21, Request: 1, Value: 0x0100, Index: 0x0300, Length: model.MonitorSize}
	if _, err := c.Control(set, request); err != nil {
		t.Fatal(err)
	}
	reply, err := c.Control(d435i.Setup{RequestType: 0xa1, Request: 0x81, Value: 0x0100, Index: 0x0300, Length: model.MonitorSize}, nil)
	need.Must(t, err)
	data, err := model.DecodeReply(op, reply)
	return bytes.Clone(data), err
}

// These match how many packets arrived, and one of the first.
var (
	packetCount = regexp.MustCompile(`^  (\d+) packets of (\d+) to (\d+) bytes(, [0-9.]+ per second)?\n`)
	packetLine  = regexp.MustCompile(`(?m)^  (\d+) (\d+):((?: [0-9a-f]+)?\n(?:  [0-9a-f]{4}  [0-9a-f]+\n?)*)`)
)

// TestReport compares a report with what the virtual camera has.
func TestReport(t *testing.T) { synctest.Test(t, testReport) }

func testReport(t *testing.T) {
	bus := newFakeBus(t)
	const payloads = 4
	text, summary, err := readReport(t.Context(), bus, ReportOptions{
		Payloads: payloads, By: "a test", Together: 300 * time.Millisecond, Kernel: func() (string, error) {
			return "[ 1.0] usb 2-1: new device\n[ 1.1] usb 2-1: SerialNumber: 847913070822\n[ 1.2] usb 2-1.4: another\n[ 1.3] uvcvideo 2-1:1.0: found\n", nil
		},
	})
	need.Must(t, err)
	cam := d435i.New(d435i.Options{Serial: serial, ASICSerial: asic}) // to be asked the same
	defer cam.Unplug()
	for _, want := range []string{
		"Intel RealSense D435I: a report by a test,", "\nproduct 0B3A, firmware 5.15.0.100, USB 3.2,",
		"\nendpoint of the status: 0x87\n", "\nendpoint of HID: 0x86\n", "\n  Laser Power: 150; 0 to 360, step 30, default 150\n",
		", 0 failed\nDepth_0 Z16 848x480@30 works\nInfrared_1 Y8 848x480@30 works\n", "\nGyro_0 MOTION_XYZ32F @200 works\n",
		"\n[ 1.0] usb 2-1: new device\n[ 1.3] uvcvideo",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q: %.500s", want, text)
		}
	}
	descriptors := section(t, text, "Descriptors")
	for _, d := range []struct {
		kind, index uint8
		where       uint16
	}{{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {3, 1, english}, {3, 3, english}, {3, 5, english}, {3, 6, english}, {3, 9, english}, {15, 0, 0}, {0x22, 0, 5}} {
		setup := d435i.Setup{RequestType: 0x80, Request: uvc.GetDescriptor, Value: uint16(d.kind)<<8 | uint16(d.index), Index: d.where, Length: 0xffff}
		want, err := cam.Control(setup, nil)
		if got := digits(descriptors.to(fmt.Sprintf("%02x %02x %04x", d.kind, d.index, d.where))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("descriptor %v: % x, want % x, %v", d, got, want, err)
		}
	}
	requests, probes := section(t, text, "Control requests"), section(t, text, "Probes")
	stalls, modes := 0, 0
	for _, pair := range probes {
		if strings.HasPrefix(pair[0], "a1 ") {
			requests = append(requests, pair)
		} else if modes++; len(digits(pair[1])) != 48 {
			t.Errorf("probe of %s: %s", pair[0], pair[1])
		}
	}
	for _, pair := range requests {
		what, answer := pair[0], pair[1]
		var q d435i.Setup
		if _, err := fmt.Sscanf(what, "%x %x %x %x %d", &q.RequestType, &q.Request, &q.Value, &q.Index, &q.Length); err != nil {
			t.Fatalf("%q: %v", what, err)
		}
		want, err := cam.Control(q, nil)
		if got := digits(answer); !bytes.Equal(got, want) || (err != nil) != (answer == "stall") {
			t.Errorf("%s: %s, want % x, %v", what, answer, want, err)
		}
		if err != nil {
			stalls++
		}
	}
	if len(requests) < 200 || stalls == 0 || modes < 150 {
		t.Errorf("%d requests, %d stalls, %d probes", len(requests), stalls, modes)
	}
	commands := section(t, text, "Hardware monitor")
	commands = append(commands, [2]string{description, section(t, text, "Camera and link").to(description)})
	for _, pair := range commands {
		what, answer := pair[0], pair[1]
		var op uint32
		var params [4]uint32
		if _, err := fmt.Sscanf(what, "%x %x %x %x %x", &op, &params[0], &params[1], &params[2], &params[3]); err != nil {
			t.Fatalf("%q: %v", what, err)
		}
		if op == model.OpReadRegister {
			continue
		}
		want, err := askMonitor(t, cam, op, params[:]...)
		refused := ""
		if refusal := (*model.Refusal)(nil); errors.As(err, &refusal) {
			refused = fmt.Sprintf("refused (%d)", refusal.Code)
		}
		table := op == model.OpGetCalibration || op == model.OpReadMotionTab
		if !bytes.Equal(digits(answer), want) || refused != "" && answer != refused || table && refused == "" && !strings.HasSuffix(what, ", checksum right") {
			t.Errorf("%s: %s; want %d bytes, %v", what, answer, len(want), err)
		}
	}
	streams := section(t, text, "Video streams")
	if len(streams) != 7 {
		t.Errorf("%d streams, want 7", len(streams))
	}
	for _, pair := range streams {
		what, answer := pair[0], pair[1]
		if m := packetCount.FindStringSubmatch(answer); m == nil || m[1] != fmt.Sprint(payloads) || m[4] == "" {
			t.Errorf("%s: %s", what, answer)
		}
		first := packetLine.FindAllStringSubmatch(answer, -1)
		if len(first) != payloads {
			t.Errorf("%s has %d payloads", what, len(first))
		}
		for i, p := range first {
			header := digits(strings.TrimSpace(p[3]))
			h, err := uvc.ParseHeader(header)
			if size, _ := strconv.Atoi(p[2]); err != nil || len(header) != h.Length || size <= h.Length {
				t.Errorf("payload %d of %s bytes: %v", i, p[2], err)
			}
		}
	}
	motion := section(t, text, "Inertial sensors")
	if len(motion) != 4 {
		t.Errorf("%d rates of inertial sensors, want 4", len(motion))
	}
	for _, pair := range motion {
		what, answer := pair[0], pair[1]
		first := packetLine.FindAllStringSubmatch(answer, -1)
		if len(first) != payloads {
			t.Errorf("%s: %s", what, answer)
			continue
		}
		if b := digits(strings.TrimSpace(first[0][3])); len(b) != model.ReportSize || !strings.HasPrefix(what, fmt.Sprintf("report %d at ", b[0])) {
			t.Errorf("%s: %x", what, b)
		}
	}
	if !strings.HasPrefix(summary, "Intel RealSense D435I, firmware 5.15.0.100, USB 3.2: ") || !strings.HasSuffix(summary, ", 0 failed") {
		t.Errorf("summary %q", summary)
	}
	for _, v := range []uint8{2, 3, 4, 6, 8, 0xb} { // nothing was set
		at := uvc.Control{Unit: 3, Selector: v}
		if got, want := bus.camera(0).ControlValue(at), cam.ControlValue(at); got != want {
			t.Errorf("control %d is %d, was %d", v, got, want)
		}
	}
}

// forms are the bytes of a serial number in a report: as they are, and as digits in ASCII and UTF-16.
func forms(serial [6]byte) (all [][]byte) {
	text := hex.EncodeToString(serial[:])
	for _, text := range []string{text, strings.ToUpper(text)} {
		all = append(all, []byte(text), []byte(wide(text)))
	}
	return append(all, serial[:])
}

func TestReportChecksum(t *testing.T) {
	c := reportCommand{"", model.Command{Op: model.OpGetCalibration, Params: [4]uint32{model.TableDepth}}}
	table := model.SealTable(make([]byte, 64), model.TableDepth)
	if got := c.checksum(table); got != ", checksum right" {
		t.Errorf("a table: %q", got)
	}
	table[40]++
	if got := c.checksum(table); got != ", checksum wrong" {
		t.Errorf("a damaged table: %q", got)
	}
}

func TestReportMask(t *testing.T) {
	letters := [6]byte{0xab, 0x39, 0x22, 0x07, 0xcd, 0x05}
	for name, serials := range map[string][2][6]byte{
		"digits":  {serial, asic},
		"letters": {letters, asic},
		"plain":   {{0, 0, 0, 0, 0, 3}, {0x11, 0x11, 0x11, 0x11, 0x11, 0x11}}, // masked in their places only
	} {
		t.Run(name, func(t *testing.T) {
			var text string
			synctest.Test(t, func(t *testing.T) {
				bus := newFakeBus(t, d435i.Options{Serial: serials[0], ASICSerial: serials[1]})
				var err error
				text, _, err = readReport(t.Context(), bus, ReportOptions{Payloads: 1, Together: 100 * time.Millisecond, Mask: true})
				need.Must(t, err)
			})
			gvd := digits(section(t, text, "Camera and link").to(description))
			if len(gvd) < model.GVDSize || !bytes.Equal(gvd[48:54], maskedSerials[0][:]) || !bytes.Equal(gvd[64:70], maskedSerials[1][:]) {
				t.Fatalf("device description % x", gvd)
			}
			if got := digits(section(t, text, "Descriptors").to("03 03 0409")); string(got) != "\x1a\x03"+wide("000000000002") {
				t.Errorf("string %q", got)
			}
			all := offsets.ReplaceAllString(text, "")
			for _, number := range serials {
				for _, form := range forms(number) {
					if name != "plain" && strings.Contains(all, hex.EncodeToString(form)) {
						t.Errorf("the report has the serial number %q", form)
					}
				}
			}
		})
	}
	r := &reporter{link: &link{}}
	gvd := make([]byte, model.GVDSize)
	copy(gvd[48:], letters[:])
	copy(gvd[64:], asic[:])
	r.mask(gvd)
	for i, number := range [][6]byte{letters, asic} {
		for j, form := range forms(number) {
			want := forms(maskedSerials[i])[j]
			if got := digits(r.dump(append(append([]byte("before"), form...), "after"...))[1:]); string(got) != "before"+string(want)+"after" {
				t.Errorf("%q is masked as %q", form, got)
			}
		}
	}
	if r.mask(gvd[:60]); !strings.Contains(r.text.String(), "no serial number is known") {
		t.Errorf("a short description: %q", r.text.String())
	}
}

// TestReportGoesOn checks that requests that fail don't end a report, and that a camera that goes does.
func TestReportGoesOn(t *testing.T) { synctest.Test(t, testReportGoesOn) }

func testReportGoesOn(t *testing.T) {
	bus := newFakeBus(t)
	broken := errors.New("broken")
	bus.hook(func(op string) error {
		for _, s := range []string{"control 21 01 0100 0300", "stream 82", "control 80 06 0f00", "control 21 09"} {
			if len(op) >= len(s) && op[:len(s)] == s {
				return broken
			}
		}
		return nil
	})
	text, _, err := readReport(t.Context(), bus, ReportOptions{Payloads: 1, Together: 100 * time.Millisecond})
	need.Must(t, err)
	commands, streams, motion := section(t, text, "Hardware monitor"), section(t, text, "Video streams"), section(t, text, "Inertial sensors")
	for _, pair := range slices.Concat(commands, streams, motion, answers{{"BOS", section(t, text, "Descriptors").to("0f 00 0000")}}) {
		what, answer := pair[0], pair[1]
		works := strings.HasPrefix(what, "interface ") && !strings.Contains(what, "endpoint 0x82 ")
		if works == strings.HasPrefix(answer, "failed: ") || !works && !strings.HasSuffix(answer, broken.Error()) {
			t.Errorf("%s: %s", what, answer)
		}
	}
	if !strings.Contains(text, "\nthe driver can't open the camera: ") {
		t.Errorf("the first lines don't say what failed: %.500s", text)
	}
	if len(commands) < 50 || len(streams) != 7 || len(motion) != 4 {
		t.Errorf("%d commands, %d streams, %d rates", len(commands), len(streams), len(motion))
	}
	bus.hook(func(op string) error {
		if op == "stream 83" {
			return camdriver.ErrUnplugged
		}
		return nil
	})
	if _, _, err := readReport(t.Context(), bus, ReportOptions{Payloads: 1, Together: 100 * time.Millisecond}); !errors.Is(err, camdriver.ErrUnplugged) {
		t.Errorf("report of a camera that went: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	bus.hook(func(op string) error {
		if op == "stream 84" {
			cancel()
		}
		return nil
	})
	if _, _, err := readReport(ctx, bus, ReportOptions{Payloads: 1, Together: 100 * time.Millisecond}); !errors.Is(err, context.Canceled) {
		t.Errorf("report that was canceled: %v", err)
	}
}

// TestReportVerdict checks what the first lines say of streams that fail or lose frames.
func TestReportVerdict(t *testing.T) { synctest.Test(t, testReportVerdict) }

func testReportVerdict(t *testing.T) {
	bus := newFakeBus(t)
	lossy := everySecond(func(_, _ []byte) []byte { return nil }).Payload
	bus.camera(0).Misbehave(d435i.Faults{Payload: func(endpoint uint8, b []byte) []byte {
		if endpoint == 0x86 {
			return nil
		}
		return lossy(endpoint, b)
	}})
	text, _, err := readReport(t.Context(), bus, ReportOptions{Payloads: 1, Together: 500 * time.Millisecond})
	need.Must(t, err)
	for _, want := range []string{"\nDepth_0 Z16 848x480@30 loses frames: ", "\nColor_0 RGB8 1280x720@30 works\n", "\nGyro_0 MOTION_XYZ32F @200 FAILED: no frame\n"} {
		if head, _, _ := strings.Cut(text, "\n=="); !strings.Contains(head, want) {
			t.Errorf("the first lines lack %q: %s", want, head)
		}
	}
}

func TestReportChoosesCamera(t *testing.T) { synctest.Test(t, testReportChoosesCamera) }

func testReportChoosesCamera(t *testing.T) {
	bus := newFakeBus(t, d435i.Options{}, d435i.Options{Product: 0x0ad4})
	if _, _, err := readReport(t.Context(), bus, ReportOptions{}); err == nil || errors.Is(err, camdriver.ErrNotFound) {
		t.Errorf("of two cameras: %v", err)
	}
	if _, _, err := readReport(t.Context(), bus, ReportOptions{Port: "3-1"}); !errors.Is(err, camdriver.ErrNotFound) {
		t.Errorf("at another port: %v", err)
	}
	text, _, err := readReport(t.Context(), bus, ReportOptions{Port: "2-2", Payloads: 1, Together: 100 * time.Millisecond})
	need.Must(t, err)
	if streams := section(t, text, "Video streams"); !strings.Contains(text, "\nproduct 0AD4,") || strings.Contains(text, "\nreport ") ||
		strings.Contains(text, "endpoint of HID") || len(streams) != 5 {
		t.Errorf("%d streams, %.1000s", len(streams), text)
	}
}
