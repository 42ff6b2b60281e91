package d400

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/usb"
	"rsros/camdriver/uvc"
)

// ReportOptions are the options of Report.
type ReportOptions struct {
	Port string // of the camera; may be empty if there is only one
	By   string // the program and its operating system, as the report names them
	Mask bool   // replace the serial numbers
	// Payloads is how many payloads of each format, and input reports of each rate of the inertial sensors, are read: 100
	// if 0.
	Payloads int
	Together time.Duration // for which all default profiles stream at once: 10 s if 0
	// Kernel, if not nil, returns the kernel's log.
	Kernel func() (string, error)
	Log    zerolog.Logger
}

// reportTries is the number of tries of a request: a camera also stalls while it is busy. controlTries would take
// minutes, because a camera stalls every request that it doesn't support.
const reportTries = 2

// Report reads a camera's descriptors, controls, calibration and first frames, and returns them as text with a summary
// of one line. It changes no setting and writes nothing that the camera keeps: it probes all profiles, and streams one
// of each format and each rate of the inertial sensors, and then the default profiles together, as live does. The first
// lines say what worked. A request that fails is part of the report. An error means that there is no report, because
// the camera couldn't be opened or has gone, or ctx is done.
func Report(ctx context.Context, o ReportOptions) (text, summary string, err error) {
	if !usb.Available {
		return "", "", usb.ErrNoUSB
	}
	return readReport(ctx, system(), o)
}

func readReport(ctx context.Context, bus usb.Bus, o ReportOptions) (text, summary string, err error) {
	o.Payloads, o.Together = cmp.Or(o.Payloads, 100), cmp.Or(o.Together, 10*time.Second)
	dev, err := o.find(ctx, bus)
	if err != nil {
		return "", "", err
	}
	name := dev.product.Name()
	l, err := openLink(ctx, bus, dev.Device)
	if err != nil {
		return "", "", fmt.Errorf("%s at port %s: %w", name, dev.Port, explain(err))
	}
	r := &reporter{link: l, bus: bus, product: dev.product, caller: ctx, options: o,
		masks: strings.NewReplacer(), closed: l.close}
	for _, part := range []struct {
		heading string
		read    func()
	}{
		{"Camera and link", r.identity},
		{"Descriptors: type, index, language or interface", r.descriptors},
		{"Hardware monitor: command, parameters", r.commands},
		{"Control requests: type, request, value, index, length", r.unitControls},
		{"Probes", r.probes},
		{"Video streams: time of arrival in µs, bytes of the payload, its header", r.videoStreams},
		{"Inertial sensors: time of arrival in µs, bytes, input report", r.motionStreams},
		{"Options, and all default profiles at once", r.together},
		{"The kernel's log of the port", r.kernelLog},
	} {
		if r.ctx.Err() == nil {
			r.print("\n== %s ==\n\n", part.heading)
			part.read()
		}
	}
	ended := cmp.Or(context.Cause(r.ctx), context.Cause(ctx))
	if err = r.closed(); ended != nil {
		return "", "", errors.Join(ended, err)
	}
	name = dev.product.As(r.id).Name()
	summary = fmt.Sprintf("%s, firmware %s, USB %s: %d answers, %d refused, %d failed", name, r.id.Firmware, dev.Version(),
		r.answers, r.refused, r.failed)
	serials := "with serial numbers; --mask-serials masks them"
	if o.Mask {
		serials = "serial numbers are masked"
	}
	head := fmt.Sprintf("%s: a report by %s, without images, %s. docs/usb.md of rs-ros-node describes it.\n\n%s\n%s\n",
		name, o.By, serials, summary, strings.Join(r.outcome, "\n"))
	return head + r.text.String(), summary, err
}

