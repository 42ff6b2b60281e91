package graph

import (
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/program"
	"rsros/test/need"
)

// Only what the user wrote is wrong usage; a master that can't be had is not.
func TestJoinErrors(t *testing.T) {
	m := testMaster(t)
	for name, c := range map[string]struct {
		o    JoinOptions
		want error
	}{
		"a bad name":      {JoinOptions{ROS: Config{Name: "1/x", MasterURI: m.URI()}}, program.ErrUsage},
		"a bad remap":     {JoinOptions{ROS: Config{Name: "x", MasterURI: m.URI(), Remaps: map[string]string{"a b": "c"}}}, program.ErrUsage},
		"a bad address":   {JoinOptions{ROS: Config{Name: "x", MasterURI: "nowhere"}}, program.ErrUsage},
		"a taken address": {JoinOptions{ROS: Config{Name: "x", MasterURI: m.URI(), Host: "127.0.0.1"}, Master: Embedded}, program.ErrNoMaster},
	} {
		c.o.Log = zerolog.Nop()
		n, err := Join(t.Context(), c.o)
		if err == nil {
			err = n.Close()
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestJoinNamesTheNode(t *testing.T) {
	m := testMaster(t)
	for given, unique := range map[string]bool{"": true, "mine": false} {
		n, err := Join(t.Context(), JoinOptions{
			ROS: Config{Name: given, MasterURI: m.URI(), Host: "127.0.0.1"}, Name: "play", Unique: true, Log: zerolog.Nop(),
		})
		need.Must(t, err)
		if got := n.Name(); unique && !strings.HasPrefix(got, "/play_") || !unique && got != "/mine" {
			t.Errorf("named %q, the node is %s", given, got)
		}
		need.Must(t, n.Close())
	}
}
