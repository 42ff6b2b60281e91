package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/camdriver/sim"
	"rsros/msgs"
	"rsros/node/naming"
	"rsros/replay/recorded"
	"rsros/ros/graph"
)

// recordServices are the services without arguments for recordings, of each camera and of all.
var recordServices = map[string]func(*camera) (string, error){
	"start_recording": (*camera).startRecording, "stop_recording": (*camera).stopRecording,
	"split_recording": onRecording("split"), "trigger": onRecording("trigger"), "mark": onRecording("mark"),
}

func onRecording(do string) func(*camera) (string, error) {
	return func(c *camera) (string, error) { return c.control(do, true) }
}

// services returns the camera's services. Some names may belong to another node.
func (c *camera) services() []graph.Service {
	set := func(name string, do func(bool) (string, error)) graph.Service {
		return graph.SetBool(name, func(_ context.Context, on bool) (string, error) { return do(on) })
	}
	list := []graph.Service{
		set(c.private("pause_recording"), c.pauseRecording),
		set(c.private("enable"), c.enable),
		{Name: c.private("device_info"), Type: "realsense2_camera/DeviceInfo",
			Serve: func(context.Context, []byte) (msgs.Message, error) { return c.deviceInfo(), nil }},
		{Name: c.private("reset"), Type: "std_srvs/Empty",
			Serve: func(context.Context, []byte) (msgs.Message, error) { return nil, c.device.Reset() }},
	}
	for name, do := range recordServices {
		list = append(list, graph.Trigger(c.private(name), func(context.Context) (string, error) { return do(c) }))
	}
	own, err := c.node.Resolve(c.private("enable"))
	wrapper := c.opts.Camera + "/enable" // realsense2_camera's name
	if name, err2 := c.node.Resolve(wrapper); err == nil && err2 == nil && name != own {
		list = append(list, set(wrapper, c.enable))
	}
	if dev, ok := c.device.(*sim.Device); ok {
		list = append(list, set(c.private("plug"), func(in bool) (string, error) { return plug(dev, in) }))
	}
	if _, ok := c.device.(*recorded.Device); !ok { // a recording has its own controls
		list = append(list, set(c.private("pause_playback"), c.pause))
		if !c.several {
			list = append(list, set("/pause_playback", c.pause))
		}
	}
	return list
}

func (n *Session) serveAll() error {
	if len(n.cameras) == 1 {
		return nil
	}
	set := func(name string, do func(*camera, bool) (string, error)) graph.Service {
		return graph.SetBool(name, func(_ context.Context, on bool) (string, error) {
			return n.allOf(n.cameras, func(c *camera) (string, error) { return do(c, on) })
		})
	}
	list := []graph.Service{
		set("~pause_recording", (*camera).pauseRecording), set("~enable", (*camera).enable),
		set("~pause_playback", (*camera).pause), set("/pause_playback", (*camera).pause),
	}
	for name, do := range recordServices {
		all := func(context.Context) (string, error) { return n.allOf(n.recorders(), do) }
		list = append(list, graph.Trigger("~"+name, all))
	}
	services, err := graph.Offer(n.node, list...)
	if err != nil {
		return err
	}
	n.cleanup.AddFunc(services.Close)
	return nil
}

// allOf calls do for cameras. One that isn't connected yet is an error, but doesn't stop the others.
func (n *Session) allOf(cameras []*camera, do func(*camera) (string, error)) (string, error) {
	answers := make([]string, len(n.cameras))
	err := concurrently(cameras, func(c *camera) error {
		if !c.up.Load() {
			return fmt.Errorf("%s: the camera isn't connected yet", c.opts.Camera)
		}
		text, err := do(c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.opts.Camera, err)
		}
		answers[c.number] = c.opts.Camera + ": " + text
		return nil
	})
	answers = slices.DeleteFunc(answers, func(text string) bool { return text == "" })
	if err != nil && len(answers) > 0 {
		err = fmt.Errorf("%w; %s", err, strings.Join(answers, "; "))
	}
	return strings.Join(answers, "; "), err
}

