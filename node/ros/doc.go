// Package ros is a participant of a ROS 1 graph on raw bytes: it registers with
// a master, serves the slave API, publishes and subscribes over TCPROS (and
// publishes over UDPROS), serves and calls services, and reads, writes and
// follows parameters.
//
// A message is bytes from the moment it is made. Publish takes a head, a body
// and a tail; head and tail are small and copied, the body (pixels, a replayed
// message) goes from the caller's memory into every subscriber's socket and is
// given back once, through msgs.Raw.Owner, when the last one is done with it.
// A received message lives in a pooled buffer that is valid until the callback
// returns, or until Release if the callback retained it.
//
// Every subscriber connection has a queue of its own, bounded in messages and
// bytes. A slow subscriber loses its oldest messages and nobody else's; each
// loss is counted.
//
// A Node keeps what it wants registered and a single goroutine, the registrar,
// brings the master in line with it: a master that isn't there yet is waited
// for, one that was restarted is told everything again.
//
// All methods may be called from several goroutines. Close ends every goroutine
// that the node started.
package ros
