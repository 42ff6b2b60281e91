package drivertest

import (
	"errors"
	"math"
	"slices"
	"testing"

	"rsros/camdriver"
)

// unknown reports whether err means that the device lacks something.
func unknown(err error) bool {
	return errors.Is(err, camdriver.ErrNotFound) || errors.Is(err, camdriver.ErrUnsupported)
}

func testInfo(t *testing.T, dev camdriver.Device, _ Options) {
	checkInfo(t, "device", dev.Info())
	names := make(map[string]bool)
	for _, s := range dev.Sensors() {
		checkInfo(t, s.Name(), s.Info())
		if s.Name() == "" || names[s.Name()] {
			t.Errorf("sensor name %q is empty or taken", s.Name())
		}
		names[s.Name()] = true
		if slices.Contains(s.Filters(), "") {
			t.Errorf("%s: a filter without a name", s.Name())
		}
	}
	if len(names) == 0 {
		t.Error("no sensors")
	}
}

func checkInfo(t *testing.T, of string, info []camdriver.Info) {
	for i := range info {
		if i > 0 && info[i].Key <= info[i-1].Key {
			t.Errorf("%s: info %s after %s", of, info[i].Key, info[i-1].Key)
		}
		if info[i].Key.String() == "UNKNOWN" {
			t.Errorf("%s: info key %d", of, info[i].Key)
		}
	}
}

// testProfiles: each stream belongs to one sensor, and has valid profiles without
// duplicates and at most one default. Callers may change the returned slice.
func testProfiles(t *testing.T, dev camdriver.Device, _ Options) {
	owner := make(map[camdriver.StreamID]string)
	for _, s := range dev.Sensors() {
		profiles := s.Profiles()
		standard := make(map[camdriver.StreamID]int)
		for i, p := range profiles {
			checkProfile(t, p)
			if o, ok := owner[p.Stream]; ok && o != s.Name() {
				t.Errorf("%s belongs to %s and %s", p.Stream, o, s.Name())
			}
			owner[p.Stream] = s.Name()
			if p.Default {
				standard[p.Stream]++
			}
			if slices.ContainsFunc(profiles[:i], func(q camdriver.Profile) bool { q.Default = p.Default; return q == p }) {
				t.Errorf("%s is listed twice", p)
			}
		}
		if len(standard) == 0 {
			t.Errorf("%s: no default profile", s.Name())
		}
		for id, n := range standard {
			if n > 1 {
				t.Errorf("%s has %d default profiles", id, n)
			}
		}
		if len(profiles) > 0 {
			was := profiles[0]
			profiles[0] = camdriver.Profile{}
			if s.Profiles()[0] != was {
				t.Errorf("%s: Profiles returns the driver's own memory", s.Name())
			}
		}
	}
}

func checkProfile(t *testing.T, p camdriver.Profile) {
	video := p.Stream.Kind.Video()
	if p.Stream.Kind == camdriver.AnyStream || p.Format == camdriver.AnyFormat || p.FPS <= 0 || p.Stream.Index < 0 {
		t.Errorf("profile %s", p)
	}
	if video != (p.Width > 0) || video != (p.Height > 0) {
		t.Errorf("profile %s has size %dx%d", p, p.Width, p.Height)
	}
}

func testIntrinsics(t *testing.T, dev camdriver.Device, _ Options) {
	for _, s := range dev.Sensors() {
		for _, p := range s.Profiles() {
			in, err := s.Intrinsics(p)
			switch {
			case err != nil && !unknown(err):
				t.Errorf("%s: %v", p, err)
			case err == nil && !p.Stream.Kind.Video():
				t.Errorf("%s has intrinsics of an image", p)
			case err == nil && (in.Width != p.Width || in.Height != p.Height || !(in.Fx > 0) || !(in.Fy > 0)):
				t.Errorf("%s: intrinsics %+v", p, in)
			case err == nil && (math.Abs(in.Ppx/float64(p.Width)-0.5) > 1 || math.Abs(in.Ppy/float64(p.Height)-0.5) > 1):
				t.Errorf("%s: principal point %g, %g", p, in.Ppx, in.Ppy)
			}
			_, err = s.MotionIntrinsics(p)
			if err != nil && !unknown(err) || err == nil && !p.Stream.Kind.Inertial() {
				t.Errorf("%s: motion intrinsics: %v", p, err)
			}
		}
		if _, err := s.Intrinsics(camdriver.Profile{}); err == nil {
			t.Errorf("%s: intrinsics of no profile", s.Name())
		}
	}
}

// testExtrinsics: rotations are orthogonal, and the maps between streams are consistent in
// identity, inverse and composition.
func testExtrinsics(t *testing.T, dev camdriver.Device, _ Options) {
	var ids []camdriver.StreamID
	for _, s := range dev.Sensors() {
		for _, p := range s.Profiles() {
			ids = append(ids, p.Stream)
		}
	}
	slices.SortFunc(ids, camdriver.StreamID.Compare)
	ids = slices.Compact(ids)
	get := func(a, b camdriver.StreamID) (camdriver.Extrinsics, bool) {
		e, err := dev.Extrinsics(a, b)
		if err != nil && !unknown(err) {
			t.Errorf("%s to %s: %v", a, b, err)
		}
		return e, err == nil
	}
	for _, a := range ids {
		if e, ok := get(a, a); ok {
			wantNear(t, "identity of "+a.String(), e, camdriver.Identity())
		}
		for _, b := range ids {
			ab, ok1 := get(a, b)
			ba, ok2 := get(b, a)
			if ok1 != ok2 {
				t.Errorf("%s and %s are related one way only", a, b)
			}
			if !ok1 || !ok2 {
				continue
			}
			wantNear(t, "transposed rotation", camdriver.Extrinsics{Rotation: ab.Rotation}.Then(camdriver.Extrinsics{Rotation: ab.Rotation}.Inverse()), camdriver.Identity())
			wantNear(t, "there and back", ab.Then(ba), camdriver.Identity())
			for _, c := range ids {
				bc, ok := get(b, c)
				ac, ok2 := get(a, c)
				if ok != ok2 {
					t.Errorf("%s, %s and %s are not all related", a, b, c)
				} else if ok {
					wantNear(t, "composition", ab.Then(bc), ac)
				}
			}
		}
	}
	nobody := camdriver.StreamID{Kind: camdriver.Fisheye, Index: 77}
	if _, err := dev.Extrinsics(nobody, nobody); !unknown(err) {
		t.Errorf("extrinsics of a stream that isn't there: %v", err)
	}
}

// wantNear compares to single precision, because files have quaternions.
func wantNear(t *testing.T, what string, got, want camdriver.Extrinsics) {
	t.Helper()
	wants := slices.Concat(want.Rotation[:], want.Translation[:])
	for i, v := range slices.Concat(got.Rotation[:], got.Translation[:]) {
		if math.Abs(v-wants[i]) > 1e-5 {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}
