// Package live publishes devices: cameras, simulated ones, or a recording that plays as a
// device. It opens the device, advertises its topics, services and parameters, passes its
// frames through a hub to the topics and the recorder, and publishes /diagnostics.
//
// It may use the camera drivers, node/control, node/graph, node/naming and node/record. A
// Node owns its devices and goroutines; Close ends them in reverse order and waits.
package live
