package xmlrpc

import (
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

// python returns the interpreter that runs rospy's side of the connection.
func python(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/usr/bin/python3", "python3"} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	need.Missing(t, "no python3")
	return ""
}

// interop is what Python's xmlrpc can say: no nil by default, no integers above 32 bit.
var interop = []any{
	7, -2147483648, true, false, 0.1, 1e-300, "a b", "", "<a & 'b'>\n", " x ", "Tiefe ü 深度",
	[]any{1, "x", []any{}}, map[string]any{"b": 1, "a<": map[string]any{"c": []any{true}}},
}

const pythonServer = `
from xmlrpc.server import SimpleXMLRPCServer, SimpleXMLRPCRequestHandler
SimpleXMLRPCRequestHandler.protocol_version = 'HTTP/1.1'
s = SimpleXMLRPCServer(('127.0.0.1', 0), logRequests=False)
s.register_function(lambda x: x, 'echo')
s.register_multicall_functions()
print('http://127.0.0.1:%d/' % s.server_address[1], flush=True)
s.serve_forever()
`

func TestPythonServer(t *testing.T) {
	server := peer.Start(t, os.Environ(), python(t), "-c", pythonServer)
	server.Await("its address", func(out string) bool { return strings.HasSuffix(out, "\n") })
	url := server.Stdout()
	_, client := serve(t, echo)
	for _, value := range interop {
		got, err := Call(t.Context(), client, strings.TrimSpace(url), "echo", value)
		if err != nil || !reflect.DeepEqual(got, value) {
			t.Errorf("%#v comes back as %#v, %v", value, got, err)
		}
	}
	if _, err := Call(t.Context(), client, strings.TrimSpace(url), "missing"); err == nil || !strings.Contains(err.Error(), "not supported") {
		t.Error(err)
	}
}

const pythonClient = `
import sys, xmlrpc.client
p = xmlrpc.client.ServerProxy(sys.argv[1])
for v in [7, -2147483648, True, 0.1, float('inf'), 'a b', '', "<a & 'b'>\n", ' x ', 'ü 深度', [1, 'x', []], {'b': 1, 'a<': {'c': [True]}},
          xmlrpc.client.Binary(b'\0\xff'), xmlrpc.client.DateTime('20180704T01:02:03')]:
    assert p.echo(v) == v and type(p.echo(v)) == type(v), v
try:
    p.fault()
    assert False
except xmlrpc.client.Fault as f:
    assert (f.faultCode, f.faultString) == (42, 'as <asked>')
m = xmlrpc.client.MultiCall(p)
m.echo(1); m.echo('x')
assert list(m()) == [1, 'x']
`

func TestPythonClient(t *testing.T) {
	url, _ := serve(t, echo)
	if out, err := exec.CommandContext(t.Context(), python(t), "-c", pythonClient, url).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
