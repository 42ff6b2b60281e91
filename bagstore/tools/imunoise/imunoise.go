// Package imunoise measures the noise of inertial sensors in a recording of a camera at rest
// (docs/datasets.md). It reads messages once, in bounded memory, and starts no goroutine.
package imunoise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/tools/bagset"
	"rsros/camdriver"
	"rsros/msgs"
)

// Options are the settings of Run.
type Options struct {
	In        string
	Selection bagset.Selection
	Progress  bagstore.Progress
	Log       zerolog.Logger
}

// Errors for recordings from which noise can't be measured.
var (
	ErrNoSensor = errors.New("no inertial sensor")
	ErrMoved    = errors.New("the camera isn't at rest")
	ErrShort    = errors.New("the recording is too short")
)

// Report describes the noise in a recording.
type Report struct {
	Recording     string  `json:"recording"`
	Gyroscope     *Sensor `json:"gyroscope,omitempty"`     // rad/s
	Accelerometer *Sensor `json:"accelerometer,omitempty"` // m/s²
	// Lacks lists values that the recording doesn't show, and why.
	Lacks []string `json:"lacks,omitempty"`
}

// Sensor is the noise of a sensor; that of all axes together is the root mean square.
type Sensor struct {
	Topic      string  `json:"topic"`
	Rate       float64 `json:"rate_hz"`
	Seconds    float64 `json:"seconds"`
	Samples    uint64  `json:"samples"`
	Missing    uint64  `json:"missing_samples"`
	OutOfOrder uint64  `json:"out_of_order_samples"`
	Gaps       uint64  `json:"gaps"` // longer than 10,000 samples
	Axis
	Axes  [3]Axis `json:"axes"`
	Curve []Point `json:"allan_deviation"`
}

// Axis is the noise of an axis, or of all. An Estimate is 0 if the recording doesn't show it.
type Axis struct {
	Density Estimate `json:"noise_density"`
	Walk    Estimate `json:"random_walk"`
	// Bias is the lowest point of the curve in terms of the bias instability B, at cluster time BiasAt.
	// B isn't larger.
	Bias   float64 `json:"bias_instability"`
	BiasAt float64 `json:"bias_instability_s"`
}

// Point is a point of the curve.
type Point struct {
	Seconds float64    `json:"s"`
	Axes    [3]float64 `json:"axes"`
}

// meter measures a sensor of one topic.
type meter struct {
	topic string
	grid  grid
	allan allan
	rest  rest
	any   bool // a value other than 0
}

// Limits for a camera at rest: a tilt of 3° moves 0.5 m/s² of gravity to another axis, and biases are below 3°/s.
const (
	restGyro  = 0.05 // rad/s
	restAccel = 0.5  // m/s²
)

func newMeter(topic string, limit float64) *meter {
	m := &meter{topic: topic, rest: rest{limit: limit}}
	m.grid.put = func(s sample) { m.allan.add(s.value); m.rest.add(s) }
	m.grid.next, m.grid.gap = m.allan.close, m.allan.gap
	return m
}

func (m *meter) add(stamp int64, v [3]float64) {
	m.any = m.any || v != [3]float64{}
	m.grid.add(sample{stamp, v})
}

// pair has the two sensors of a topic of sensor_msgs/Imu.
type pair struct{ gyro, accel *meter }

// meters has the sensors of a recording by topic.
type meters map[string]*pair

// maxTopics bounds the memory that topics can make this package allocate, some 200 KB each.
const maxTopics = 64

func (ms meters) add(topic string, stamp int64, gyro, accel [3]float64) error {
	p := ms[topic]
	if p == nil {
		if len(ms) == maxTopics {
			return fmt.Errorf("more than %d topics of inertial sensors: select some", maxTopics)
		}
		p = &pair{newMeter(topic, restGyro), newMeter(topic, restAccel)}
		ms[topic] = p
	}
	p.gyro.add(stamp, gyro)
	p.accel.add(stamp, accel)
	return nil
}

