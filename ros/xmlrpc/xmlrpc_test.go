package xmlrpc

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"go.uber.org/goleak"

	"rsros/test/need"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// largest is the largest int, by its size in bits.
var largest = map[int]string{32: "<int>2147483647</int>", 64: "<i8>9223372036854775807</i8>"}

// values is the table for both directions: a value, and the documents that mean it. The first
// document is the one the encoder writes.
var values = []struct {
	name  string
	value any
	xml   []string
}{
	{"int", 7, []string{"<int>7</int>", "<i4>7</i4>", "<i8> 7 </i8>", "\n <int>7</int>\n"}},
	{"negative", -2147483648, []string{"<int>-2147483648</int>"}},
	{"largest", math.MaxInt, []string{largest[strconv.IntSize]}},
	{"true", true, []string{"<boolean>1</boolean>"}},
	{"false", false, []string{"<boolean>0</boolean>"}},
	{"double", 0.1, []string{"<double>0.1</double>", "<double>0.10000000000000001</double>"}},
	{"tiny double", 1e-300, []string{"<double>1e-300</double>"}},
	{"infinite", math.Inf(-1), []string{"<double>-inf</double>"}},
	{"string", "a b", []string{"<string>a b</string>", "a b", "<![CDATA[a b]]>", "<string>a<!-- x --> b</string>"}},
	{"empty string", "", []string{"<string></string>", "<string/>", ""}},
	{"markup", "<a & 'b'>\r\n", []string{"<string>&lt;a &amp; 'b'&gt;&#13;\n</string>", "&lt;a &amp; &apos;b&apos;>&#xD;\n"}},
	{"spaces", " x\n", []string{"<string> x\n</string>", " x\n", " x\r\n"}},
	{"unicode", "Tiefe ü 深度 �", []string{"<string>Tiefe ü 深度 �</string>"}},
	{"time", time.Date(2018, 7, 4, 1, 2, 3, 0, time.UTC),
		[]string{"<dateTime.iso8601>20180704T01:02:03</dateTime.iso8601>", "<dateTime.iso8601>2018-07-04T01:02:03Z</dateTime.iso8601>"}},
	{"bytes", []byte{0, 1, 2, 255}, []string{"<base64>AAEC/w==</base64>", "<base64>\nAAEC\n/w==\n</base64>"}},
	{"nil", nil, []string{"<nil/>", "<nil></nil>"}},
	{"array", []any{1, "x", []any{}}, []string{
		"<array><data><value><int>1</int></value><value><string>x</string></value><value><array><data></data></array></value></data></array>",
		"\n<array>\n<data>\n<value><i4>1</i4></value> <value>x</value><value><array><data/></array></value></data>\n</array>\n",
	}},
	{"struct", map[string]any{"b": 1, "a<": map[string]any{}}, []string{
		"<struct><member><name>a&lt;</name><value><struct></struct></value></member><member><name>b</name><value><int>1</int></value></member></struct>",
		"<struct>\n<member>\n<name>b</name>\n<value>\n<int>1</int></value>\n</member><member><name>a&lt;</name><value><struct/></value></member></struct>",
	}},
}

func TestDecode(t *testing.T) {
	for _, c := range values {
		for _, xml := range c.xml {
			document := header + "<methodResponse>\r\n<params><param><value>" + xml + "</value></param></params></methodResponse>\n"
			got, err := decodeResponse([]byte(document))
			if err != nil || !reflect.DeepEqual(got, c.value) {
				t.Errorf("%s: %s gives %#v, %v", c.name, xml, got, err)
			}
		}
	}
}

