package camdriver

// Distortion is a lens distortion model. Values are those of rs2_distortion.
type Distortion uint8

// The distortion models.
const (
	NoDistortion Distortion = iota
	ModifiedBrownConrady
	InverseBrownConrady
	Ftheta
	BrownConrady
	KannalaBrandt4
)

var distortionNames = [...]string{
	"None", "Modified Brown Conrady", "Inverse Brown Conrady", "Ftheta", "Brown Conrady", "Kannala Brandt4",
}

// String returns the SDK's name.
func (d Distortion) String() string { return nameOf(distortionNames[:], d) }

// ParseDistortion is the inverse of String.
func ParseDistortion(s string) (Distortion, bool) {
	return parseName[Distortion](distortionNames[:], s)
}

// Intrinsics map the pixels of a video profile to rays. Lengths are in pixels.
type Intrinsics struct {
	Width, Height int
	Fx, Fy        float64 // focal length
	Ppx, Ppy      float64 // principal point
	Model         Distortion
	Coeffs        [5]float64
}

// MotionIntrinsics describe an inertial stream. Data is a row-major 3x4 matrix: scale and cross-axis terms, then bias.
type MotionIntrinsics struct {
	Data           [12]float32
	NoiseVariances [3]float32
	BiasVariances  [3]float32
}

// Extrinsics map a point p from one stream's coordinate system to another's: Rotation·p + Translation.
type Extrinsics struct {
	Rotation    [9]float64 // row-major (librealsense keeps it column-major)
	Translation [3]float64 // m
}

// Identity returns the extrinsics from a stream to itself.
func Identity() Extrinsics { return Extrinsics{Rotation: [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}} }

// Apply maps the point p.
func (e Extrinsics) Apply(p [3]float64) [3]float64 {
	r := e.Rotation
	return [3]float64{
		r[0]*p[0] + r[1]*p[1] + r[2]*p[2] + e.Translation[0],
		r[3]*p[0] + r[4]*p[1] + r[5]*p[2] + e.Translation[1],
		r[6]*p[0] + r[7]*p[1] + r[8]*p[2] + e.Translation[2],
	}
}

// Inverse returns the inverse map.
func (e Extrinsics) Inverse() Extrinsics {
	inv := Extrinsics{Rotation: Transpose(e.Rotation)}
	t := inv.Apply(e.Translation)
	inv.Translation = [3]float64{-t[0], -t[1], -t[2]}
	return inv
}

// Transpose turns a row-major matrix into a column-major one, and back.
func Transpose(r [9]float64) [9]float64 {
	return [9]float64{r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]}
}

// Then returns the map that applies e, then next.
func (e Extrinsics) Then(next Extrinsics) Extrinsics {
	var out Extrinsics
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				out.Rotation[3*i+j] += next.Rotation[3*i+k] * e.Rotation[3*k+j]
			}
		}
	}
	out.Translation = next.Apply(e.Translation)
	return out
}
