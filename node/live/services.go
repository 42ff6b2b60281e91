package live

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"rsros/camdriver"
	"rsros/camdriver/sim"
	"rsros/msgs"
	"rsros/node/graph"
)

// services are the services of a live node.
func (c *camera) services() []graph.Service {
	list := []graph.Service{
		graph.Trigger("~start_recording", c.startRecording),
		graph.Trigger("~stop_recording", c.stopRecording),
		graph.SetBool("~pause_recording", c.pauseRecording),
		graph.Trigger("~split_recording", c.splitRecording),
		graph.SetBool("~enable", c.enable),
		graph.NewService("~device_info", "realsense2_camera/DeviceInfo", func([]byte) (msgs.Message, error) { return c.deviceInfo(), nil }),
		graph.NewService("~reset", "std_srvs/Empty", func([]byte) (msgs.Message, error) { return nil, c.device.Reset() }),
	}
	own, err := c.node.Resolve("~enable")
	wrapper := c.opts.Camera + "/enable" // realsense2_camera's name
	if name, err2 := c.node.Resolve(wrapper); err == nil && err2 == nil && name != own {
		list = append(list, graph.SetBool(wrapper, c.enable))
	}
	if dev, ok := c.device.(*sim.Device); ok {
		list = append(list, graph.SetBool("~plug", func(in bool) (string, error) { return plug(dev, in) }))
	}
	return list
}

// plug pulls the cable of a simulated camera, or plugs it in, so that other
// programs can be tried against a camera that goes and comes back.
func plug(dev *sim.Device, in bool) (string, error) {
	if in {
		return "plugged in", dev.Replug()
	}
	return "unplugged", dev.Unplug()
}

func (c *camera) startRecording() (string, error) {
	path, err := c.records.Start("")
	if err != nil {
		return "", err
	}
	return "recording into " + path, nil
}

func (c *camera) stopRecording() (string, error) {
	summary, err := c.records.Stop()
	if err != nil {
		return "", err
	}
	return summary.String(), nil
}

func (c *camera) pauseRecording(pause bool) (string, error) {
	if err := c.records.Pause(pause); err != nil {
		return "", err
	}
	if pause {
		return "recording is paused", nil
	}
	return "recording goes on", nil
}

func (c *camera) splitRecording() (string, error) {
	if err := c.records.Split(); err != nil {
		return "", err
	}
	return "the next frame begins a new file", nil
}

// streamSwitch starts and stops the streams for ~enable.
type streamSwitch struct {
	mu    sync.Mutex
	knows [][]camdriver.Option // while stopped: the options known to the hub, by sensor
}

// enable starts or stops the streams. The topics stay advertised. A stopped sensor
// doesn't report option changes, so enable reports them before the next frame.
func (c *camera) enable(on bool) (string, error) {
	s := &c.streams
	s.mu.Lock()
	defer s.mu.Unlock()
	sensors := c.device.Sensors()
	if !on {
		if s.knows == nil {
			for _, sensor := range sensors {
				s.knows = append(s.knows, sensor.Options())
			}
		}
		return "streams stopped", stopSensors(c.device)
	}
	if s.knows == nil {
		return "streams are running already", nil
	}
	for i, known := range s.knows {
		for _, o := range sensors[i].Options() {
			if !slices.ContainsFunc(known, func(k camdriver.Option) bool { return k.ID == o.ID && k.Value == o.Value }) {
				c.hub.OptionChanged(i, o.ID, o.Value)
			}
		}
	}
	if err := startSensors(c.device, c.profiles, c.hub); err != nil && !errors.Is(err, camdriver.ErrBusy) {
		return "", err
	}
	s.knows = nil
	return "streams started", nil
}

func (c *camera) deviceInfo() *msgs.DeviceInfo {
	info := c.device.Info()
	var sensors []string
	for _, s := range c.device.Sensors() {
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
