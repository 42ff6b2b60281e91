package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/tools/bagset"
)

// truth is the source of poses: a topic, a path of tf, or, without both, the frames of a stream of poses,
// if there is one.
type truth struct {
	topic string
	path  *tfPath
}

var poseTypes = []string{"nav_msgs/Odometry", "geometry_msgs/PoseStamped"}

// findTruth finds the ground truth of Options.Truth. If that is empty, it is the stream of poses, the
// first topic of odometry or stamped poses, or the tf of the first camera, if it moves.
func (s *Input) findTruth(f Form) (t truth, err error) {
	keeps := s.Filter.Query().Connections
	topics := []string{""}
	for _, c := range s.File.Bag().Connections() {
		if slices.Contains(poseTypes, c.Type) && keeps(c) {
			topics = append(topics, c.Topic)
		}
	}
	from, to, frames := strings.Cut(s.Options.Truth, ":")
	switch {
	case !f.Truth && s.Options.Truth != "":
		return t, fmt.Errorf("%w: %s takes no ground truth %q", bagset.ErrSelection, f.Name, s.Options.Truth)
	case !f.Truth:
		return t, nil
	case frames:
		if to == "" {
			to = s.frame()
		}
		t.path, err = s.findPath(from, to)
		if errors.Is(err, errFrames) || err == nil && len(t.path.stamps) == 0 {
			err = fmt.Errorf("%s: %w: %q doesn't move in %q: %w", s.Recording, bagset.ErrSelection, to,
				from, errors.Join(errFrames, err))
		}
		return t, err
	case s.Options.Truth != "":
		if !slices.Contains(topics, s.Options.Truth) {
			return t, fmt.Errorf("%s: %w: %s is no topic of %s", s.Recording, bagset.ErrSelection, s.Options.Truth,
				strings.Join(poseTypes, " or "))
		}
		t.topic = s.Options.Truth
		return t, nil
	case selected(s.Filter, s.File)(camdriver.PoseStream):
		return t, nil
	case len(topics) > 1:
		t.topic = slices.Min(topics[1:])
		return t, nil
	}
	p, err := s.findPath("", s.frame())
	switch {
	case errors.Is(err, errFrames):
		s.Note("there is no ground truth: %v", err)
		err = nil
	case err == nil && len(p.stamps) > 0:
		t.path = p
	}
	return t, err
}

// frame returns the frame of the first camera's images; "" if they have none.
func (s *Input) frame() string {
	list := s.File.Connections(s.Cameras[0])
	v := s.File.Bag().View(bagstore.Query{Connections: func(c *bagstore.Connection) bool {
		return slices.Contains(list, c)
	}})
	for m, err := range v.Messages() {
		var h msgs.Header
		if err == nil {
			h.Decode(msgs.NewDecoder(m.Data))
		}
		return frameName(h.FrameID)
	}
	return ""
}

// trajectory calls place for each pose of the ground truth. The rotation is x, y, z, w.
func (s *Input) trajectory(place func(at int64, t [3]float64, r [4]float64) error) error {
	switch {
	case s.truth.topic != "":
		return s.odometry(place)
	case s.truth.path == nil:
		return nil
	}
	p := s.truth.path
	n := 0
	for _, at := range p.stamps {
		if e, ok := p.at(at); ok {
			n++
			if err := place(at, e.Translation, e.Quaternion()); err != nil {
				return err
			}
		}
	}
	s.Inform("the trajectory is tf's of frame %s in %s, at %d of %d stamps of the transform that comes most often; others were interpolated over at most %.3f s", p.to, p.from, n, len(p.stamps), float64(p.longest)/1e9)
	return nil
}

// odometry calls place for each message of the ground truth's topic.
func (s *Input) odometry(place func(at int64, t [3]float64, r [4]float64) error) error {
	q := s.Filter.Query()
	q.Connections = func(c *bagstore.Connection) bool {
		return c.Topic == s.truth.topic && slices.Contains(poseTypes, c.Type)
	}
	walk := bagset.NewWalk(s.pace.Ctx, s.Options.Log)
	for m, err := range walk.Messages(s.File.Bag().View(q)) {
		if err != nil {
			return err
		}
		var h msgs.Header
		var p msgs.Transform
		d := msgs.NewDecoder(m.Data)
		if m.Conn.Type == poseTypes[0] {
			var o msgs.Odometry
			d.Message(&o)
			h, p = o.Header, o.Pose
		} else {
			h.Decode(d)
			d.Message(&p)
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
	s.Inform("the trajectory is that of %s", s.truth.topic)
	s.Damaged += uint64(walk.Damaged)
	return nil
}
