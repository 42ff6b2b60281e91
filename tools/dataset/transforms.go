package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/tools/bagset"
)

// tfPath is a chain of tf's transforms from one frame to another, with what a recording says of each link.
type tfPath struct {
	from, to string
	up, down []*link // from the frames' common ancestor: to from, and to to
	stamps   []int64 // of the link that moves most often, in order
	// longest is the longest time, in ns, over which at has interpolated.
	longest int64
}

// link is the transform of points from a child to its parent.
type link struct {
	child, parent string
	n             int      // messages with it
	poses         []placed // by stamp; of a fixed link the last one only
	fixed         bool     // from /tf_static
}

// placed is a transform at a stamp.
type placed struct {
	at int64
	t  [3]float64
	r  [4]float64 // x, y, z, w
}

const (
	// maxFrames bounds the frames of a tree, and the links between two.
	maxFrames = 4096
	// maxPoses bounds the memory for the transforms of a path, 64 bytes each.
	maxPoses = 1 << 20
)

var tfTypes = []string{"tf2_msgs/TFMessage", "tf/tfMessage"}

func frameName(s string) string { return strings.TrimPrefix(s, "/") }

// transforms calls visit for each transform of selected topics, static ones first and whatever the time.
func (s *Input) transforms(visit func(*msgs.TransformStamped, bool) error) error {
	for _, fixed := range []bool{true, false} {
		q := s.Filter.Query()
		selected := q.Connections
		if fixed {
			q.Start, q.End = 0, 0
		}
		q.Connections = func(c *bagstore.Connection) bool {
			static := strings.HasSuffix(c.Topic, "/tf_static")
			return slices.Contains(tfTypes, c.Type) && static == fixed && selected(c)
		}
		walk := bagset.NewWalk(s.pace.Ctx, s.Options.Log)
		for m, err := range walk.Messages(s.File.Bag().View(q)) {
			if err != nil {
				return err
			}
			var list msgs.TFMessage
			d := msgs.NewDecoder(m.Data)
			if d.Message(&list); d.Err() != nil {
				walk.Damaged++
				continue
			}
			for i := range list.Transforms {
				if err := visit(&list.Transforms[i], fixed); err != nil {
					return err
				}
			}
		}
		s.Damaged += uint64(walk.Damaged)
	}
	return nil
}

// findPath reads the path between two frames. An empty from is the root of to's tree.
func (s *Input) findPath(from, to string) (*tfPath, error) {
	links := make(map[string]*link)
	twice := make(map[string]bool)
	before := s.Damaged
	err := s.transforms(func(t *msgs.TransformStamped, _ bool) error {
		child, parent := frameName(t.ChildFrameID), frameName(t.Header.FrameID)
		switch l := links[child]; {
		case l == nil && len(links) == maxFrames:
			return fmt.Errorf("%w: more than %d frames", errFrames, maxFrames)
		case l == nil:
			links[child] = &link{child: child, parent: parent}
		case l.parent != parent:
			twice[child] = true
		}
		links[child].n++
		return nil
	})
	s.Damaged = before // the same messages are read again
	if err != nil {
		return nil, err
	}
	below, err := ancestors(links, twice, frameName(to))
	if err != nil {
		return nil, err
	}
	p := &tfPath{from: cmp.Or(frameName(from), below[len(below)-1]), to: frameName(to)}
	above, err := ancestors(links, twice, p.from)
	if err != nil {
		return nil, err
	}
	common := slices.IndexFunc(below, func(f string) bool { return slices.Contains(above, f) })
	if common < 0 {
		return nil, fmt.Errorf("%w from frame %q to %q", errFrames, p.from, p.to)
	}
	for _, f := range below[:common] {
		p.down = append(p.down, links[f])
	}
	for _, f := range above[:slices.Index(above, below[common])] {
		p.up = append(p.up, links[f])
	}
	return p, s.readPath(p)
}

// ancestors returns a frame and those above it, up to the root of its tree.
func ancestors(links map[string]*link, twice map[string]bool, frame string) (list []string, err error) {
	for l := links[frame]; ; l = links[frame] {
		list = append(list, frame)
		switch {
		case l == nil:
			return list, nil
		case twice[frame] || len(list) > maxFrames:
			return nil, fmt.Errorf("%w that are the only ones: frame %q has several parents", errFrames, frame)
		}
		frame = l.parent
	}
}

