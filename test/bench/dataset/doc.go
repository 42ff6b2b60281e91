// Package dataset has a benchmark of making data sets of recordings.
package dataset
