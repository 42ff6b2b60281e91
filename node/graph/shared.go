package graph

import (
	"context"
	"slices"
	"strings"
	"time"

	"rsros/node/ros"
)

// providerTime bounds how long a service's provider has to answer.
const providerTime = 2 * time.Second

// OfferShared offers services whose names other nodes may use as well, such as those
// below a camera's name. The master gives a service to the last node that registers it,
// so a service that another node provides and answers is left to that node and logged.
func OfferShared(n *ros.Node, list ...Service) (Services, error) {
	return Offer(n, slices.DeleteFunc(slices.Clone(list), func(s Service) bool {
		by := provider(n, s.Name)
		if log := n.Log(); by != "" {
			log.Warn().Str("service", s.Name).Str("node", by).Msg("another node provides this service and keeps it")
		}
		return by != ""
	})...)
}

// provider returns the name of another node that provides a service, or "".
func provider(n *ros.Node, service string) string {
	if strings.HasPrefix(service, "~") {
		return "" // below the node's own name
	}
	ctx, cancel := context.WithTimeout(context.Background(), providerTime)
	defer cancel()
	name, err := n.ServiceProvider(ctx, service)
	if err != nil || name == n.Name() {
		return ""
	}
	return name
}
