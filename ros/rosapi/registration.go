package rosapi

import "context"

// Kind is a kind of registration. The first three are in the order of a master's state.
type Kind int

const (
	Publisher Kind = iota
	Subscriber
	Service
	ParamSubscription
)

var kinds = [...]struct{ name, register, unregister string }{
	Publisher:         {"publisher", "registerPublisher", "unregisterPublisher"},
	Subscriber:        {"subscriber", "registerSubscriber", "unregisterSubscriber"},
	Service:           {"service", "registerService", "unregisterService"},
	ParamSubscription: {"parameter subscription", "subscribeParam", "unsubscribeParam"},
}

// Registration is what a master is to know of a node. The functions may be nil. Except for Free, they are called by the
// goroutine of the Registrar, one at a time.
type Registration struct {
	Kind   Kind
	Name   string // of the topic, service or parameter
	Detail string // type of a topic, URI of a service

	// Free reports whether the name may be registered now. One that isn't free is asked about again at intervals. It is
	// called side by side with those of other registrations.
	Free func(context.Context) bool

	// Register is called before the master is told. It returns what is called with the answer.
	Register func() (answered func(any) error)

	// Publishers returns how many publishers of the subscribed topic the master has named. If its state has another
	// number, an update was lost.
	Publishers func() int

	refused bool // the master isn't told again
}

type key struct {
	kind Kind
	name string
}

func (r *Registration) key() key { return key{r.Kind, r.Name} }

// request returns the call that registers or unregisters what the node at a URI has.
func (r *Registration) request(self string, gone bool) request {
	method := kinds[r.Kind].register
	if gone {
		method = kinds[r.Kind].unregister
	}
	switch {
	case r.Kind == ParamSubscription:
		return request{method, []any{self, r.Name}}
	case !gone:
		return request{method, []any{r.Name, r.Detail, self}}
	case r.Kind == Service:
		return request{method, []any{r.Name, r.Detail}}
	default:
		return request{method, []any{r.Name, self}}
	}
}
