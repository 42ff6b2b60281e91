// Package marks finds what deserves a mark on the time line of a RealSense recording:
// frames that are missing, notifications of the device, and options that changed.
//
// It reads the index, the notifications and options, and few frames, however long the
// recording is. It keeps no file open: what [Find] is given must stay open until it
// returns.
package marks
