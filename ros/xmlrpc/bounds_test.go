package xmlrpc

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/program/buffers"
	"rsros/test/need"
)

// TestRequestBounds holds what a request may cost: six bodies of 64 MiB of empty values once took 3.2 GB.
func TestRequestBounds(t *testing.T) {
	now, second := zerolog.TimestampFunc, time.Unix(1, 0) // both refusals are in the same second, however long they take
	zerolog.TimestampFunc = func() time.Time { return second }
	defer func() { zerolog.TimestampFunc = now }() // after the server has closed
	var log bytes.Buffer
	server := httptest.NewServer(NewHandler(echo, zerolog.New(&log)))
	defer server.Close()
	url, client := server.URL, server.Client()
	open := "<methodCall><methodName>echo</methodName><params><param><value><array><data>"
	end := "</data></array></value></param></params></methodCall>"
	post := func(body io.Reader) int {
		t.Helper()
		response, err := client.Post(url, "text/xml", body)
		need.Must(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		need.Must(t, err)
		if response.StatusCode == http.StatusOK && !bytes.Contains(text, []byte("<fault>")) {
			t.Errorf("a request above the bounds was answered")
		}
		return response.StatusCode
	}
	if got := post(strings.NewReader(open + strings.Repeat("<value/>", maxValues) + end)); got != http.StatusOK {
		t.Errorf("too many values: HTTP status %d, want a fault", got)
	}
	if got := post(strings.NewReader(open + strings.Repeat(" ", maxDocument) + end)); got != http.StatusRequestEntityTooLarge {
		t.Errorf("too many bytes: HTTP status %d", got)
	}
	if text := log.String(); strings.Count(text, "refused") != 1 || !strings.Contains(text, "more than 1048576 values") || !strings.Contains(text, "127.0.0.1") {
		t.Errorf("two refused requests in a second are logged as %q", text)
	}
	if used := buffers.PeerInput.Used(); used != 0 {
		t.Errorf("%d bytes of the budget are still in use", used)
	}
}

// TestLatin1: rosmaster reads what a client sends in ISO-8859-1.
func TestLatin1(t *testing.T) {
	const document = "<?xml version='1.0' encoding='iso-8859-1'?><methodCall><methodName>m</methodName>" +
		"<params><param><value><string>gr\xfc\xdfe</string></value></param></params></methodCall>"
	if _, args, err := decodeCall([]byte(document)); err != nil || args[0] != "grüße" {
		t.Errorf("%q, %v", args, err)
	}
	var bad *SyntaxError
	if _, _, err := decodeCall([]byte(strings.Replace(document, "iso-8859-1", "UTF-8", 1))); !errors.As(err, &bad) {
		t.Errorf("text that isn't UTF-8: %v", err)
	}
}
