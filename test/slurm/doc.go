// Package slurm tests deploy/slurm with a cluster of one node: munged, slurmctld and slurmd, in a temporary
// folder and on free ports. The test needs root and the tag slurm: make test-slurm.
package slurm
