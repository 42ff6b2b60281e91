package ros2

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rsros/msgs"
	"rsros/test/need"
)

// twin writes random messages of a type in both forms.
type twin struct {
	rand  *rand.Rand
	order binary.ByteOrder
	cdr   []byte // without encapsulation
	ros1  []byte
}

func (w *twin) number(size int) {
	for len(w.cdr)%size != 0 {
		w.cdr = append(w.cdr, byte(w.rand.Uint32())) // padding has any value
	}
	b := make([]byte, 8)
	binary.LittleEndian.PutUint64(b, w.rand.Uint64()>>1)
	b = b[:size]
	b[size-1] &= 0x7f // no times before 1970
	w.ros1 = append(w.ros1, b...)
	for i := range b {
		if w.order == binary.BigEndian {
			i = size - 1 - i
		}
		w.cdr = append(w.cdr, b[i])
	}
}

func (w *twin) length(n, ros2 int) {
	for len(w.cdr)%4 != 0 {
		w.cdr = append(w.cdr, 0xaa)
	}
	b := make([]byte, 4)
	w.order.PutUint32(b, uint32(ros2))
	w.cdr = append(w.cdr, b...)
	w.ros1 = binary.LittleEndian.AppendUint32(w.ros1, uint32(n))
}

func (w *twin) message(s *msgs.Spec, dropped map[string]bool, path string) {
	if s.Name == "std_msgs/Header" {
		w.ros1 = append(w.ros1, 0, 0, 0, 0) // seq
	}
	if len(s.Fields) == 0 {
		w.cdr = append(w.cdr, 0)
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		start := len(w.ros1)
		n := 1
		if f.Array {
			if n = f.Len; n == msgs.Variable {
				n = w.rand.IntN(3)
				w.length(n, n)
			}
		}
		for range n {
			w.element(f, dropped, path)
		}
		if dropped[path+f.Name] {
			w.ros1 = w.ros1[:start]
		}
	}
}

func (w *twin) element(f *msgs.Field, dropped map[string]bool, path string) {
	switch f.Kind {
	case msgs.KindStruct:
		w.message(f.Sub, dropped, path+f.Name+".")
	case msgs.KindString:
		text := strings.Repeat("é", w.rand.IntN(4))
		w.length(len(text), len(text)+1)
		w.cdr = append(append(w.cdr, text...), 0)
		w.ros1 = append(w.ros1, text...)
	case msgs.KindTime, msgs.KindDuration:
		w.number(4)
		at := len(w.ros1)
		w.number(4)
		// Nanoseconds are below a second.
		ns := binary.LittleEndian.Uint32(w.ros1[at:]) % 1e9
		binary.LittleEndian.PutUint32(w.ros1[at:], ns)
		w.order.PutUint32(w.cdr[len(w.cdr)-4:], ns)
	default:
		w.number(f.Kind.Size())
	}
}

// TestKnownTypes maps random messages of every known type, in both byte orders.
func TestKnownTypes(t *testing.T) {
	for _, name := range known() {
		if _, ok := specials[ros1Names[name]]; ok {
			continue // see TestLog and TestRealsense
		}
		m := mapped(t, strings.Replace(name, "/", "/msg/", 1), "")
		if want, ok := msgs.Lookup(name); ok && m.Type != want {
			t.Errorf("%s: got MD5 %s, want %s", name, m.Type.MD5, want.MD5)
		}
		if s, err := msgs.Parse(m.Type.Name, m.Type.Definition); err != nil || s.MD5() != m.Type.MD5 {
			t.Errorf("%s: definition doesn't match the MD5: %v", name, err)
		}
		dropped := make(map[string]bool)
		for _, path := range m.Dropped {
			dropped[path] = true
		}
		for seed := range uint64(20) {
			w := twin{rand: rand.New(rand.NewPCG(seed, 1)), order: binary.LittleEndian}
			head := []byte{0, 1, 0, 0}
			if seed%2 == 1 {
				w.order, head[1] = binary.BigEndian, 0
			}
			w.message(m.plans[0].from, dropped, "") // TestForms has the others
			got, _, err := m.Convert([]byte("before"), append(head, w.cdr...))
			if err != nil || !bytes.Equal(got, append([]byte("before"), w.ros1...)) {
				t.Fatalf("%s, seed %d: %v\n%x became\n%x, want\n%x", name, seed, err, w.cdr, got, w.ros1)
			}
		}
	}
}