func (s *Input) readPath(p *tfPath) error {
	all := slices.Concat(p.up, p.down)
	total := 0
	for _, l := range all {
		if total += l.n; total > maxPoses {
			return fmt.Errorf("more than %d transforms from frame %q to %q: select a time range", maxPoses, p.from, p.to)
		}
		l.poses = make([]placed, 0, l.n)
	}
	err := s.transforms(func(t *msgs.TransformStamped, fixed bool) error {
		i := slices.IndexFunc(all, func(l *link) bool { return l.child == frameName(t.ChildFrameID) })
		if i < 0 {
			return nil
		}
		v, r := t.Transform.Translation, t.Transform.Rotation
		one := placed{int64(t.Header.Stamp), [3]float64{v.X, v.Y, v.Z}, [4]float64{r.X, r.Y, r.Z, r.W}}
		if n := dot(one.r, one.r); !(math.Abs(n-1) < 0.01) || math.IsNaN(v.X+v.Y+v.Z) || math.IsInf(v.X+v.Y+v.Z, 0) {
			return nil // no rotation, or not at a place: tf2 refuses it, too
		}
		l := all[i]
		if l.fixed != fixed || fixed { // what moves takes precedence
			l.poses, l.fixed = l.poses[:0], fixed
		}
		l.poses = append(l.poses, one)
		return nil
	})
	if err != nil {
		return err
	}
	for _, l := range all {
		slices.SortStableFunc(l.poses, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
		l.poses = slices.CompactFunc(l.poses, func(a, b placed) bool { return a.at == b.at })
		if len(l.poses) > len(p.stamps) && l.moves() {
			p.stamps = make([]int64, 0, len(l.poses))
			for _, one := range l.poses {
				p.stamps = append(p.stamps, one.at)
			}
		}
	}
	return nil
}

func dot(a, b [4]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3] }

func (l *link) moves() bool {
	return slices.ContainsFunc(l.poses, func(o placed) bool { return o.t != l.poses[0].t || o.r != l.poses[0].r })
}

// at returns the pose of the frame to in the frame from at a stamp; false if a link isn't known then.
// Between two transforms it interpolates like tf2: positions linearly, rotations on the shortest arc.
func (p *tfPath) at(stamp int64) (camdriver.Extrinsics, bool) {
	down, ok := p.follow(p.down, stamp)
	up, known := p.follow(p.up, stamp)
	return down.Then(up.Inverse()), ok && known
}

// follow combines the transforms of links at a stamp.
func (p *tfPath) follow(links []*link, stamp int64) (camdriver.Extrinsics, bool) {
	e := camdriver.Identity()
	for _, l := range links {
		t, apart, ok := l.at(stamp)
		if !ok {
			return e, false
		}
		p.longest = max(p.longest, apart)
		e = e.Then(t)
	}
	return e, true
}

// at returns a link's transform, and the time between those that it was interpolated from.
func (l *link) at(stamp int64) (e camdriver.Extrinsics, apart int64, ok bool) {
	if len(l.poses) == 0 {
		return e, 0, false
	}
	i, exact := slices.BinarySearchFunc(l.poses, stamp, func(o placed, at int64) int { return cmp.Compare(o.at, at) })
	switch {
	case l.fixed:
		i = 0
	case exact:
	case i == 0 || i == len(l.poses):
		return e, 0, false
	default:
		a, b := l.poses[i-1], l.poses[i]
		part := float64(stamp-a.at) / float64(b.at-a.at)
		for k := range a.t {
			a.t[k] += part * (b.t[k] - a.t[k])
		}
		return camdriver.FromQuaternion(slerp(a.r, b.r, part), a.t), b.at - l.poses[i-1].at, true
	}
	return camdriver.FromQuaternion(l.poses[i].r, l.poses[i].t), 0, true
}

// slerp returns the rotation a part of the way from a to b.
func slerp(a, b [4]float64, part float64) (r [4]float64) {
	cos := dot(a, b)
	sign := 1.0
	if cos < 0 {
		cos, sign = -cos, -1
	}
	u, v := 1-part, part
	if angle := math.Acos(min(cos, 1)); angle > 1e-6 {
		u, v = math.Sin(u*angle)/math.Sin(angle), math.Sin(v*angle)/math.Sin(angle)
	}
	for i := range r {
		r[i] = u*a[i] + v*sign*b[i]
	}
	return r
}
