// Package cputime measures the processor time of this process for benchmarks.
package cputime
