package pyexpr

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// basic are expressions that must do what Python does.
var basic = []string{
	"True", "False", "None", "topic", "m", "t", "1", "0", "''", "'x'", "[]", "()", "(0,)", "[0]",
	"topic == '/device_0/info'", "topic != '/device_0/info'", "topic.startswith('/device_0/sensor_2')", "topic.endswith(('data', 'info'))",
	"'sensor_0' in topic", "'sensor_0' not in topic", "topic in ['/device_0/info', '/file_version']", "topic in ('/device_0/info')", "topic in {'/file_version'}",
	"topic == '/file_version' or topic == '/device_0/info' and not False", "not topic", "not not topic", "not 'not'", "(topic)",
	"t.secs >= 1", "t.secs == 0 and t.nsecs > 500", "t.to_sec() > 0.5", "t.to_sec() < 1e-6", "t.to_nsec() % 2 == 0", "t.nsecs // 1000 % 3 == 1", "0.2 < t.to_sec() <= 0.4",
	"t.is_zero()", "t.to_time() > 1", "t", "t == t", "t == 0", "t >= t", "t - t",
	"m._type == 'sensor_msgs/Imu'", "m._md5sum.startswith('6a62')", "m._type == 'sensor_msgs/Imu' and m.angular_velocity.x > 0",
	"m._type != 'sensor_msgs/Image' or m.header.seq % 2 == 0", "m._type == 'sensor_msgs/Image' and len(m.data) > 3072 and m.data[0] == 0",
	"m._type == 'sensor_msgs/Image' and m.data[-1] > 10 and 7 in m.data", "m._type == 'sensor_msgs/Image' and m.encoding in ['mono16', 'rgb8']",
	"m._type == 'sensor_msgs/CameraInfo' and m.K[0] > 0 and len(m.D) == 5 and m.P[10] == 1.0", "m._type == 'diagnostic_msgs/KeyValue' and m.key == 'Name'",
	"m._type == 'diagnostic_msgs/KeyValue' and m.value.lower().find('d') >= 0", "m._type == 'std_msgs/UInt32' and m.data == 3", "m._type == 'std_msgs/Float32' and m.data > 0",
	"m._type == 'sensor_msgs/Imu' and m.header.stamp > t", "m._type == 'sensor_msgs/Imu' and (m.header.stamp - t).to_sec() < 0.1", "m._type == 'sensor_msgs/Imu' and m.header.stamp.secs",
	"m._type == 'sensor_msgs/Imu' and min(m.linear_acceleration_covariance) == 0 and max(m.linear_acceleration_covariance[0], 3) >= 3",
	"m.header.stamp.to_sec() > 0", "m.nowhere", "m.data", "m.data.nowhere", "m[0]", "topic[0] == '/'", "topic[-1] == 'a'", "topic[1000]", "m.header.nowhere == 1",
	"1 + 2 * 3 == 7", "(1 + 2) * 3 == 9", "-7 // 2 == -4", "-7 % 3 == 2", "7 % -3 == -2", "-7.5 // 2 == -4.0", "-7.5 % 2 == 0.5", "7.5 % -2 == -0.5", "1 / 2 == 0.5", "1 / 0", "1.0 / 0", "1 % 0", "0.0 % 1",
	"2 ** 2 if False else 3", "1 == 1.0", "True == 1", "True + True == 2", "9007199254740993 == 9007199254740992.0", "9007199254740993 > 9007199254740992.0", "18446744073709551615 > 1e19",
	"0x1f == 31", "0b11 == 3", "0o17 == 15", "1_000 == 1000", "1e3 == 1000", ".5 == 0.5", "5. == 5", "1e400 > 1", "--1 == 1", "+1 == 1", "-True == -1", "- t.secs <= 0",
	"'a' < 'b'", "'a' < 'B'", "'é' > 'z'", "'a' + 'b' == 'ab'", "'a' 'b' == 'ab'", "'a' < 1", "1 < 'a'", "None < 1", "None == 0", "None == None", "'' == None", "[1, 2] == [1, 2]", "[1] == [2]", "[1, 2] != [1]",
	"1 in [1.0]", "'1' in [1]", "1 in '1'", "'a' in 'abc'", "'' in ''", "'é'[0] == 'é'", "len('日本') == 2", "'日本'[1] == '本'", `'\x41\u0042\n' == 'AB\n'`, `r'\d' == '\\d'`, `"it's" == 'it\'s'`, `'''a''' == 'a'`, `u'a' == 'a'`, `'\q' == '\\q'`,
	"0 < 1 < 2", "0 < 2 < 1", "1 < 0 < (1 / 0)", "1 == 1 == 1", "1 if topic else 2", "'' or 'x'", "0 and 1 / 0", "1 or 1 / 0", "not 1 == 2", "not True in [False]",
	"abs(-3) == 3", "abs(-2.5) == 2.5", "int(3.9) == 3", "int('12') == 12", "int(-3.9) == -3", "int('x')", "float('1.5') == 1.5", "float(3) == 3", "str(3) == '3'", "str(1.0) == '1.0'", "bool([])", "bool('0')", "len(topic) > 20", "len(3)",
	"min(3, 1, 2) == 1", "max([3, 1, 2]) == 3", "max([])", "min('a', 1)", "' a '.strip() == 'a'", "'aXa'.count('a') == 2", "'A'.lower() + 'b'.upper() == 'aB'", "(1).nowhere", "''.startswith(1)", "(1, 2)[0] == 1", "[[1, 2], [3]][1][0] == 3",
	"float('nan') == float('nan')", "float('nan') < 1", "float('nan') != 1", "float('inf') > 10", "[1, 'a', 2.5, None, True]", "'it\\'s'",
}

