// Package live publishes a device: a camera, the simulated one, or a recording that
// plays as a device. It opens the device, advertises its topics, services and
// parameters, passes its frames through a hub to the topics and the recorder, and
// publishes /diagnostics.
//
// It may use the camera drivers and the rooms node/control, node/graph,
// node/naming and node/record. A Node owns what it opened and every goroutine
// that it started; Close ends them in the reverse order and waits.
package live
