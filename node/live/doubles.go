package live

import (
	"context"
	"slices"
	"time"
)

// doublesEvery is how often the master is asked who else publishes our topics.
const doublesEvery = 3 * time.Second

// common are topics that every node may publish.
var common = []string{"/rosout", "/tf", "/tf_static", "/diagnostics", "/clock"}

// watchDoubles warns once of each other node that publishes a topic of this one, because
// subscribers then receive the frames of two cameras mixed. The other node, if it is a
// camera of ours, warns as well. Close stops the goroutine and waits for it.
func (n *Node) watchDoubles() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		known := map[string]bool{}
		tick := time.NewTicker(doublesEvery)
		defer tick.Stop()
		for {
			n.warnOfDoubles(ctx, known)
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	n.later(func() error { cancel(); <-done; return nil })
}

func (n *Node) warnOfDoubles(ctx context.Context, known map[string]bool) {
	doubles, err := n.joined.Doubles(ctx)
	if err != nil {
		return // the master is gone, or hangs; it is asked again
	}
	for topic, nodes := range doubles {
		for _, node := range nodes {
			if !known[node] && !slices.Contains(common, topic) {
				known[node] = true
				n.log.Warn().Str("node", node).Str("topic", topic).Msg("another node publishes this topic as well: subscribers receive frames of both cameras (use --camera or __ns:= for another name)")
			}
		}
	}
}
