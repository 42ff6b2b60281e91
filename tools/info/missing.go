package info

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/tools/bagset"
)

// Series counts the missing messages of one publisher on one topic.
type Series struct {
	Topic     string `json:"topic"`
	Publisher string `json:"publisher,omitempty"` // "" if the recording doesn't say
	Missing   uint64 `json:"missing"`
	Unknown   bool   `json:"unknown,omitempty"` // the numbers don't count messages
}

// Missing finds gaps in the sequence numbers of headers: messages that a publisher's queue, a broken connection or the
// recorder lost. It reads all messages with a header, and returns the series with gaps and, after them, those whose
// numbers don't count messages, each sorted by topic, and what recorders dropped. Unreadable messages count as missing.
func Missing(ctx context.Context, path string, log zerolog.Logger) ([]Series, []Loss, error) {
	bags, _, err := bagset.Open([]string{path}, bagstore.OpenOptions{Context: ctx, Sequential: true, Verify: true}, log)
	defer bagset.Close(bags)
	if err != nil {
		return nil, nil, err
	}
	specs := make(map[*bagstore.Connection]*msgs.Spec)
	var cache msgs.Cache[*msgs.Spec]
	for _, c := range bags[0].Connections() {
		if spec, err := cache.Get(c.Type, c.Definition, msgs.Parse); err != nil {
			log.Warn().Str("topic", c.Topic).Msgf("gaps aren't looked for: %v", err)
		} else if spec.Numbered() {
			specs[c] = spec
		}
	}
	v := bagstore.NewView(bags, bagstore.Query{Connections: func(c *bagstore.Connection) bool { return specs[c] != nil }})
	numbers := make(map[*bagstore.Connection]*msgs.Numbers)
	walk := bagset.NewWalk(ctx, log)
	for m, err := range walk.Messages(v) {
		if err != nil {
			return nil, nil, err
		}
		n := numbers[m.Conn]
		if n == nil {
			n = new(msgs.Numbers)
			numbers[m.Conn] = n
		}
		if seq, ok := specs[m.Conn].Seq(m.Data); ok {
			n.Next(seq)
		} else {
			n.Skip()
		}
	}
	return missingSeries(numbers), Losses(ctx, bags[0]), ctx.Err()
}

func missingSeries(numbers map[*bagstore.Connection]*msgs.Numbers) []Series {
	list := []Series{}
	for c, n := range numbers {
		if s := (Series{c.Topic, c.CallerID, n.Missing(), !n.Counts()}); s.Missing > 0 || s.Unknown {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Series) int {
		known := cmp.Compare(min(b.Missing, 1), min(a.Missing, 1)) // 0 of those whose numbers don't count
		return cmp.Or(known, strings.Compare(a.Topic, b.Topic), strings.Compare(a.Publisher, b.Publisher))
	})
	return list
}

// WriteMissing writes a line for each series and each loss in the style of rosbag info.
func WriteMissing(w io.Writer, list []Series, dropped []Loss) error {
	var r rows
	for _, l := range dropped {
		r.add("dropped", l.String())
	}
	if len(list) == 0 {
		r.add("missing", "nothing, by header.seq")
	}
	for _, s := range list {
		from := ""
		if s.Publisher != "" {
			from = " from " + s.Publisher
		}
		if s.Unknown {
			r.add("missing", fmt.Sprintf("unknown for %s%s: its header.seq isn't consecutive", s.Topic, from))
		} else {
			r.add("missing", fmt.Sprintf("%d of %s%s, by header.seq", s.Missing, s.Topic, from))
		}
	}
	return r.write(w, len("compression"))
}
