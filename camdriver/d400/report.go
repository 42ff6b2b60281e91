package d400

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/report"
)

// ReportOptions are the options of Report.
type ReportOptions struct {
	Port string // of the camera; may be empty if there is only one
	// Payloads is how many payloads of each format, and input reports of each rate of the inertial sensors, are read: 100 if 0.
	Payloads int
	Log      zerolog.Logger
}

// reportTries is the number of tries of a request: a camera also stalls while it is busy. controlTries would take minutes,
// because a camera stalls every request that it doesn't support.
const reportTries = 2

func readReport(ctx context.Context, bus Bus, o ReportOptions) (*report.Report, error) {
	if o.Payloads == 0 {
		o.Payloads = 100
	}
	dev, p, err := o.find(ctx, bus)
	if err != nil {
		return nil, err
	}
	handle, err := bus.Open(dev)
	if err != nil {
		return nil, fmt.Errorf("%s at port %s: %w", p.name(), dev.Port, explain(err))
	}
	ctx, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	r := &reporter{link: &link{ctx: ctx, usb: dev, handle: handle}, lost: lost, options: o, out: &report.Report{Head: report.Head{
		Format: report.Format, Version: report.Version, Camera: p.name(),
		Product: fmt.Sprintf("%04X", p.id), USB: dev.speed(), Speed: dev.Speed, Notes: []string{},
	}}}
	r.all()
	err = handle.Close()
	if ctx.Err() != nil {
		return nil, errors.Join(context.Cause(ctx), err)
	}
	return r.out, err
}

// find returns the camera at the port, or the only one.
func (o ReportOptions) find(ctx context.Context, bus Bus) (found USBDevice, p product, err error) {
	plugged, err := bus.Scan(ctx)
	if err != nil {
		return found, p, fmt.Errorf("list USB devices: %w", err)
	}
	var ports []string
	for _, u := range plugged {
		known, ok := productOf(u.Product)
		if ok && !known.recovery && (o.Port == "" || o.Port == u.Port) {
			found, p, ports = u, known, append(ports, u.Port)
		}
	}
	switch {
	case ports == nil && o.Port != "":
		return found, p, fmt.Errorf("a RealSense D400 camera at port %s: %w", o.Port, camdriver.ErrNotFound)
	case ports == nil:
		return found, p, fmt.Errorf("a RealSense D400 camera: %w", camdriver.ErrNotFound)
	case len(ports) > 1:
		return found, p, fmt.Errorf("cameras at ports %q; choose one", ports)
	}
	return found, p, nil
}

// reporter fills a report.
type reporter struct {
	*link
	lost    context.CancelCauseFunc
	options ReportOptions
	out     *report.Report
	chip    uint8 // the accelerometer's
}

// all reads all parts of the report until the camera is gone.
func (r *reporter) all() {
	for _, step := range []func(){
		r.descriptors, r.commands, r.unitControls, r.probes, r.videoStreams, r.motionStreams,
	} {
		if r.ctx.Err() == nil {
			step()
		}
	}
}

// failed returns the text of err for the report. If the camera is gone, it ends the report.
func (r *reporter) failed(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, camdriver.ErrUnplugged):
		r.lost(err)
	case errors.Is(err, ErrStall):
		return report.Stall
	}
	return err.Error()
}

// descriptor reads a descriptor of at most size bytes. where is the language or interface.
func (r *reporter) descriptor(kind, index uint8, where uint16, size int) []byte {
	requestType := uint8(standardIn)
	if kind == report.KindHIDReport {
		requestType |= 1 // of an interface
	}
	b := make([]byte, size)
	n, err := r.control(reportTries, requestType, getDescriptor, uint16(kind)<<8|uint16(index), where, b)
	if err != nil {
		r.out.Note("descriptor %d, %d, %#x: %s", kind, index, where, r.failed(err))
		return nil
	}
	r.out.Descriptors = append(r.out.Descriptors, report.Descriptor{Kind: kind, Index: index, Where: where, Data: b[:n]})
	return b[:n]
}

const english = 0x0409

