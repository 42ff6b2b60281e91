// Package convert has a benchmark of converting large RealSense recordings.
package convert
