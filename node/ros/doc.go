// Package ros is a participant of a ROS 1 graph on raw bytes: it registers with
// a master, serves the slave API, publishes and subscribes over TCPROS (and
// publishes over UDPROS), serves and calls services, and reads, writes and
// follows parameters.
//
// Messages are encoded bytes. Publish takes a head, a body and a tail. Head and
// tail are small and are copied. The body (pixels, a replayed message) is written
// from the caller's memory to every subscriber's socket; msgs.Raw.Owner is released
// once, when the last subscriber is done with it. A received message is in a pooled
// buffer, valid until the callback returns, or until Release if the callback
// retained it.
//
// Every subscriber connection has its own queue, bounded in messages and bytes. A
// slow subscriber loses its own oldest messages only, and every loss is counted.
//
// A Node keeps a list of its registrations. One goroutine, the registrar, brings
// the master in line with the list: it waits for a master that isn't running yet
// and registers everything again when the master was restarted.
//
// All methods may be called from several goroutines. Close ends every goroutine
// that the node started.
package ros
