// Package cputime tells benchmarks how much processor time this process has used.
package cputime
