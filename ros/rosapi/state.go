package rosapi

import (
	"context"
	"fmt"
	"iter"
)

// SystemState has the names of nodes by topic or service: of publishers, subscribers and providers, each at its Kind.
type SystemState [3]map[string][]string

// SystemState asks a master for its state.
func (c *Caller) SystemState(ctx context.Context, master string) (s SystemState, err error) {
	answer, err := c.Call(ctx, master, "getSystemState")
	if err != nil {
		return s, err
	}
	lists, _ := answer.([]any)
	if len(lists) != len(s) {
		return s, fmt.Errorf("getSystemState: the master answered %d lists, not publishers, subscribers and services",
			len(lists))
	}
	for i := range s {
		s[i] = map[string][]string{}
		for name, nodes := range Pairs(lists[i]) {
			nodes, _ := nodes.([]any)
			for _, node := range nodes {
				if text, ok := node.(string); ok {
					s[i][name] = append(s[i][name], text)
				}
			}
		}
	}
	return s, nil
}

// Pairs yields the entries [name, value] of a list.
func Pairs(list any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		entries, _ := list.([]any)
		for _, entry := range entries {
			if pair, _ := entry.([]any); len(pair) == 2 {
				if name, _ := pair[0].(string); name != "" && !yield(name, pair[1]) {
					return
				}
			}
		}
	}
}
