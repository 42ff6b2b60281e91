// Package cputime returns the processor time that this process has used, for benchmarks.
package cputime