// find returns the camera at the port, or the only one.
func (o ReportOptions) find(ctx context.Context, bus usb.Bus) (found plugged, err error) {
	all, err := cameras(ctx, bus)
	if err != nil {
		return found, err
	}
	all = slices.DeleteFunc(all,
		func(u plugged) bool { return undrivable(u.product) != nil || o.Port != "" && o.Port != u.Port })
	var ports []string
	for _, u := range all {
		ports = append(ports, u.Port)
	}
	switch {
	case ports == nil && o.Port != "":
		return found, fmt.Errorf("a RealSense D400 camera at port %s: %w", o.Port, camdriver.ErrNotFound)
	case ports == nil:
		return found, fmt.Errorf("a RealSense D400 camera: %w", camdriver.ErrNotFound)
	case len(all) > 1:
		return found, fmt.Errorf("cameras at ports %q; choose one", ports)
	}
	return all[0], nil
}

// reporter writes a report.
type reporter struct {
	*link
	bus     usb.Bus
	product model.Product
	caller  context.Context
	closed  func() error // closes the link
	options ReportOptions
	masks   *strings.Replacer // of the serial numbers' hexadecimal digits
	text    strings.Builder

	answers, refused, failed int
	outcome                  []string // of the streams, for the first lines
}

func (r *reporter) print(format string, args ...any) { fmt.Fprintf(&r.text, format, args...) }

// answer writes a request with the camera's answer or the error, and returns the answer. If the camera is gone, it ends
// the report.
func (r *reporter) answer(what string, b []byte, err error) []byte {
	var refusal *model.Refusal
	switch {
	case err == nil:
		r.answers++
		r.print("%s:%s\n", what, r.dump(b))
		return b
	case errors.Is(r.note(err), camdriver.ErrUnplugged): // which fails
	case errors.Is(err, usb.ErrStall):
		r.refused++
		r.print("%s: stall\n", what)
		return nil
	case errors.As(err, &refusal) && refusal.Code < 0:
		r.refused++
		r.print("%s: refused (%d)\n", what, refusal.Code)
		return nil
	}
	r.failed++
	r.print("%s: failed: %v\n", what, err)
	return nil
}

// dump returns hexadecimal digits with the serial numbers masked, in lines with offsets if they are many.
func (r *reporter) dump(b []byte) string {
	const most, row = 64, 32
	digits := r.masks.Replace(hex.EncodeToString(b))
	if len(b) <= most {
		return " " + digits
	}
	var lines strings.Builder
	for at := 0; at < len(b); at += row {
		fmt.Fprintf(&lines, "\n  %04x  %s", at, digits[2*at:min(2*at+2*row, len(digits))])
	}
	return lines.String()
}

// identity names the camera, and finds its functions and serial numbers.
func (r *reporter) identity() {
	raw, err := r.readConfiguration()
	if err == nil {
		err = r.describe(raw)
	}
	if err != nil {
		r.answer("functions", nil, err)
	}
	if r.depth != nil {
		b, err := r.command(model.OpGVD, nil)
		if id, err := model.ParseGVD(b); err == nil {
			r.id = id
		}
		if r.options.Mask {
			b = r.mask(b)
		}
		r.answer(reportCommand{"device description (GVD)", model.Command{Op: model.OpGVD}}.String(), b, err)
		r.print("endpoint of the status: %#x\n", r.depth.Status.Address)
	}
	if r.hid != nil {
		r.print("endpoint of HID: %#x\n", r.hid.Endpoint)
	}
	r.print("product %04X, firmware %s, USB %s, speed %s\n", r.usb.Product, r.id.Firmware, r.usb.Version(), r.usb.Speed)
}

// mask has the serial numbers of a device description replaced by 000000000001 and 000000000002 in all answers: as
// bytes, and as digits in ASCII and UTF-16. It returns the description without them.
func (r *reporter) mask(description []byte) []byte {
	if len(description) < model.GVDASICSerial+len(model.SerialNumber{}) {
		r.print("no serial number is known, so none is masked except for the USB string\n")
		return nil
	}
	const plain = 3 // the minimum number of different bytes by which a serial number is distinguished from other data
	description = slices.Clone(description)
	var pairs []string
	for i, at := range []int{model.GVDSerial, model.GVDASICSerial} {
		serial := description[at:][:len(maskedSerials[i])]
		old, masked := hex.EncodeToString(serial), maskedSerials[i].String()
		if len(slices.Compact(slices.Sorted(slices.Values(serial)))) >= plain {
			pairs = append(pairs, old, masked)
			for _, text := range []string{old, strings.ToUpper(old)} {
				pairs = append(pairs, fmt.Sprintf("%x", text), fmt.Sprintf("%x", masked), fmt.Sprintf("%x", wide(text)),
					fmt.Sprintf("%x", wide(masked)))
			}
		}
		copy(serial, maskedSerials[i][:])
	}
	r.masks = strings.NewReplacer(pairs...)
	return description
}