// plug plugs a simulated camera in or unplugs it, to test other programs.
func plug(dev *sim.Device, in bool) (string, error) {
	if in {
		return "plugged in", dev.Replug()
	}
	return "unplugged", dev.Unplug()
}

func (c *camera) startRecording() (string, error) {
	path, err := c.records.Start("")
	return "recording into " + path, err
}

func (c *camera) stopRecording() (string, error) {
	f, err := c.records.Stop()
	return f.Closing, err
}

func (c *camera) pauseRecording(on bool) (string, error) { return c.control("pause", on) }

// control controls the recording that runs.
func (c *camera) control(do string, on bool) (string, error) {
	r, err := c.records.Running()
	if err != nil {
		return "", err
	}
	return r.Control(do, on)
}

// streamSwitch starts and stops the streams for ~enable.
type streamSwitch struct {
	mu    sync.Mutex
	known [][]camdriver.Option // while stopped: the options that the hub knows, by sensor
}

// enable starts or stops the streams; topics stay advertised. A stopped sensor doesn't
// report changes of options, so enable reports them before the next frame.
func (c *camera) enable(on bool) (string, error) {
	s := &c.streams
	s.mu.Lock()
	defer s.mu.Unlock()
	sensors := c.device.Sensors()
	if !on {
		if s.known == nil {
			for _, sensor := range sensors {
				s.known = append(s.known, sensor.Options())
			}
		}
		return "streams stopped", camdriver.StopSensors(c.device)
	}
	if s.known == nil {
		return "streams are running already", nil
	}
	for i, known := range s.known {
		for _, o := range sensors[i].Options() {
			if !slices.ContainsFunc(known, func(k camdriver.Option) bool { return k.ID == o.ID && k.Value == o.Value }) {
				c.hub.OptionChanged(i, o.ID, o.Value)
			}
		}
	}
	if err := camdriver.StartSensors(c.device, c.profiles, &c.hub); err != nil && !errors.Is(err, camdriver.ErrBusy) {
		return "", err
	}
	s.known = nil
	return "streams started", nil
}

// deviceInfo has names in realsense2_camera's form, such as intel_realsense_d435i.
func (c *camera) deviceInfo() *msgs.DeviceInfo {
	info := c.device.Info()
	var sensors []string
	for _, s := range c.device.Sensors() {
		sensors = append(sensors, naming.ParameterName(s.Name()))
	}
	return &msgs.DeviceInfo{
		DeviceName:        naming.ParameterName(camdriver.Find(info, camdriver.InfoName)),
		SerialNumber:      camdriver.Find(info, camdriver.InfoSerialNumber),
		FirmwareVersion:   camdriver.Find(info, camdriver.InfoFirmwareVersion),
		USBTypeDescriptor: camdriver.Find(info, camdriver.InfoUsbTypeDescriptor),
		FirmwareUpdateID:  camdriver.Find(info, camdriver.InfoFirmwareUpdateId),
		Sensors:           strings.Join(sensors, ","),
	}
}

// gate passes frames to a consumer unless publishing is paused. It passes all other events.
type gate struct {
	camdriver.Handler
	closed *atomic.Bool
}

func (c *camera) gate(h camdriver.Handler) *gate { return &gate{h, &c.frozen} }

func (g *gate) Frame(sensor int, f *camdriver.Frame) {
	if !g.closed.Load() {
		g.Handler.Frame(sensor, f)
	}
}

// pause pauses or resumes publishing, not recording. The texts are rosbag play's.
func (c *camera) pause(on bool) (string, error) {
	word := "resumed"
	if on {
		word = "paused"
	}
	if c.frozen.Swap(on) == on {
		return "", errors.New("Playback is already " + word) //nolint:staticcheck // ST1005: the text of rosbag play
	}
	c.log.Info().Msg("publishing is " + word + "; a recording goes on")
	return "Playback is now " + word, nil
}
