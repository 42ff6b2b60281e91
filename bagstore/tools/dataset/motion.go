package dataset

import (
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/tools/bagset"
	"rsros/camdriver"
	"rsros/msgs"
)

// inertialTables are tables of what a gyroscope and an accelerometer sent, with nothing added or left
// out. A table without samples isn't made.
type inertialTables struct {
	s            *sequence
	separator    string
	stamp        func(int64) string
	names, heads [2]string // gyroscope, accelerometer
	tables       [2]*table
}

func (t *inertialTables) sample(at int64, f *camdriver.Frame) error {
	kind := f.Stream().Kind
	if kind != camdriver.Accel {
		if err := t.row(0, at, f.Motion.Gyro); err != nil {
			return err
		}
	}
	if kind != camdriver.Gyro {
		return t.row(1, at, f.Motion.Accel)
	}
	return nil
}

func (t *inertialTables) row(i int, at int64, v [3]float64) (err error) {
	if t.tables[i] == nil {
		if t.tables[i], err = t.s.table(t.names[i], t.heads[i]); err != nil {
			return err
		}
	}
	return t.tables[i].printf("%s%[2]s%[3]v%[2]s%[4]v%[2]s%[5]v\n", t.stamp(at), t.separator, v[0], v[1], v[2])
}

// odometry calls place for each message of the first selected topic of odometry or stamped poses. The
// rotation is x, y, z, w.
func (s *sequence) odometry(place func(at int64, t [3]float64, r [4]float64) error) error {
	types := []string{"nav_msgs/Odometry", "geometry_msgs/PoseStamped"}
	q := s.filter.Query()
	selected := q.Connections
	topic := ""
	for _, c := range s.file.Bag().Connections() {
		if slices.Contains(types, c.Type) && selected(c) && (topic == "" || c.Topic < topic) {
			topic = c.Topic
		}
	}
	if topic == "" {
		return nil
	}
	q.Connections = func(c *bagstore.Connection) bool { return c.Topic == topic && slices.Contains(types, c.Type) }
	walk := bagset.Walk{Pace: bagstore.Pace{Ctx: s.pace.Ctx}, Log: s.o.Log}
	for m, err := range walk.Messages(s.file.Bag().View(q)) {
		if err != nil {
			return err
		}
		var h msgs.Header
		var p msgs.Transform
		d := msgs.NewDecoder(m.Data)
		if m.Conn.Type == types[0] {
			var o msgs.Odometry
			o.Decode(d)
			h, p = o.Header, o.Pose
		} else {
			h.Decode(d)
			p.Decode(d)
		}
		if d.Err() != nil {
			walk.Damaged++
			continue
		}
		t, r := p.Translation, p.Rotation
		if err := place(int64(h.Stamp), [3]float64{t.X, t.Y, t.Z}, [4]float64{r.X, r.Y, r.Z, r.W}); err != nil {
			return err
		}
	}
	s.inform("the trajectory is that of %s", topic)
	s.damaged += uint64(walk.Damaged)
	return nil
}

// poseOf returns a sample's translation in metres, and its rotation: x, y, z, w.
func poseOf(f *camdriver.Frame) (t [3]float64, r [4]float64) {
	for i, v := range f.Pose.Translation {
		t[i] = exact(v)
	}
	for i, v := range f.Pose.Rotation {
		r[i] = exact(v)
	}
	return t, r
}