// TestForms checks that the fitting form of Marker, which depends on the release of ROS 2,
// is used.
func TestForms(t *testing.T) {
	m := mapped(t, "visualization_msgs/msg/Marker", "")
	if len(m.plans) != 2 || !strings.Contains(strings.Join(m.Dropped, " "), "texture_resource") {
		t.Fatalf("%d forms, dropped %q", len(m.plans), m.Dropped)
	}
	for seed := range uint64(50) {
		w := twin{rand: rand.New(rand.NewPCG(seed, 2)), order: binary.LittleEndian}
		w.message(m.plans[1].from, nil, "")
		got, _, err := m.Convert(nil, append([]byte{0, 1, 0, 0}, w.cdr...))
		if err != nil || !bytes.Equal(got, w.ros1) {
			t.Fatalf("seed %d: %v\n%x, want\n%x", seed, err, got, w.ros1)
		}
	}
}

func TestLog(t *testing.T) {
	m := mapped(t, "rcl_interfaces/msg/Log", "")
	blob := []byte("\x00\x01\x00\x00" + "\x05\x00\x00\x00\x06\x00\x00\x00" + "\x1e\x00\x00\x00" + "\x02\x00\x00\x00n\x00\x00\x00" +
		"\x02\x00\x00\x00m\x00\x00\x00" + "\x01\x00\x00\x00\x00\x00\x00\x00" + "\x01\x00\x00\x00\x00\x00\x00\x00" + "\x07\x00\x00\x00")
	out, _, err := m.Convert(nil, blob)
	need.Must(t, err)
	var l msgs.Log
	need.Must(t, msgs.Unmarshal(out, &l))
	if l.Header.Stamp != msgs.NewTime(5, 6) || l.Level != msgs.LogWarn || l.Name != "n" || l.Msg != "m" || l.Line != 7 {
		t.Errorf("%+v", l)
	}
}

// TestDefinition maps an unknown type by the definition in the recording.
func TestDefinition(t *testing.T) {
	const text = `# a comment
std_msgs/Header header
string<=10 name "a = default # no comment"  # a comment
int32[<=4] list [1, 2]
float64[3] xyz
string HELLO="a # b"
uint8 MAX=7 # the most
my_pkg/msg/Part[] parts
builtin_interfaces/Duration d
Part one

================================================================================
MSG: my_pkg/Part
uint8 a 5
builtin_interfaces/Time at
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
`
	m := mapped(t, "my_pkg/msg/Whole", text)
	s, err := msgs.Parse(m.Type.Name, m.Type.Definition)
	need.Must(t, err)
	var fields []string
	for _, f := range s.Fields {
		fields = append(fields, typeText(&f)+" "+f.Name)
	}
	const want = "std_msgs/Header header, string name, int32[] list, float64[3] xyz, my_pkg/Part[] parts, duration d, my_pkg/Part one"
	if got := strings.Join(fields, ", "); got != want {
		t.Errorf("fields %s, want %s", got, want)
	}
	if len(s.Constants) != 2 || s.Constants[0].Value != "a # b" || s.Constants[1].Value != "7" {
		t.Errorf("constants %v", s.Constants)
	}
	if !strings.Contains(m.Type.Definition, "uint32 seq") {
		t.Errorf("the Header isn't ROS 1's:\n%s", m.Type.Definition)
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct{ name, definition, want string }{
		{"pkg/srv/Add_Request", "int64 a", "service"},
		{"Image", "", "package/msg/Type"},
		{"my_pkg/msg/Unknown", "", "no definition"},
		{"my_pkg/msg/Missing", "Part p", "Part"},
		{"my_pkg/msg/Loop", "Loop l", "contains itself"},
		{"std_msgs/msg/String", "int32 data", "int32 in ROS 2 and string in ROS 1"},
		{"geometry_msgs/msg/Vector3", "float64 y\nfloat64 x\nfloat64 z", "earlier in ROS 1"},
	} {
		if _, err := Map(test.name, test.definition); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %q: %v, want %q", test.name, test.definition, err, test.want)
		}
	}
}

