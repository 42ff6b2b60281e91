// Package node puts the program together: it opens a source of frames, hands
// them through the hub to ROS topics and to a recorder, and plays bags back
// into the graph. Commands in cmd/ fill an options struct and call one function
// here: Live, Play, Record, Master, Demo.
//
// A frame's pixels are never copied on the way: the driver's buffer is
// reference counted (camdriver.Frame), every consumer retains it for as long as
// its own queue needs it, and each has a bound of its own, so a slow subscriber
// or disk loses its own data and nobody else's.
package node
