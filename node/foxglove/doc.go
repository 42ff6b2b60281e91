// Package foxglove speaks the Foxglove WebSocket protocol, by which Foxglove and
// Lichtblick show a ROS graph without a bridge (docs/foxglove.md).
//
// In: a [Graph], which knows topics, services and parameters, perhaps a [Playback], and
// HTTP requests that ask for one of the protocol's subprotocols. Out: what each client
// subscribes to. A [Server] knows no ROS connection; node/foxglove/nodegraph has the
// Graph of a ROS node and the Playback of a player.
//
// Messages are shared: a client's queue holds references, and the bytes go to the
// socket from where the publisher has them. Whoever takes a [Message] retains its Body
// if it needs it after the call.
//
// A slow client loses its own messages only. Of messages above 64 KiB, such as images,
// only the newest of a topic waits for it; smaller ones wait in a bounded queue for each
// topic and are sent first, so that an image never holds up the samples of an IMU for
// longer than it takes to send. What is lost is counted and told.
//
// A Server may be used from several goroutines. Close ends all connections and waits
// for every goroutine.
package foxglove
