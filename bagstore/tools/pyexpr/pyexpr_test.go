package pyexpr

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// understood are expressions that must do what Python does.
var understood = []string{
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
            results.append(["T" if v else "F", str(v) if isinstance(v, (bool, int, float, str, type(None), type(t))) else ""])
        except Exception as e:
            results.append(["E", ""])
json.dump(out, sys.stdout)
`

// TestPythonSaysTheSame evaluates over the messages of a recording; where Python
// raises an exception we have an error.
func TestPythonSaysTheSame(t *testing.T) {
	python := need.Python(t, "rosbag")
	path := samplebag.SDK(t, "sw_small_raw.bag", "sdk.bag")
	texts, err := json.Marshal(understood)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	envs := sample(t, path)
	for i, text := range understood {
		x, err := Parse(text)
		if err != nil {
			if text != "2 ** 2 if False else 3" {
				t.Errorf("%s: %v", text, err)
			}
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

// sample is the messages that the Python program looks at.
func sample(t *testing.T, path string) (list []Env) {
	t.Helper()
	b, err := bagstore.Open(path, bagstore.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	v, err := bagstore.NewView([]*bagstore.Bag{b}, bagstore.Query{})
	if err != nil {
		t.Fatal(err)
	}
	it := v.Iterator()
	defer it.Close()
	for i := 0; it.Next(); i++ {
		if i%211 != 0 && i > 60 {
			continue
		}
		m := it.Message()
		spec, err := msgs.Parse(m.Conn.Type, m.Conn.Definition)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Env{Topic: m.Conn.Topic, Time: msgs.Time(m.Time), Spec: spec, Data: append([]byte(nil), m.Data...)})
	}
	return list
}

// TestRefused: what isn't understood is named, with its place.
func TestRefused(t *testing.T) {
	for source, want := range map[string]string{
		"":                              "column 1: the expression ends too early",
		"topic ==":                      "column 9: the expression ends too early",
		"topics == '/tf'":               "column 1: topics isn't understood; there are topic, m and t",
		"lambda x: x":                   "column 1: lambda isn't understood",
		"[x for x in m.data]":           "column 2: x isn't understood",
		"any(m.ranges)":                 "column 1: any isn't understood",
		"__import__('os').system('ls')": "column 1: __import__ isn't understood",
		"topic.replace('a', 'b')":       "column 7: the method replace isn't understood",
		"m.__class__()":                 "column 3: the method __class__ isn't understood",
		"re.match('a', topic)":          "column 1: re isn't understood",
		"topic.startswith()":            "column 7: startswith with 0 arguments isn't understood",
		"topic[1:]":                     "column 8: slices aren't understood",
		"topic[1](2)":                   "column 9: this call isn't understood",
		"m.data & 1":                    "column 8: & isn't understood here",
		"topic = '/tf'":                 "column 7: = isn't understood here",
		"2 ** 3":                        "column 3: ** isn't understood here",
		"m.x is None":                   "column 5: is isn't understood here",
		"f'{topic}'":                    "column 1: a string with the prefix f isn't understood",
		"b'x' in m.data":                "column 1: a string with the prefix b isn't understood",
		"'abc":                          "column 1: the string doesn't end",
		"012":                           "column 1: 012 is no number",
		"1x":                            "column 1: 1x is no number",
		"{}":                            "column 2: dictionaries aren't understood",
		"a b":                           "column 1: a isn't understood",
		"topic $":                       "column 7: '$' isn't understood",
		"(topic":                        "column 7: ) is expected, not the end",
		"not":                           "column 4: the expression ends too early",
		"topic not '/tf'":               "column 11: in is expected",
		strings.Repeat("(", 1000):       "too deep",
		strings.Repeat("1+", 40000):     "the limit is",
	} {
		_, err := Parse(source)
		if _, ok := errors.AsType[*SyntaxError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", source, err, want)
		}
	}
}

// FuzzParse: no expression does harm, whatever the message.
func FuzzParse(f *testing.F) {
	for _, source := range understood {
		f.Add(source, []byte{3, 0, 0, 0, 'a', 'b', 'c'})
	}
	spec, err := msgs.Parse("x/All", "string data\nuint8[] bytes\nfloat64[3] three\ntime stamp\nHeader header\nstring[] names\nint32 N=3\n"+
		strings.Repeat("=", 80)+"\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n")
	if err != nil {
		f.Fatal(err)
	}
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
