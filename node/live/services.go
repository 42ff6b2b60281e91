package live

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"rsros/camdriver"
	"rsros/camdriver/playback"
	"rsros/camdriver/sim"
	"rsros/msgs"
	"rsros/node/graph"
)

// services are the services of a camera. The names of realsense2_camera and of players
// are left to another node that has them.
func (c *camera) services() []graph.Service {
	list := []graph.Service{
		graph.Trigger(c.private("start_recording"), c.startRecording),
		graph.Trigger(c.private("stop_recording"), c.stopRecording),
		graph.SetBool(c.private("pause_recording"), c.pauseRecording),
		graph.Trigger(c.private("split_recording"), c.splitRecording),
		graph.SetBool(c.private("enable"), c.enable),
		graph.NewService(c.private("device_info"), "realsense2_camera/DeviceInfo", func([]byte) (msgs.Message, error) { return c.deviceInfo(), nil }),
		graph.NewService(c.private("reset"), "std_srvs/Empty", func([]byte) (msgs.Message, error) { return nil, c.device.Reset() }),
	}
	own, err := c.node.Resolve(c.private("enable"))
	wrapper := c.opts.Camera + "/enable" // realsense2_camera's name
	if name, err2 := c.node.Resolve(wrapper); err == nil && err2 == nil && name != own {
		list = append(list, graph.SetBool(wrapper, c.enable))
	}
	if dev, ok := c.device.(*sim.Device); ok {
		list = append(list, graph.SetBool(c.private("plug"), func(in bool) (string, error) { return plug(dev, in) }))
	}
	if _, ok := c.device.(*playback.Device); !ok { // a recording is paused by its controls
		list = append(list, graph.SetBool(c.private("pause_playback"), c.pause))
		if !c.several {
			list = append(list, graph.SetBool("/pause_playback", c.pause))
		}
	}
	return list
}

// serveAll offers the services that concern all of several cameras at once.
func (n *Node) serveAll() error {
	if len(n.cameras) == 1 {
		return nil
	}
	trigger := func(name string, do func(*camera) (string, error)) graph.Service {
		return graph.Trigger(name, func() (string, error) { return n.all(do) })
	}
	set := func(name string, do func(*camera, bool) (string, error)) graph.Service {
		return graph.SetBool(name, func(on bool) (string, error) {
			return n.all(func(c *camera) (string, error) { return do(c, on) })
		})
	}
	services, err := graph.OfferShared(n.node,
		trigger("~start_recording", (*camera).startRecording),
		trigger("~stop_recording", (*camera).stopRecording),
		set("~pause_recording", (*camera).pauseRecording),
		trigger("~split_recording", (*camera).splitRecording),
		set("~enable", (*camera).enable),
		set("~pause_playback", (*camera).pause),
		set("/pause_playback", (*camera).pause),
	)
	if err != nil {
		return err
	}
	n.later(func() error { services.Close(); return nil })
	return nil
}

// all does something with all cameras at the same time and returns what each said. It
// fails, when the others are done, if one isn't there yet.
func (n *Node) all(do func(*camera) (string, error)) (string, error) {
	said := make([]string, len(n.cameras))
	err := n.together(func(c *camera) error {
		if !c.up.Load() {
			return c.notYet()
		}
		text, err := do(c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.opts.Camera, err)
		}
		said[c.number] = c.opts.Camera + ": " + text
		return nil
	})
	said = slices.DeleteFunc(said, func(text string) bool { return text == "" })
	if err != nil && len(said) > 0 {
		err = fmt.Errorf("%w; %s", err, strings.Join(said, "; "))
	}
	return strings.Join(said, "; "), err
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
		return "streams stopped", camdriver.StopSensors(c.device)
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
	if err := camdriver.StartSensors(c.device, c.profiles, &c.hub); err != nil && !errors.Is(err, camdriver.ErrBusy) {
		return "", err
	}
	s.knows = nil
	return "streams started", nil
}

// deviceInfo names the device and its sensors in the form that realsense2_camera gives
// all names: intel_realsense_d435i, stereo_module.
func (c *camera) deviceInfo() *msgs.DeviceInfo {
	info := c.device.Info()
	var sensors []string
	for _, s := range c.device.Sensors() {
		sensors = append(sensors, moduleName(s.Name()))
	}
	return &msgs.DeviceInfo{
		DeviceName:        moduleName(camdriver.Find(info, camdriver.InfoName)),
		SerialNumber:      camdriver.Find(info, camdriver.InfoSerialNumber),
		FirmwareVersion:   camdriver.Find(info, camdriver.InfoFirmwareVersion),
		USBTypeDescriptor: camdriver.Find(info, camdriver.InfoUsbTypeDescriptor),
		FirmwareUpdateID:  camdriver.Find(info, camdriver.InfoFirmwareUpdateId),
		Sensors:           strings.Join(sensors, ","),
	}
}