// commonlyWritten are expressions with comprehensions, slices and formats.
var commonlyWritten = []string{
	"any(x.child_frame_id == 'odom' for x in m.transforms)", "any(x.header.frame_id == 'map' and x.transform.translation.x > 0 for x in m.transforms)",
	"all(x.transform.rotation.w == 1 for x in m.transforms)", "[x.child_frame_id for x in m.transforms]", "any([x.child_frame_id == 'base_link' for x in m.transforms if x.header.seq])",
	"len([t for t in m.transforms if t.child_frame_id != 'odom']) > 0", "'odom' in [x.child_frame_id for x in m.transforms]", "{x.child_frame_id for x in m.transforms} == {'odom'}",
	"topic == '/tf' and m.transforms[0].child_frame_id in ('odom', 'base_link')", "m.transforms == []", "m.transforms[0] == m.transforms[0]", "m.transforms[0] == m.transforms[-1].transform", "m == m",
	"any(r < 0.5 for r in m.ranges)", "min(r for r in m.ranges if r > m.range_min) < 2", "sum(m.ranges) / len(m.ranges) > 1", "max(m.ranges[10:20])", "m.ranges[:3]", "m.ranges[-2:]", "m.ranges[::-50]", "m.intensities", "tuple(m.ranges)[:2]",
	"sum(abs(v) ** 2 for v in m.ranges) ** 0.5 > 1", "sum(m.ranges[i] for i in range(0, len(m.ranges), 20))", "list(m.ranges)[0] == m.ranges[0]", "m.ranges == list(m.ranges)", "m.ranges == tuple(m.ranges)",
	"m.data == [0, 1, 2]", "m.data == (0, 1, 2)", "m.data[:3] == [0, 0, 0]", "m.data[:12]", "m.data[5:0:-2]", "m.data[:0] == m.data[1:1]", "m.data[0:2] == m.data[0:2]", "any(b > 200 for b in m.data[:100])", "sum(m.data[:1000])", "m.data in [m.data]",
	"sum(x for x in m.K) > 0", "m.K", "m.K[0::4]", "m.K[2] == m.K[0:3][2]", "m.D == []", "m.D == ()", "m.K != m.P", "m.R[:3] == (1.0, 0.0, 0.0)", "m.fields[0].name", "[f.name for f in m.fields]", "m.fields[1:] == m.fields[1:]", "[(f.name, f.offset) for f in m.fields]",
	"topic[1:]", "topic[:-1]", "topic[::-1]", "topic[1:2] == 'd'", "topic[100:]", "'日本語'[1:]", "'abc'[True:]", "'abc'[2**70:]", "'abc'[-2**70:]", "'abc'[::0]", "'abc'['a':]", "[1, 2, 3, 4][1::2]", "(1, 2, 3)[-2:]", "{1, 2}[0:1]", "1[0:1]", "[1, 2, 3][2:0:-1]", "[1, 2, 3][5::-2]", "[][::-1]", "[1, 2, 3][None:2]",
	"2 ** 3 == 8", "2 ** -1", "-2 ** 2", "2 ** 3 ** 2", "(-8) ** 0.5 > 0", "0 ** 0", "0 ** -1", "0.0 ** -1", "(-1) ** 1001", "0 ** 1000", "2.5 ** 2", "2 ** 100", "2 ** 100 % 7", "10.0 ** 400", "True ** 2", "2 ** 'a'", "2 ** -2 ** 2", "t.to_sec() ** 2 > 0", "(-2) ** 3", "7 ** 2 // 3",
	"m is None", "m is not None", "None is None", "None is not None", "topic is None", "True is True", "True is not False", "1 is None", "False is None", "m.header is None", "not m is None", "(1 == 1) is True", "None is False",
	"topic.split('/')", "topic.split('/')[1] == 'device_0'", "topic.split('/')[-1]", "topic.split('/', 1)", "topic.split('/', -1)", "topic.split('')", "' a  b '.split()", "''.split()", "''.split('a')", "'a,b'.split(',') == ['a', 'b']", "topic.split(1)", "'/'.join(topic.split('/')[:3])", "', '.join(str(x) for x in [1, 2])", "'-'.join('abc')", "','.join([1])", "'a'.join(1)",
	"'{}'.format(topic)", "'{} {}'.format(1, 2.5)", "'{1} {0}'.format('a', 'b')", "'{:.2f}'.format(t.to_sec())", "'{:8.3f}|{:<8}|{:>8}|{:08.3f}'.format(1.5, 'ab', 'cd', -2.25)", "'{:d} {:5d} {:<5d}| {:05d} {:+d} {:x} {:X} {:b}'.format(1, 2, 3, -4, 5, 255, 255, 5)", "'{{}} {}'.format(1)", "'{!r} {!s}'.format('a', 'b')",
	"'{:e} {:g} {:.3g} {:.0f} {:E}'.format(12345.678, 0.0001, 123456.0, 2.5, 1e-10)", "'{:.3} {:5}|{:5}|'.format('abcdef', 'é', 7)", "'{}'.format()", "'{'.format(1)", "'}'.format(1)", "'{:d}'.format(1.5)", "'{:d}'.format('a')", "'{:s}'.format(1)", "'{:.2f}'.format(3)", "'{:.2f}'.format(float('inf'))", "'{:5}|{}'.format(1.5, None)", "'{} {}'.format(m.header.seq, m.header.stamp)", "'{:5}'.format(None)", "'{0:.1f} {0:.2f}'.format(1.25)", "'{} {1}'.format(1, 2)",
	"'%s' % topic", "'%s %d' % (topic, t.secs)", "'%.3f' % t.to_sec()", "'%5d|%-5d|%05d|%+d' % (1, 2, -3, 4)", "'%s' % (1,)", "'%s %s' % 1", "'%d' % 1.9", "'%d' % 'a'", "'%x %X %o' % (255, 255, 8)", "'%e %g' % (12345.678, 1e-5)", "'%% %s' % 1", "'%' % 1", "'a' % 1", "'%r' % 'a'", "'%10s|%-10s|%.2s' % ('ab', 'cd', 'efg')", "'%s' % [1, 'a']", "'%s' % None", "'%5s' % True", "'%f' % float('nan')", "'%g' % 100000", "'%g' % 1000000", "'%s' % ((1, 2),)", "'%.2f' % 'a'",
	"(1, 2)", "(1,)", "(topic, t.secs)", "(topic, t)", "[t, t - t]", "(m.header.seq, m.header.stamp)", "['a', \"it's\", 'é', '\\n', '\\x00\\u200b']", "(None, True, 1.0, 10 ** 20)", "((1, 2), [3])", "()", "[()]", "(1, 2) == [1, 2]", "(1, 2) == (1, 2)", "{1, 2} == {2, 1}", "{1} == [1]", "{1, 1} == {1}", "len({1, 1.0, True})", "[[1], [2]] == [[1], [2]]",
	"any([])", "all([])", "any(1)", "sum([])", "sum([1, 2], 3)", "sum([0.5, True])", "sum(['a'])", "sum(1)", "any(x > 1 for x in [0, 1, 2])", "all(x for x in '')", "[x * y for x in [1, 2] for y in [3, 4] if x != y]", "[[y for y in range(x)] for x in range(4)]", "[x for x in [1, 2, 3] if x > 1 if x < 3]", "[x if x else -1 for x in [0, 1]]", "[m for m in [1, 2]]", "(x for x in [1])",
	"[topic for topic in ['a']] == ['a'] and topic != 'a'", "sum((x for x in [1, 2]))", "1 in (x for x in [0, 1])", "[c for c in 'aé']", "list(range(3))", "list(range(5, 0, -2))", "list(range(1, 4))", "list(range(0))", "tuple('ab')", "set('aa') == {'a'}", "[0] in [[0]]", "['a', 'b'].index('b')", "'abc'.index('c')", "[1].index(2)", "'abc'.index('x')", "[1, 1.0, 2].count(1)", "(1, 2).index(2)", "[x for x in 1]", "max(x for x in [])", "[x for x in (1, 2)][::-1]",
}