// TestGrowth checks the limit on the growth of messages with a hostile definition.
func TestGrowth(t *testing.T) {
	const text = "sensor_msgs/CameraInfo[] list\n" +
		"================================================================================\nMSG: sensor_msgs/CameraInfo\nuint8 x\n"
	m := mapped(t, "my_pkg/msg/List", text)
	message := append([]byte{0, 1, 0, 0, 0, 0, 16, 0}, make([]byte, 1<<20)...)
	if out, _, err := m.Convert(nil, message); err == nil || len(out) > 16<<20 {
		t.Errorf("%d bytes of %d, %v", len(out), len(message), err)
	}
}

// FuzzToROS1 maps arbitrary bytes as any known type and checks the result.
func FuzzToROS1(f *testing.F) {
	names := known()
	f.Add(uint16(0), []byte{0, 1, 0, 0, 1})
	for i, name := range names {
		if name == "sensor_msgs/Image" || name == "visualization_msgs/MarkerArray" {
			f.Add(uint16(i), []byte("\x00\x01\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00a\x00\x00\x00"))
		}
	}
	known := make(map[string]*Mapping)
	f.Fuzz(func(t *testing.T, which uint16, message []byte) {
		name := names[int(which)%len(names)]
		m := known[name]
		if m == nil {
			m = mapped(t, strings.Replace(name, "/", "/msg/", 1), "")
			known[name] = m
		}
		out, _, err := m.Convert(nil, message)
		if err != nil {
			return
		}
		s, err := msgs.Parse(m.Type.Name, m.Type.Definition)
		need.Must(t, err)
		if n, err := s.Size(out); err != nil || n != len(out) {
			t.Fatalf("%s: got %d bytes with a message of %d: %v", name, len(out), n, err)
		}
	})
}

// FuzzMap maps arbitrary definitions and converts messages of zeros.
func FuzzMap(f *testing.F) {
	f.Add("pkg/msg/Type", "int32 a\nstring<=5 b\nPart[3] c\n"+strings.Repeat("=", 80)+"\nMSG: pkg/Part\nuint8 x 3\n")
	f.Add("sensor_msgs/msg/Image", "std_msgs/Header header")
	f.Add("pkg/msg/Wide", "wstring a\nwstring[2] b")
	f.Fuzz(func(t *testing.T, name, definition string) {
		m, err := Map(name, definition)
		if err != nil {
			return
		}
		out, _, err := m.Convert(nil, make([]byte, 256))
		if err != nil {
			return
		}
		s, err := msgs.Parse(m.Type.Name, m.Type.Definition)
		if err != nil {
			t.Fatalf("%v\n%s", err, m.Type.Definition)
		}
		need.Must(t, s.Check(out))
	})
}

// TestWide converts wide strings with characters of all sizes.
func TestWide(t *testing.T) {
	m := mapped(t, "my_pkg/msg/Wide", "uint8 a\nwstring text\nwstring<=9[] list\nuint8 b\n")
	if want := "uint8 a\nstring text\nstring[] list\nuint8 b"; strings.TrimSpace(m.Type.Definition) != want {
		t.Errorf("definition %q, want %q", m.Type.Definition, want)
	}
	want := append([]byte{7, 7, 0, 0, 0}, "h\u00e9\U0001f600"...)
	want = append(want, 1, 0, 0, 0, 1, 0, 0, 0, 'x', 9)
	for name, text := range map[string]string{
		"2 bytes, little-endian": "00010000 07eeeeee 04000000 6800 e900 3dd8 00de 01000000 01000000 7800 09",
		"2 bytes, big-endian":    "00000000 07eeeeee 00000004 0068 00e9 d83d de00 00000001 00000001 0078 09",
		"4 bytes, little-endian": "00010000 07eeeeee 04000000 68000000 e9000000 3dd80000 00de0000 01000000 01000000 78000000 09",
		"4 bytes, big-endian":    "00000000 07eeeeee 00000004 00000068 000000e9 0000d83d 0000de00 00000001 00000001 00000078 09",
	} {
		blob, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
		need.Must(t, err)
		if got, _, err := m.Convert(nil, blob); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v\n%x, want\n%x", name, err, got, want)
		}
	}
}

// known returns the ROS 1 names of the types that can be mapped without a definition.
func known() []string {
	list := msgs.Types()
	for name := range forms() {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