// choose returns the only sensor of a kind. A topic of one sensor is preferred to one that unites two,
// whose samples may be interpolated.
func (ms meters) choose(name string, of func(*pair) (m, other *meter)) (*meter, error) {
	var alone, united []*meter
	for _, p := range ms {
		switch m, other := of(p); {
		case !m.any:
		case other.any:
			united = append(united, m)
		default:
			alone = append(alone, m)
		}
	}
	list := alone
	if len(list) == 0 {
		list = united
	}
	switch len(list) {
	case 0:
		return nil, nil
	case 1:
		return list[0], nil
	}
	var topics []string
	for _, m := range list {
		topics = append(topics, m.topic)
	}
	slices.Sort(topics)
	return nil, fmt.Errorf("%w: there are several %ss, select one by topic: %s", bagset.ErrSelection, name, strings.Join(topics, ", "))
}

// Run measures. Besides an error that leads to nothing, it returns a bagset.LossError, with the report,
// if messages are damaged or a value isn't in the recording.
func Run(ctx context.Context, o Options) (*Report, error) {
	whole := func(b *bagstore.Bag) bool { return rsbag.IsRecording(b) && !rsbag.InMotionPart(ctx, b) }
	bags, filter, lost, err := o.Selection.Open([]string{o.In}, bagstore.OpenOptions{Context: ctx, Whole: true, Verify: true}, false, whole, o.Log)
	defer bagset.Close(bags)
	if err != nil {
		return nil, err
	}
	b := bags[0]
	ms := make(meters)
	read := ms.messages
	if rsbag.IsRecording(b) {
		read = ms.frames
	}
	damaged, err := read(ctx, b, filter, o)
	if err != nil {
		return nil, err
	}
	r, err := ms.report(o.In)
	if err != nil {
		return nil, err
	}
	return r, bagset.Loss(damaged, 0, append(append(lost, bagset.Found(bags)...), r.Lacks...))
}

// messages reads sensor_msgs/Imu.
func (ms meters) messages(ctx context.Context, b *bagstore.Bag, filter bagstore.Filter, o Options) (damaged int, err error) {
	const imu = "sensor_msgs/Imu"
	q := filter.Query()
	selected := q.Connections
	q.Connections = func(c *bagstore.Connection) bool { return c.Type == imu && selected(c) }
	v := b.View(q)
	walk := bagset.Walk{Pace: bagstore.Pace{Ctx: ctx, Progress: o.Progress, Total: v.Count()}, Log: o.Log}
	for m, err := range walk.Messages(v) {
		if err != nil {
			return 0, err
		}
		var i msgs.Imu
		d := msgs.NewDecoder(m.Data)
		if d.Message(&i); d.Err() != nil {
			walk.Damaged++
			continue
		}
		g, a := i.AngularVelocity, i.LinearAcceleration
		if err := ms.add(m.Conn.Topic, int64(i.Header.Stamp), [3]float64{g.X, g.Y, g.Z}, [3]float64{a.X, a.Y, a.Z}); err != nil {
			return 0, err
		}
	}
	return walk.Damaged, nil
}

// frames reads a RealSense recording, in which stamps aren't in headers.
func (ms meters) frames(ctx context.Context, b *bagstore.Bag, filter bagstore.Filter, o Options) (damaged int, err error) {
	f, err := rsbag.Open(o.In, rsbag.Options{Bag: b})
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // only read
	if err := f.Narrow(ctx, filter); err != nil {
		return 0, err
	}
	topics := make(map[camdriver.StreamID]string)
	pace := bagstore.Pace{Ctx: ctx, Progress: o.Progress}
	keeps := filter.Query().Connections
	for _, s := range f.Streams() {
		id := s.Profile.Stream
		for _, c := range f.Connections(id) {
			if id.Kind.Inertial() && keeps(c) {
				topics[id] = c.Topic
				pace.Total += s.Frames
				break
			}
		}
	}
	c := f.Cursor(rsbag.CursorOptions{FramesOnly: true, Streams: func(id camdriver.StreamID) bool { return topics[id] != "" }})
	defer c.Close()
	start, end := f.FileTimes(filter)
	c.Seek(start)
	for e := range c.Events() {
		if e.Time > end {
			break
		}
		if err := pace.Step(); err != nil {
			return 0, err
		}
		stamp := int64(msgs.FromMillis(e.Frame.Timestamp))
		if err := ms.add(topics[e.Frame.Stream()], stamp, e.Frame.Motion.Gyro, e.Frame.Motion.Accel); err != nil {
			return 0, err
		}
	}
	n, why := c.Damaged()
	if n > 0 {
		o.Log.Warn().Uint64("messages", n).Err(why).Msg("damaged messages were left out")
	}
	return int(n), nil
}

