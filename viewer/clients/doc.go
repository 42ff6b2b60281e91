// Package clients serves browsers and programs over WebSocket, whatever protocol they
// speak on it. A protocol, such as the viewer's or Foxglove's, says what the messages are;
// this package has the rest: queues, credit, drops, pings, and bounds on memory.
//
// A [Subscription] is a bounded queue between a channel and a client: it drops its oldest
// message when it is full, and where the protocol has credit, it sends no more than the
// client asked for. A client that is slow loses its own messages and nobody else's.
//
// A message is a type that embeds [Shared]. It is counted by reference and waits for any number of clients without
// being copied; the last release frees it. All clients together share one [Budget] in bytes.
//
// Each client has two goroutines, one that reads and one that writes. Servers, clients and subscriptions may be used
// from any goroutine, and nothing here waits for a client but [Server.Serve], Drain and Close.
package clients
