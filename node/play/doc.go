// Package play plays bags into the graph, like `rosbag play`: it opens the bags,
// joins the graph, and connects node/replay's player to publishers, to the keyboard
// and to a status line on the terminal.
//
// It may use node/control, node/graph, node/naming, node/replay, node/ros and the
// bag reader. Run owns every goroutine that it starts and waits for it.
package play