// evaluated evaluates expressions as rosbag filter does.
const evaluated = `
import sys, json, rosbag
texts = json.load(sys.stdin)
fns = [eval("lambda topic, m, t: %s" % text) for text in texts]
out = [[] for _ in texts]
for i, (topic, m, t) in enumerate(rosbag.Bag(sys.argv[1]).read_messages()):
    if i % 211 and i > 60:
        continue
    for fn, results in zip(fns, out):
        try:
            v = fn(topic, m, t)
            results.append(["T" if v else "F", str(v) if isinstance(v, (bool, int, float, str, type(None), type(t), type(t - t), list, tuple, bytes)) else ""])
        except Exception as e:
            results.append(["E", ""])
json.dump(out, sys.stdout)
`

// TestLikePython compares results with Python's over the messages of recordings.
// An exception in Python is an error here.
func TestLikePython(t *testing.T) {
	for _, path := range []string{samplebag.SDK(t, "sw_small_raw.bag", "sdk.bag"), samplebag.Robot(t, "robot.bag")} {
		t.Run(filepath.Base(path), func(t *testing.T) { compareWithPython(t, path, slices.Concat(basic, commonlyWritten)) })
	}
}

func compareWithPython(t *testing.T, path string, expressions []string) {
	python := need.Python(t, "rosbag")
	texts, err := json.Marshal(expressions)
	need.Must(t, err)
	cmd := exec.Command(python, "-W", "ignore", "-c", evaluated, path)
	cmd.Stdin = strings.NewReader(string(texts))
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("%v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var want [][][2]string
	need.Must(t, json.Unmarshal(out, &want))
	envs := sample(t, path)
	for i, text := range expressions {
		x, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if len(envs) != len(want[i]) {
			t.Fatalf("%d messages, Python has %d", len(envs), len(want[i]))
		}
		for j, env := range envs {
			got := "F"
			holds, err := x.Holds(env)
			if err != nil {
				got = "E"
			} else if holds {
				got = "T"
			}
			if got != want[i][j][0] {
				t.Errorf("%s of message %d on %s: %s (%v), Python says %s", text, j, env.Topic, got, err, want[i][j][0])
				break
			}
			var printed strings.Builder
			if err := x.WriteValue(&printed, env); err == nil && want[i][j][1] != "" && printed.String() != want[i][j][1] {
				t.Errorf("%s of message %d is printed as %s, by Python as %s", text, j, &printed, want[i][j][1])
				break
			}
		}
	}
}

// sample returns the messages that the Python program evaluates.
func sample(t *testing.T, path string) (list []Env) {
	t.Helper()
	i := -1
	samplebag.Each(t, func(m bagstore.Message) {
		if i++; i%211 != 0 && i > 60 {
			return
		}
		spec, err := msgs.Parse(m.Conn.Type, m.Conn.Definition)
		need.Must(t, err)
		list = append(list, Env{Topic: m.Conn.Topic, Time: msgs.Time(m.Time), Spec: spec, Data: slices.Clone(m.Data)})
	}, samplebag.Open(t, path))
	return list
}

// TestRefused checks that syntax errors name the place and what was found.
func TestRefused(t *testing.T) {
	for source, want := range map[string]string{
		"":                              "column 1: unexpected end of expression",
		"topic ==":                      "column 9: unexpected end of expression",
		"topics == '/tf'":               "column 1: topics is not supported; use topic, m and t",
		"lambda x: x":                   "column 1: lambda is not supported",
		"[x for y in m.data]":           "column 2: x is not supported",
		"[x, y for x in m.data]":        "column 2: x is not supported",
		"any(x for x in m.data, 1)":     "column 22: expected ), found ,",
		"[x for 1 in m.data]":           "column 8: unexpected 1",
		"[x for x in y]":                "column 13: y is not supported",
		"{x: 1 for x in m.data}":        "column 3: unexpected :",
		"map(m.ranges)":                 "column 1: map is not supported",
		"__import__('os').system('ls')": "column 1: __import__ is not supported",
		"topic.replace('a', 'b')":       "column 7: method replace is not supported",
		"m.__class__()":                 "column 3: method __class__ is not supported",
		"re.match('a', topic)":          "column 1: re is not supported",
		"topic.startswith()":            "column 7: startswith with 0 arguments is not supported",
		"topic[]":                       "column 7: unexpected ]",
		"topic[1:2:3:4]":                "column 12: expected ], found :",
		"topic[1](2)":                   "column 9: calling this value is not supported",
		"m.data & 1":                    "column 8: unexpected &",
		"topic = '/tf'":                 "column 7: unexpected =",
		"2 ** ":                         "column 6: unexpected end of expression",
		"m.x is":                        "column 7: unexpected end of expression",
		"f'{topic}'":                    "column 1: string prefix f is not supported",
		"b'x' in m.data":                "column 1: string prefix b is not supported",
		"'abc":                          "column 1: unterminated string",
		"012":                           "column 1: invalid number 012",
		"1x":                            "column 1: invalid number 1x",
		"{}":                            "column 2: dictionaries are not supported",
		"a b":                           "column 1: a is not supported",
		"topic $":                       "column 7: unexpected '$'",
		"(topic":                        "column 7: expected ), found end of expression",
		"not":                           "column 4: unexpected end of expression",
		"topic not '/tf'":               "column 11: expected in",
		strings.Repeat("(", 1000):       "nested too deeply",
		strings.Repeat("1+", 40000):     "the limit is",
	} {
		_, err := Parse(source)
		if _, ok := errors.AsType[*SyntaxError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", source, err, want)
		}
	}
}

// TestBounds checks the limits on steps and memory.
func TestBounds(t *testing.T) {
	spec, err := msgs.Parse("x/Large", "uint8[] data\nstring[] names\n")
	need.Must(t, err)
	const n = 1 << 16
	data := slices.Concat([]byte{0, 0, 1, 0}, make([]byte, n), []byte{0, 0, 1, 0}, make([]byte, 4*n))
	for source, want := range map[string]string{
		"any(x > y for x in m.data for y in m.data)":                       "steps",
		"any(m.names[i] == 'a' for i in range(len(m.names)))":              "steps",
		"any(m.names != m.names for x in range(1000))":                     "steps",
		"any(m.names[-1] == 'a' for i in range(10000000))":                 "steps",
		"[[x for x in m.data] for y in m.data]":                            "MiB of memory",
		"'%1000d' % 1 == [('%1000d' % 1) for x in m.data for y in m.data]": "MiB of memory",
		"'{:1001}'.format(1)":                                              "width",
		"'%.1001f' % 1":                                                    "precision",
		"10 ** 5000":                                                       "4300 digits",
		"10 ** 10 ** 10":                                                   "digits",
		strings.Repeat("(10 ** 4000) * ", 100) + "1":                       "4300 digits",
		"any(str(m.data) == 'a' for x in m.data)":                          "steps",
		"len(" + strings.Repeat("[[x, x] for x in [", 30) + "1" + strings.Repeat("]][0]", 30) + ") == 2":  "",
		"str(" + strings.Repeat("[[x, x] for x in [", 30) + "1" + strings.Repeat("]][0]", 30) + ") == ''": "s",
	} {
		x, err := Parse(source)
		if err != nil {
			t.Errorf("%.60s: %v", source, err)
			continue
		}
		if _, err = x.Holds(Env{Spec: spec, Data: data}); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60s: %.300v, want %q", source, err, want)
		}
	}
}

