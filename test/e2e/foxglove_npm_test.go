//go:build npm

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPlayFoxgloveNPM plays a bag to the client that Lichtblick uses. It is fetched from npm, so the
// test has its own command: make test-npm.
func TestPlayFoxgloveNPM(t *testing.T) {
	here, modules := filepath.Join(repository(t), "test", "visitor"), npmModules(t, "visitor")
	bag, want := foxgloveBag(t)
	player, url := startFoxglove(t, bag)
	client := exec.CommandContext(t.Context(), "node", filepath.Join(here, "client.cjs"), url, "/text,/own,/third", "300", "/player/pause_playback", "/player/speed")
	client.Env = append(os.Environ(), "RS_NODE_MODULES="+modules)
	client.Stderr = os.Stderr
	printed, err := client.Output()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, printed, player.Output())
	}
	checkNPM(t, string(printed), want)
}

// decodeNPM is what test/visitor/client.cjs prints.
type decodeNPM struct {
	Subprotocol string
	Messages    map[string][]string
	Response    string
	Parameter   struct {
		Name, Type string
		Value      float64
	}
	Graph  struct{ PublishedTopics []struct{ Name string } }
	Errors []string
}

// checkNPM compares the client's output with the bag.
func checkNPM(t *testing.T, printed string, want map[string][]string) {
	t.Helper()
	var got decodeNPM
	if err := json.Unmarshal([]byte(printed), &got); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	for topic := range want {
		if !slices.Equal(got.Messages[topic], want[topic]) {
			t.Errorf("of %s came %d messages, expected %d; or they differ", topic, len(got.Messages[topic]), len(want[topic]))
		}
	}
	if got.Subprotocol != "foxglove.sdk.v1" || !strings.HasPrefix(got.Response, "00") && !strings.HasPrefix(got.Response, "01") ||
		got.Parameter.Value != 2.5 || got.Parameter.Type != "float64" || len(got.Graph.PublishedTopics) == 0 || len(got.Errors) > 0 {
		t.Errorf("the client says %s", printed)
	}
}
