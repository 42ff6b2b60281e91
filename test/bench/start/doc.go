// Package start has a benchmark of the program's start.
package start
