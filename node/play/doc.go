// Package play plays bags into the graph, like `rosbag play`: it opens the bags,
// joins the graph, and connects node/replay's player to publishers, to the keyboard
// and to a status line on the terminal.
//
// Run waits for every goroutine that it starts.
package play