// descriptors reads all descriptors, and finds the camera's functions.
func (r *reporter) descriptors() {
	named := map[uint8]bool{}
	if d := r.descriptor(report.KindDevice, 0, 0, 18); len(d) == 18 {
		named[d[14]], named[d[15]], named[d[16]] = true, true, true
	}
	raw, err := r.readConfiguration()
	if err == nil {
		r.out.Descriptors = append(r.out.Descriptors, report.Descriptor{Kind: report.KindConfiguration, Data: raw})
		err = r.describe(raw)
	}
	if err != nil {
		r.out.Note("configuration: %s", r.failed(err))
	}
	const bosHead = 5
	head := make([]byte, bosHead)
	if n, err := r.control(reportTries, standardIn, getDescriptor, report.KindBOS<<8, 0, head); err == nil && n == bosHead {
		r.descriptor(report.KindBOS, 0, 0, int(binary.LittleEndian.Uint16(head[2:])))
	} else if err != nil {
		r.out.Note("BOS descriptor: %s", r.failed(err))
	}
	for d := range report.Parts(raw) {
		const descAssociation = 11
		switch {
		case d[1] == descConfig && len(d) >= 9:
			named[d[6]] = true
		case d[1] == descAssociation && len(d) >= 8:
			named[d[7]] = true
		case d[1] == descInterface && len(d) >= 9:
			named[d[8]] = true
		}
	}
	delete(named, 0)
	r.descriptor(report.KindString, 0, 0, 255)
	for index := range 256 {
		if named[uint8(index)] {
			r.descriptor(report.KindString, uint8(index), english, 255)
		}
	}
	r.hidDescriptor(raw)
	if r.depth != nil {
		r.out.Status = r.depth.Status.Address
	}
}

// hidDescriptor reads the report descriptor, whose length is in the configuration.
func (r *reporter) hidDescriptor(raw []byte) {
	if r.hid == nil {
		return
	}
	r.out.HID = r.hid.Endpoint
	size := 0
	for d := range report.Parts(raw) {
		if d[1] == descHID && len(d) >= 9 {
			size = int(binary.LittleEndian.Uint16(d[7:]))
		}
	}
	r.descriptor(report.KindHIDReport, 0, uint16(r.hid.Interface), max(size, 1))
}

// reportCommand is a command that reads.
type reportCommand struct {
	what   string
	op     uint32
	params [4]uint32
}

// reportCommands are the reading commands that the driver and the SDK use. The firmware's log isn't among them, because reading
// empties it.
func reportCommands() []reportCommand {
	list := []reportCommand{
		{"device description (GVD)", model.OpGVD, [4]uint32{}},
		{"device clock", model.OpReadRegister, [4]uint32{clockRegister, clockRegister + 4}},
	}
	for _, table := range []uint32{model.TableDepth, 31, model.TableColor, 33, 34, 35, 36} {
		list = append(list, reportCommand{fmt.Sprintf("calibration table %d", table), model.OpGetCalibration, [4]uint32{table}})
	}
	list = append(list,
		reportCommand{"calibration of the motion module", model.OpReadMotionTab, [4]uint32{imuTable, imuBytes}},
		reportCommand{"depth intrinsics of each mode", model.OpIntrinsics, [4]uint32{}},
		reportCommand{"advanced mode", model.OpAdvancedOn, [4]uint32{}})
	const groups = 13
	for group := range uint32(groups) {
		for which, name := range []string{"values", "minima", "maxima"} {
			list = append(list, reportCommand{fmt.Sprintf("%s of group %d of advanced mode", name, group), model.OpGetAdvanced, [4]uint32{group, uint32(which)}})
		}
	}
	return append(list,
		reportCommand{"region of auto exposure, stereo", model.OpSetROI + 1, [4]uint32{}},
		reportCommand{"region of auto exposure, colour", model.OpSetColorROI + 1, [4]uint32{}},
		reportCommand{"synchronization of cameras", model.OpGetSyncMode, [4]uint32{}},
		reportCommand{"sub-preset", model.OpGetSubPreset, [4]uint32{}},
		reportCommand{"id of the sub-preset", model.OpSubPresetID, [4]uint32{}},
		reportCommand{"emitter always on", model.OpLaserAlwaysOn, [4]uint32{2}},
		reportCommand{"limits of exposure and gain", model.OpGetLimits, [4]uint32{}})
}

