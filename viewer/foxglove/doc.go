// Package foxglove serves the Foxglove WebSocket protocol, with which Foxglove and
// Lichtblick show a ROS graph without a bridge (docs/foxglove.md).
//
// A [Server] sends each client the messages of a [Source] to which the client subscribes, and lets it
// control a [Playback]. It has no ROS connections. Package viewer has the Source and the Playback
// of what it shows; node/view has the [Graph] of a ROS node.
//
// Messages are shared: a client's queue holds references, and the bytes are written to the socket from the publisher's
// memory. A function that is passed a [Message] must retain its Body to use it after the call.
//
// A slow client loses only its own messages. Of messages above 64 KiB, such as images, only the newest of each topic
// waits for it. Smaller ones wait in a bounded queue for each topic and are sent first, so that an image delays the
// samples of an IMU at most for the time it takes to send. Drops are counted and reported to the client.
//
// A Server may be used from several goroutines. Close ends all connections and waits for every goroutine.
package foxglove