// TestCancelled checks that a long evaluation ends with its context.
func TestCancelled(t *testing.T) {
	x, err := Parse("any(a > b for a in range(2000) for b in range(2000) if a < 0)")
	need.Must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	if holds, err := x.Holds(Env{Context: ctx}); holds || err != nil {
		t.Error(holds, err)
	}
	cancel()
	if _, err := x.Holds(Env{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// BenchmarkHolds evaluates common expressions over a message with an image.
func BenchmarkHolds(b *testing.B) {
	spec, err := msgs.Parse("x/Image", "Header header\nuint32 height\nuint8[] data\n"+strings.Repeat("=", 80)+"\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n")
	need.Must(b, err)
	data := append(make([]byte, 20), []byte{0, 0, 16, 0}...)
	data = append(data, make([]byte, 1<<20)...)
	for _, source := range []string{"topic == '/tf' and m.height > 3", "t.to_sec() > 12.5 and m.header.seq % 10 == 0 or topic.startswith('/camera')", "7 in m.data", "max(m.data) > 3"} {
		b.Run(source, func(b *testing.B) {
			x, err := Parse(source)
			need.Must(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Holds(Env{Topic: "/tf", Time: 13e9, Spec: spec, Data: data}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzParse parses any expression and evaluates it over any message.
func FuzzParse(f *testing.F) {
	for _, source := range slices.Concat(basic, commonlyWritten) {
		f.Add(source, []byte{3, 0, 0, 0, 'a', 'b', 'c'})
	}
	spec, err := msgs.Parse("x/All", "string data\nuint8[] bytes\nfloat64[3] three\ntime stamp\nHeader header\nstring[] names\nint32 N=3\n"+
		strings.Repeat("=", 80)+"\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n")
	need.Must(f, err)
	f.Fuzz(func(t *testing.T, source string, data []byte) {
		x, err := Parse(source)
		if err != nil {
			return
		}
		env := Env{Topic: "/topic", Time: msgs.Time(len(source)), Spec: spec, Data: data}
		holds, err := x.Holds(env)
		var out strings.Builder
		printErr := x.WriteValue(&out, env)
		if (err == nil) != (printErr == nil) {
			t.Errorf("%q is %v, %v; printed %q, %v", source, holds, err, &out, printErr)
		}
	})
}