// commands asks the hardware monitor.
func (r *reporter) commands() {
	if r.depth == nil {
		return
	}
	for _, c := range reportCommands() {
		b, err := r.command(c.op, nil, c.params[:]...)
		reply := report.Command{Op: c.op, Params: c.params, What: c.what, Data: slices.Clone(b)}
		var refusal *model.Refusal
		if errors.As(err, &refusal) && refusal.Code < 0 {
			reply.Code = refusal.Code
		} else {
			reply.Error = r.failed(err)
		}
		if reply.Table() && len(b) > 0 {
			reply.CRC = report.Checksum(b)
		}
		r.out.Commands = append(r.out.Commands, reply)
		if r.ctx.Err() != nil {
			return
		}
		if id, err := parseGVD(b); c.op == model.OpGVD && err == nil {
			r.out.Firmware, r.chip = id.Firmware.String(), id.AccelChip
		}
	}
}

// request asks for data of a class.
func (r *reporter) request(what string, request uint8, value, index uint16, length int) []byte {
	b := make([]byte, length)
	n, err := r.control(reportTries, requestIn, request, value, index, b)
	r.out.Requests = append(r.out.Requests, report.Request{
		Type: requestIn, Request: request, Value: value, Index: index, Length: uint16(length),
		What: what, Answer: b[:n], Error: r.failed(err),
	})
	if err != nil {
		return nil
	}
	return b[:n]
}

// The selectors of the bits of a camera terminal's and a processing unit's bit maps (UVC 1.5, sections 3.7.2.3 and 3.7.2.5).
var unitSelectors = [2][]uint8{
	{1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 0, 0, 8, 17, 18, 19, 20},
	{2, 3, 6, 7, 8, 9, 10, 12, 1, 4, 5, 16, 11, 13, 14, 15, 17, 18, 19},
}

// lastXU is the last selector of the depth function's extension unit that the driver knows.
const lastXU = xuSync

// unitControls asks for all controls of all units that a bit map names or that the driver knows.
func (r *reporter) unitControls() {
	if r.cfg == nil {
		return
	}
	for _, f := range r.cfg.Video {
		const errorCode = 2
		r.request(fmt.Sprintf("interface %d: last error", f.Interface), reqGetCur, errorCode<<8, uint16(f.Interface), 1)
		for i, unit := range []uint8{f.Camera, f.Processing} {
			if unit == 0 {
				continue
			}
			for bit, selector := range unitSelectors[i] {
				if selector > 0 && bit/8 < len(f.Controls[i]) && f.Controls[i][bit/8]>>(bit%8)&1 != 0 {
					r.unitControl(control{f.Interface, unit, selector}, false)
				}
			}
		}
		for _, u := range f.Extensions {
			for selector := range 256 {
				bit := selector - 1
				listed := bit >= 0 && bit/8 < len(u.Controls) && u.Controls[bit/8]>>(bit%8)&1 != 0
				if listed || u.GUID == model.DepthUnit && selector > 0 && selector <= lastXU {
					r.unitControl(control{f.Interface, u.ID, uint8(selector)}, true)
				}
			}
		}
	}
	if r.hid != nil {
		for id := range uint16(3) {
			r.request(fmt.Sprintf("HID feature report %d", id+1), hidGetReport, hidFeature|(id+1), uint16(r.hid.Interface), featureSize)
		}
	}
}

// unitControl asks for a control's attributes. The SDK asks for four bytes at least, except for values of extension units.
func (r *reporter) unitControl(c control, extension bool) {
	if r.ctx.Err() != nil {
		return
	}
	name := func(request string) string {
		return fmt.Sprintf("interface %d unit %d selector %#x %s", c.iface, c.unit, c.selector, request)
	}
	const most = 4
	size := most
	if b := r.request(name("GET_LEN"), reqGetLen, c.value(), c.index(), most); len(b) >= 2 {
		size = int(binary.LittleEndian.Uint16(b))
	}
	r.request(name("GET_INFO"), reqGetInfo, c.value(), c.index(), 1)
	for _, get := range []struct {
		name    string
		request uint8
	}{{"GET_CUR", reqGetCur}, {"GET_MIN", reqGetMin}, {"GET_MAX", reqGetMax}, {"GET_RES", reqGetRes}, {"GET_DEF", reqGetDef}} {
		length := max(size, most)
		if get.request == reqGetCur && extension {
			if length = max(size, 1); r.depth != nil && c == r.depthXU(xuHardwareMonitor) {
				continue // the reply to the last command
			}
		}
		r.request(name(get.name), get.request, c.value(), c.index(), length)
	}
}
