// Package bench measures the program's commands: their start, conversions, data sets, recordings in a bucket and viewers.
package bench
