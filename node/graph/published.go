package graph

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"rsros/node/xmlrpc"
)

// PublishedTopics asks the master for the names of all published topics. It gives up
// after ten seconds.
func (n *Node) PublishedTopics(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	v, err := xmlrpc.Call(ctx, http.DefaultClient, n.masterURI, "getPublishedTopics", n.Name(), "")
	if err != nil {
		return nil, err
	}
	answer, _ := v.([]any)
	if len(answer) != 3 || answer[0] != 1 {
		return nil, fmt.Errorf("getPublishedTopics: the master answered %v", v)
	}
	list, _ := answer[2].([]any)
	var names []string
	for _, entry := range list {
		if pair, _ := entry.([]any); len(pair) == 2 {
			if name, ok := pair[0].(string); ok {
				names = append(names, name)
			}
		}
	}
	return names, nil
}
