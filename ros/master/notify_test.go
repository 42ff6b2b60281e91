package master

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/rs/zerolog"

	"rsros/ros/xmlrpc"
)

// TestFailedUpdateIsReplaced checks that an update that failed isn't repeated if a newer one waits.
func TestFailedUpdateIsReplaced(t *testing.T) {
	n := newNotifier(zerolog.Nop(), nil)
	defer n.close()
	got := make(chan string, 10)
	var server *httptest.Server
	failed := false
	server = httptest.NewServer(xmlrpc.NewHandler(func(_ context.Context, _ string, args []any) (any, error) {
		got <- args[1].(string) + args[2].(string)
		if !failed {
			failed = true
			n.queue(server.URL, update{publisherUpdate, "/t", "new"})
			n.queue(server.URL, update{publisherUpdate, "/u", "last"})
			return nil, errors.New("not now")
		}
		return []any{1, "", 0}, nil
	}, zerolog.Nop()))
	defer server.Close()
	n.queue(server.URL, update{publisherUpdate, "/t", "old"})
	for _, want := range []string{"/told", "/tnew", "/ulast"} {
		if text := <-got; text != want {
			t.Errorf("the node is told %s, want %s", text, want)
		}
	}
}
