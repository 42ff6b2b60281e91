package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/ros"
)

// service is one service that a node offers.
type service struct {
	name, typ string
	serve     func(req []byte) (msgs.Message, error) // a nil message is an empty response
}

// offered are running services.
type offered []*ros.ServiceServer

func (o offered) close() {
	for _, s := range o {
		s.Close()
	}
}

// offer advertises services; if one fails, none is left.
func offer(n *ros.Node, list []service) (offered, error) {
	var out offered
	for _, s := range list {
		server, err := n.AdvertiseService(s.name, msgs.MustService(s.typ), func(_ context.Context, req []byte) ([]byte, error) {
			m, err := s.serve(req)
			if err != nil || m == nil {
				return nil, err
			}
			return msgs.Marshal(m), nil
		})
		if err != nil {
			out.close()
			return nil, fmt.Errorf("offer %s: %w", s.name, err)
		}
		out = append(out, server)
	}
	return out, nil
}

// services are what a live node can be asked for with stock tools.
func (l *LiveNode) services() []service {
	return []service{
		{"~start_recording", "std_srvs/Trigger", trigger(l.startRecording)},
		{"~stop_recording", "std_srvs/Trigger", trigger(l.stopRecording)},
		{"~pause_recording", "std_srvs/SetBool", setBool(l.pauseRecording)},
		{"~split_recording", "std_srvs/Trigger", trigger(l.splitRecording)},
		{"~enable", "std_srvs/SetBool", setBool(l.enable)},
		{"~device_info", "realsense2_camera/DeviceInfo", func([]byte) (msgs.Message, error) { return l.deviceInfo(), nil }},
		{"~reset", "std_srvs/Empty", func([]byte) (msgs.Message, error) { return nil, l.device.Reset() }},
	}
}

// trigger serves a std_srvs/Trigger: what do says, or its error as a refusal.
func trigger(do func() (string, error)) func([]byte) (msgs.Message, error) {
	return func([]byte) (msgs.Message, error) { return result(do()), nil }
}

// setBool serves a std_srvs/SetBool likewise.
func setBool(do func(bool) (string, error)) func([]byte) (msgs.Message, error) {
	return func(req []byte) (msgs.Message, error) {
		var m msgs.Bool
		if err := msgs.Unmarshal(req, &m); err != nil {
			return nil, err
		}
		return result(do(m.Data)), nil
	}
}

func result(text string, err error) *msgs.Result {
	if err != nil {
		return &msgs.Result{Success: false, Message: err.Error()}
	}
	return &msgs.Result{Success: true, Message: text}
}

func (l *LiveNode) startRecording() (string, error) {
	path, err := l.records.start("")
	if err != nil {
		return "", err
	}
	return "recording into " + path, nil
}

func (l *LiveNode) stopRecording() (string, error) {
	summary, err := l.records.stop()
	if err != nil {
		return "", err
	}
	return summary.String(), nil
}

func (l *LiveNode) pauseRecording(pause bool) (string, error) {
	if err := l.records.pause(pause); err != nil {
		return "", err
	}
	if pause {
		return "recording is paused", nil
	}
	return "recording goes on", nil
}

func (l *LiveNode) splitRecording() (string, error) {
	if err := l.records.split(); err != nil {
		return "", err
	}
	return "the next frame begins a new file", nil
}

// streamSwitch starts and stops the streams for ~enable.
type streamSwitch struct {
	mu    sync.Mutex
	knows [][]camdriver.Option // by sensor: what the hub knows, while stopped
}

// enable starts or stops the streams; topics stay. A stopped sensor raises no
// option's change, so those of that time are raised before its next frame.
func (l *LiveNode) enable(on bool) (string, error) {
	s := &l.streams
	s.mu.Lock()
	defer s.mu.Unlock()
	sensors := l.device.Sensors()
	if !on {
		if s.knows == nil {
			for _, sensor := range sensors {
				s.knows = append(s.knows, sensor.Options())
			}
		}
		return "streams stopped", stopSensors(l.device)
	}
	for i, known := range s.knows {
		for _, o := range sensors[i].Options() {
			if !slices.ContainsFunc(known, func(k camdriver.Option) bool { return k.ID == o.ID && k.Value == o.Value }) {
				l.hub.OptionChanged(i, o.ID, o.Value)
			}
		}
	}
	s.knows = nil
	if err := startSensors(l.device, l.profiles, l.hub); err != nil && !errors.Is(err, camdriver.ErrBusy) {
		return "", err
	}
	return "streams started", nil
}

func (l *LiveNode) deviceInfo() *msgs.DeviceInfo {
	info := l.device.Info()
	var sensors []string
	for _, s := range l.device.Sensors() {
		sensors = append(sensors, s.Name())
	}
	return &msgs.DeviceInfo{
		DeviceName:        camdriver.Find(info, camdriver.InfoName),
		SerialNumber:      camdriver.Find(info, camdriver.InfoSerialNumber),
		FirmwareVersion:   camdriver.Find(info, camdriver.InfoFirmwareVersion),
		USBTypeDescriptor: camdriver.Find(info, camdriver.InfoUsbTypeDescriptor),
		FirmwareUpdateID:  camdriver.Find(info, camdriver.InfoFirmwareUpdateId),
		Sensors:           strings.Join(sensors, ","),
	}
}
