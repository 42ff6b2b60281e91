package graph

import (
	"context"
	"errors"
	"time"

	"rsros/node/ros"
)

// Params are a node's private parameters, as the parameter server returns them.
type Params = map[string]any

// PrivateParams gets the node's private parameters. It waits for the master, as
// roscpp does.
func PrivateParams(ctx context.Context, n *ros.Node) (Params, error) {
	for {
		v, ok, err := n.Param(ctx, "~")
		if err == nil {
			tree, _ := v.(map[string]any)
			if !ok {
				tree = nil
			}
			return tree, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-n.Done():
			return nil, errors.New("shut down before a master answered")
		case <-time.After(time.Second):
		}
	}
}
