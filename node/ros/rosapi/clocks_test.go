package rosapi

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

func TestCertain(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }
	for _, c := range []struct {
		date, asked, answered float64
		want                  time.Duration
	}{
		{0, 0.2, 0.3, 0},
		{0, -0.2, 0.1, 0},
		{0, 0.99, 1.01, 0},
		{10, 0.2, 0.5, 9500 * time.Millisecond},
		{-10, 0.25, 0.5, -9250 * time.Millisecond},
		{2, -60, 60, 0}, // a slow answer proves nothing
	} {
		if got := minOffset(at(c.date), at(c.asked), at(c.answered)); got != c.want {
			t.Errorf("date %v, asked at %v, answered at %v: %v ahead, want %v", c.date, c.asked, c.answered, got, c.want)
		}
	}
}

// A clock difference is reported once, and so is its end.
func TestClocks(t *testing.T) {
	var off time.Duration
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
		w.Write([]byte("<methodResponse><params><param><value><array><data><value><i4>1</i4></value><value></value><value><i4>7</i4></value></data></array></value></param></params></methodResponse>")) //nolint:errcheck // test
	}))
	defer server.Close()
	var log bytes.Buffer
	c := NewCaller("/n")
	c.WatchClocks(zerolog.New(&log))
	ask := func() string {
		t.Helper()
		log.Reset()
		if v, err := c.Call(t.Context(), server.URL, "getPid"); err != nil || v != 7 {
			t.Fatal(v, err)
		}
		return log.String()
	}
	if got := ask(); got != "" {
		t.Errorf("equal clocks: %s", got)
	}
	off = -time.Hour
	if said := ask(); !strings.Contains(said, `"host":"127.0.0.1","behind":"at least 59m`) {
		t.Errorf("an hour behind: %q", said)
	}
	if said := ask(); said != "" {
		t.Errorf("said again: %s", said)
	}
	off = 0
	c.clocks.hosts["127.0.0.1"].logged = time.Time{} // long ago
	if said := ask(); !strings.Contains(said, "agree again") {
		t.Errorf("set right: %q", said)
	}
}