func TestEncode(t *testing.T) {
	for _, c := range values {
		document, err := encodeCall("m", []any{c.value})
		want := header + "<methodCall><methodName>m</methodName><params><param><value>" + c.xml[0] + "</value></param></params></methodCall>\n"
		if err != nil || string(document) != want {
			t.Errorf("%s: %s, %v", c.name, document, err)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	deep := any(1)
	for range maxDepth {
		deep = []any{deep}
	}
	for name, value := range map[string]any{
		"control character": "a\x00b", "broken UTF-8": "a\xffb", "channel": make(chan int), "too deep": deep, "other integer": uint64(1),
	} {
		if _, err := encodeResponse(value); err == nil {
			t.Errorf("%s was encoded", name)
		}
	}
}

func TestDecodeCall(t *testing.T) {
	for document, want := range map[string]struct {
		method string
		args   []any
	}{
		"<methodCall><methodName> getPid </methodName></methodCall>":                                                    {"getPid", []any{}},
		"<?xml version='1.0' encoding='utf-8'?><!-- hi --><methodCall><methodName>m</methodName><params/></methodCall>": {"m", []any{}},
		"<methodCall a='b'><methodName>m</methodName>\r\n<params><param><value>x</value></param></params></methodCall>": {"m", []any{"x"}},
	} {
		method, args, err := decodeCall([]byte(document))
		if err != nil || method != want.method || !reflect.DeepEqual(args, want.args) {
			t.Errorf("%s: %q %v %v", document, method, args, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	inValue := func(s string) string {
		return "<methodCall><methodName>m</methodName><params><param><value>" + s + "</value></param></params></methodCall>"
	}
	for name, document := range map[string]string{
		"nothing":           "",
		"no method":         "<methodCall><params/></methodCall>",
		"empty method":      "<methodCall><methodName/></methodCall>",
		"html":              "<html><body>404</body></html>",
		"torn":              "<methodCall><methodName>m</methodName><par",
		"trailing":          "<methodCall><methodName>m</methodName></methodCall><x/>",
		"entity bomb":       `<!DOCTYPE x [<!ENTITY a "aaaa">]>` + inValue("&a;"),
		"unknown entity":    inValue("&nbsp;"),
		"lone ampersand":    inValue("a & b"),
		"null reference":    inValue("&#0;"),
		"surrogate":         inValue("&#xD800;"),
		"bad int":           inValue("<int>1x</int>"),
		"huge int":          inValue("<int>99999999999999999999</int>"),
		"bad bool":          inValue("<boolean>yes</boolean>"),
		"bad double":        inValue("<double></double>"),
		"bad time":          inValue("<dateTime.iso8601>now</dateTime.iso8601>"),
		"bad base64":        inValue("<base64>!</base64>"),
		"unknown type":      inValue("<pickle>x</pickle>"),
		"text beside type":  inValue("x<int>1</int>"),
		"two types":         inValue("<int>1</int><int>2</int>"),
		"crossed tags":      inValue("<array><data></array></data>"),
		"unclosed comment":  inValue("<!-- "),
		"control character": inValue("a\x00"),
		"broken UTF-8":      inValue("\xff"),
		"nested too deep":   strings.Repeat(inValue("<array><data><value>"), 1) + strings.Repeat("<value><array><data>", 10000),
		"member, no value":  inValue("<struct><member><name>a</name></member></struct>"),
		"element in scalar": inValue("<int><b>1</b></int>"),
	} {
		_, _, err := decodeCall([]byte(document))
		syntax := new(SyntaxError)
		if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(document) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// serve starts a server for handle and returns its URL and a client.
func serve(t *testing.T, handle HandlerFunc) (string, *http.Client) {
	t.Helper()
	server := httptest.NewServer(NewHandler(handle, zerolog.Nop()))
	t.Cleanup(server.Close)
	return server.URL, server.Client()
}

func echo(_ context.Context, method string, args []any) (any, error) {
	switch method {
	case "echo":
		return args[0], nil
	case "fault":
		return nil, &Fault{Code: 42, Message: "as <asked>"}
	case "bad":
		return "\x00", nil
	}
	return nil, errors.New("unknown method\x01")
}

func TestCall(t *testing.T) {
	url, client := serve(t, echo)
	for _, c := range values {
		got, err := Call(t.Context(), client, url, "echo", c.value)
		if err != nil || !reflect.DeepEqual(got, c.value) {
			t.Errorf("%s: %#v, %v", c.name, got, err)
		}
	}
}

func TestFaults(t *testing.T) {
	url, client := serve(t, echo)
	for method, want := range map[string]Fault{
		"fault": {42, "as <asked>"}, "other": {1, "unknown method�"}, "bad": {1, `encode xml-rpc: XML can't carry byte 0 of "\x00"`},
	} {
		_, err := Call(t.Context(), client, url, method)
		fault := new(Fault)
		if !errors.As(err, &fault) || *fault != want {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestMulticall(t *testing.T) {
	url, client := serve(t, echo)
	call := func(method string, params ...any) any {
		return map[string]any{"methodName": method, "params": params}
	}
	got, err := Call(t.Context(), client, url, "system.multicall",
		[]any{call("echo", 1), call("fault"), call("echo", "x"), call("system.multicall", []any{}), "no call"})
	need.Must(t, err)
	malformed := map[string]any{"faultCode": 1, "faultString": "a call is a struct of methodName and params"}
	want := []any{[]any{1}, map[string]any{"faultCode": 42, "faultString": "as <asked>"}, []any{"x"}, malformed, malformed}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}

// TestReuse holds that one connection serves many calls, and that a call survives the server
// closing an idle one.
func TestReuse(t *testing.T) {
	opened := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		opened[r.RemoteAddr] = true
		NewHandler(echo, zerolog.Nop()).ServeHTTP(w, r)
	}))
	defer server.Close()
	for range 10 {
		if _, err := Call(t.Context(), server.Client(), server.URL, "echo", 1); err != nil {
			t.Fatal(err)
		}
	}
	if len(opened) != 1 {
		t.Errorf("%d connections", len(opened))
	}
	server.CloseClientConnections()
	if _, err := Call(t.Context(), server.Client(), server.URL, "echo", 1); err != nil {
		t.Error(err)
	}
}

func TestCallBounds(t *testing.T) {
	started := make(chan struct{})
	url, client := serve(t, func(ctx context.Context, _ string, _ []any) (any, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := Call(ctx, client, url, "wait"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	notFound := httptest.NewServer(http.NotFoundHandler())
	defer notFound.Close()
	if _, err := Call(t.Context(), client, notFound.URL, "m"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Error(err)
	}
	client.CloseIdleConnections()
}

func TestHandlerRefuses(t *testing.T) {
	url, client := serve(t, echo)
	response, err := client.Get(url)
	need.Must(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusMethodNotAllowed {
		t.Error(response.Status)
	}
	response, err = client.Post(url, "text/xml", strings.NewReader("<x"))
	need.Must(t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK { // a fault is an answer
		t.Error(response.Status)
	}
}
