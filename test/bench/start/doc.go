// Package start has a benchmark of how long the program takes to start.
package start
