package camdriver

import (
	"math"
	"testing"
)

// rotations covers each branch of Quaternion and FromQuaternion.
var rotations = map[string][4]float64{
	"identity":           {0, 0, 0, 1},
	"half turn x":        {1, 0, 0, 0},
	"half turn y":        {0, 1, 0, 0},
	"half turn z":        {0, 0, 1, 0},
	"optical":            {-0.5, 0.5, -0.5, 0.5},
	"oblique":            {0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214},
	"nearly half":        {0.9999995, 0.0007071, 0.0007071, 0.0001},
	"small tilt":         {0.001, -0.002, 0.003, 0.999993},
	"negative w":         {0.5, 0.5, 0.5, -0.5},
	"not of unit length": {0.2, 0.4, 0.4, 1.6},
}

func TestQuaternionRoundTrip(t *testing.T) {
	for name, q := range rotations {
		t.Run(name, func(t *testing.T) {
			e := FromQuaternion(q, [3]float64{1, 2, 3})
			back := FromQuaternion(e.Quaternion(), e.Translation)
			for i := range e.Rotation {
				if math.Abs(e.Rotation[i]-back.Rotation[i]) > 1e-9 {
					t.Fatalf("rotation %v, after a round trip %v", e.Rotation, back.Rotation)
				}
			}
			if got := e.Quaternion(); got[3] < 0 {
				t.Errorf("quaternion %v has negative w", got)
			}
		})
	}
}

func TestFromQuaternionInvalid(t *testing.T) {
	for _, q := range [][4]float64{{}, {math.NaN(), 0, 0, 1}, {math.Inf(1), 0, 0, 1}} {
		if got := FromQuaternion(q, [3]float64{}); got != Identity() {
			t.Errorf("FromQuaternion(%v) = %v, want the identity", q, got)
		}
	}
}

func TestExtrinsicsLaws(t *testing.T) {
	a := FromQuaternion(rotations["oblique"], [3]float64{0.1, -0.2, 0.3})
	b := FromQuaternion(rotations["optical"], [3]float64{-1, 0.5, 0})
	p := [3]float64{0.3, -0.7, 2}
	for name, c := range map[string]struct{ got, want [3]float64 }{
		"inverse":     {a.Inverse().Apply(a.Apply(p)), p},
		"composition": {a.Then(b).Apply(p), b.Apply(a.Apply(p))},
		"identity":    {Identity().Then(a).Apply(p), a.Apply(p)},
	} {
		for i := range c.got {
			if math.Abs(c.got[i]-c.want[i]) > 1e-12 {
				t.Errorf("%s: %v, want %v", name, c.got, c.want)
				break
			}
		}
	}
}