// maskedSerials replace the serial numbers of the camera and of its ASIC.
var maskedSerials = [2]model.SerialNumber{{0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 2}}

// wide returns digits in UTF-16, as in USB's string descriptors.
func wide(digits string) string { return strings.Join(strings.Split(digits, ""), "\x00") + "\x00" }

// descriptor reads a descriptor of at most size bytes. where is the language or interface.
func (r *reporter) descriptor(kind, index uint8, where uint16, size int) []byte {
	requestType := uint8(uvc.StandardIn)
	if kind == uvc.DescHIDReport {
		requestType |= 1 // of an interface
	}
	b := make([]byte, size)
	n, err := r.control(reportTries, requestType, uvc.GetDescriptor, uint16(kind)<<8|uint16(index), where, b)
	return r.answer(fmt.Sprintf("%02x %02x %04x", kind, index, where), b[:n], err)
}

const english = 0x0409

// descriptors reads all descriptors.
func (r *reporter) descriptors() {
	named := slices.Clone(r.cfg.Strings)
	var serial uint8 // index of its string
	if d := r.descriptor(uvc.DescDevice, 0, 0, 18); len(d) == 18 {
		serial = d[16]
		named = append(named, d[14:17]...)
	}
	raw, err := r.readConfiguration()
	r.answer("02 00 0000", raw, err)
	r.descriptor(uvc.DescBOS, 0, 0, 1024)
	r.descriptor(uvc.DescString, 0, 0, 255)
	for _, index := range slices.Compact(slices.Sorted(slices.Values(named))) {
		switch {
		case index == 0: // no string
		case index == serial && r.options.Mask:
			r.answer(fmt.Sprintf("%02x %02x %04x", uvc.DescString, index, english),
				[]byte("\x1a\x03"+wide(maskedSerials[1].String())), nil)
		default:
			r.descriptor(uvc.DescString, index, english, 255)
		}
	}
	if r.hid != nil {
		r.descriptor(uvc.DescHIDReport, 0, uint16(r.hid.Interface), max(r.hid.Report, 1))
	}
}

// reportCommand is a command that reads.
type reportCommand struct {
	what string
	model.Command
}

func (c reportCommand) String() string {
	return fmt.Sprintf("%02x %x %x %x %x  %s", c.Op, c.Params[0], c.Params[1], c.Params[2], c.Params[3], c.what)
}

// checksum tells whether the checksum of a calibration table in the reply is right.
func (c reportCommand) checksum(reply []byte) string {
	table := c.Params[0]
	switch c.Op {
	case model.OpReadMotionTab:
		table = model.TableEEPROM
	case model.OpGetCalibration:
	default:
		return ""
	}
	if _, err := model.CheckTable(uint16(table), reply, 0); err != nil {
		return ", checksum wrong"
	}
	return ", checksum right"
}