func (ms meters) report(in string) (*Report, error) {
	gyro, err := ms.choose("gyroscope", func(p *pair) (*meter, *meter) { return p.gyro, p.accel })
	if err != nil {
		return nil, err
	}
	accel, err := ms.choose("accelerometer", func(p *pair) (*meter, *meter) { return p.accel, p.gyro })
	if err != nil {
		return nil, err
	}
	if gyro == nil && accel == nil {
		return nil, fmt.Errorf("%s: %w: no selected topic has samples other than 0", in, ErrNoSensor)
	}
	r := &Report{Recording: in}
	for _, s := range []struct {
		name, unit string
		m          *meter
		to         **Sensor
	}{{"gyroscope", "rad/s", gyro, &r.Gyroscope}, {"accelerometer", "m/s²", accel, &r.Accelerometer}} {
		if s.m == nil {
			r.Lacks = append(r.Lacks, "there is no "+s.name)
			continue
		}
		if *s.to, err = s.m.sensor(s.unit); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", in, s.m.topic, err)
		}
		if m := s.m.grid; m.missing+m.outOfOrder > m.samples/10 {
			r.Lacks = append(r.Lacks, fmt.Sprintf("%s: %d samples, %d missing and %d with a stamp that isn't after the one before: the values are uncertain", s.m.topic, m.samples, m.missing, m.outOfOrder))
		}
		if (*s.to).Walk.Value == 0 {
			r.Lacks = append(r.Lacks, fmt.Sprintf("%.0f s are too short for the random walk of the %s, whose standard error would be above %.0f %%", (*s.to).Seconds, s.name, 100*certain))
		}
	}
	return r, nil
}

// sensor evaluates the samples.
func (m *meter) sensor(unit string) (*Sensor, error) {
	m.grid.finish()
	m.rest.close()
	if n := m.rest.moved; n > 0 {
		return nil, fmt.Errorf("%w: in %d of %d seconds the mean is off that of the first by more than %v %s, or samples spread by more; the first of them begins at the stamp %d ns",
			ErrMoved, n, m.rest.seconds, m.rest.limit, unit, m.rest.when)
	}
	step := m.grid.step()
	s := &Sensor{Topic: m.topic, Seconds: m.grid.length, Samples: m.grid.samples, Missing: m.grid.missing, OutOfOrder: m.grid.outOfOrder, Gaps: m.grid.gaps}
	if step > 0 {
		s.Rate = 1 / step
	}
	curve := m.allan.curve()
	s.Axis = axis(curve, step, 0, 1, 2)
	for k := range s.Axes {
		s.Axes[k] = axis(curve, step, k)
	}
	if s.Density.Value == 0 {
		return nil, fmt.Errorf("%w: %.1f s, %d samples", ErrShort, s.Seconds, s.Samples)
	}
	for _, v := range curve {
		p := Point{Seconds: v.slots * step}
		for k := range p.Axes {
			p.Axes[k] = math.Sqrt(v.axes[k])
		}
		s.Curve = append(s.Curve, p)
	}
	return s, nil
}

func axis(curve []variance, step float64, axes ...int) (a Axis) {
	a.Density, a.Walk = fit(curve, step, axes...)
	for _, v := range curve {
		b := math.Sqrt(v.mean(axes) * math.Pi / (2 * math.Ln2))
		if a.Bias == 0 || b < a.Bias {
			a.Bias, a.BiasAt = b, v.slots*step
		}
	}
	return a
}

// Noise returns the values as Kalibr has them, 0 for those that the recording doesn't show.
func (r *Report) Noise() (n Noise) {
	if g := r.Gyroscope; g != nil {
		n.GyroDensity, n.GyroWalk = g.Density.Value, g.Walk.Value
	}
	if a := r.Accelerometer; a != nil {
		n.AccelDensity, n.AccelWalk = a.Density.Value, a.Walk.Value
	}
	return n
}

// YAML returns Kalibr's imu.yaml.
func (r *Report) YAML() string {
	s := r.Gyroscope
	if s == nil {
		s = r.Accelerometer
	}
	n := r.Noise()
	return fmt.Sprintf("# of %s at rest, %.0f s\nrostopic: %s\nupdate_rate: %.1f\n%s", r.Recording, s.Seconds, s.Topic, s.Rate, n.Text())
}