// reportCommands are the reading commands that the driver and the SDK use, without that of the device description. The
// firmware's log isn't among them, because reading empties it.
func reportCommands() (list []reportCommand) {
	add := func(what string, op uint32, params ...uint32) {
		c := reportCommand{what, model.Command{Op: op}}
		copy(c.Params[:], params)
		list = append(list, c)
	}
	add("device clock", model.OpReadRegister, model.ClockRegister, model.ClockRegister+4)
	for _, table := range []uint32{model.TableDepth, 31, model.TableColor, 33, 34, 35, 36} {
		add(fmt.Sprintf("calibration table %d", table), model.OpGetCalibration, table)
	}
	add("calibration of the motion module", model.OpReadMotionTab, model.MotionTableID, model.MotionTableSize)
	add("depth intrinsics of each mode", model.OpIntrinsics)
	add("advanced mode", model.OpAdvancedOn)
	const groups = 13
	for group := range uint32(groups) {
		for which, name := range []string{"values", "minima", "maxima"} {
			add(fmt.Sprintf("%s of group %d of advanced mode", name, group), model.OpGetAdvanced, group, uint32(which))
		}
	}
	add("region of auto exposure, stereo", model.OpGetROI)
	add("region of auto exposure, colour", model.OpGetColorROI)
	add("synchronization of cameras", model.OpGetSyncMode)
	add("sub-preset", model.OpGetSubPreset)
	add("id of the sub-preset", model.OpSubPresetID)
	add("emitter always on", model.OpLaserAlwaysOn, 2)
	add("limits of exposure and gain", model.OpGetLimits)
	return list
}

// commands asks the hardware monitor.
func (r *reporter) commands() {
	if r.depth == nil {
		return
	}
	for _, c := range reportCommands() {
		if r.ctx.Err() != nil {
			return
		}
		b, err := r.command(c.Op, nil, c.Params[:]...)
		what := c.String()
		if err == nil {
			what += c.checksum(b)
		}
		r.answer(what, b, err)
	}
}

// request asks for data of a class.
func (r *reporter) request(what string, request uint8, value, index uint16, length int) []byte {
	b := make([]byte, length)
	n, err := r.control(reportTries, uvc.RequestIn, request, value, index, b)
	return r.answer(fmt.Sprintf("%02x %02x %04x %04x %d  %s", uvc.RequestIn, request, value, index, length, what),
		b[:n], err)
}

// unitControls asks for all controls of all units that a bit map names or that the driver knows.
func (r *reporter) unitControls() {
	for _, f := range r.cfg.Video {
		r.request(fmt.Sprintf("interface %d last error", f.Interface), uvc.GetCur,
			uvc.RequestErrorCode<<8, uint16(f.Interface), 1)
		for _, u := range f.Units {
			selectors := slices.Clone(u.Selectors)
			for known := uint8(1); u.GUID == model.DepthUnit && known <= model.XULast; known++ {
				selectors = append(selectors, known)
			}
			if u.GUID == model.DepthUnit {
				slices.Sort(selectors)
			}
			for _, selector := range slices.Compact(selectors) {
				r.unitControl(uvc.Control{Interface: f.Interface, Unit: u.ID, Selector: selector}, u.GUID != [16]byte{})
			}
		}
	}
	if r.hid != nil {
		for id := range uint16(3) {
			r.request(fmt.Sprintf("HID feature report %d", id+1), uvc.HIDGetReport, uvc.HIDFeature|(id+1),
				uint16(r.hid.Interface), model.FeatureSize)
		}
	}
}

// attributes are the requests for a control.
var attributes = []struct {
	name    string
	request uint8
}{
	{"GET_LEN", uvc.GetLen}, {"GET_INFO", uvc.GetInfo}, {"GET_CUR", uvc.GetCur},
	{"GET_MIN", uvc.GetMin}, {"GET_MAX", uvc.GetMax},
	{"GET_RES", uvc.GetRes}, {"GET_DEF", uvc.GetDef},
}

// unitControl asks for a control's attributes. The SDK asks for four bytes at least, except for values of extension
// units.
func (r *reporter) unitControl(c uvc.Control, extension bool) {
	if r.ctx.Err() != nil {
		return
	}
	const most = 4
	size := most
	for _, get := range attributes {
		length := max(size, most)
		switch {
		case get.request == uvc.GetInfo:
			length = 1
		case get.request == uvc.GetCur && r.depth != nil && c == r.depthXU(model.XUHardwareMonitor):
			continue // the reply to the last command
		case get.request == uvc.GetCur && extension:
			length = max(size, 1)
		}
		b := r.request(c.String()+" "+get.name, get.request, c.Value(), c.Index(), length)
		if get.request == uvc.GetLen && len(b) >= 2 {
			size = int(binary.LittleEndian.Uint16(b))
		}
	}
}
