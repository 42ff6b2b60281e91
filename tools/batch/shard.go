package batch

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Shard is the part of the items that one of several runs works on: number Index, from 0, of Count.
type Shard struct{ Index, Count int }

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

const maxShards = 1 << 20

func (s Shard) check() (Shard, error) {
	if s.Count < 1 || s.Count > maxShards || s.Index < 0 || s.Index >= s.Count {
		return s, fmt.Errorf("shard %v: want one of 0/N to N-1/N, with N up to %d", s, maxShards)
	}
	return s, nil
}

// ParseShard reads I/N.
func ParseShard(text string) (Shard, error) {
	index, count, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if err := errors.Join(err1, err2); err != nil {
		return Shard{}, fmt.Errorf("shard %q: want I/N, such as 0/8", text)
	}
	return Shard{i, n}.check()
}

// ShardOf returns the shard of an array job of Slurm, Kubernetes or AWS Batch from its environment, 0/1 if there is
// none. A count of 0 is unknown; Kubernetes doesn't tell it.
func ShardOf(env func(string) string, count int) (Shard, error) {
	for _, job := range []struct{ index, count string }{
		{"SLURM_ARRAY_TASK_ID", ""}, {"JOB_COMPLETION_INDEX", ""}, {"AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE"},
	} {
		if env(job.index) == "" {
			continue
		}
		index, err := strconv.Atoi(env(job.index))
		if err != nil {
			return Shard{}, fmt.Errorf("%s is %q, which is no number", job.index, env(job.index))
		}
		if count == 0 && job.index == "SLURM_ARRAY_TASK_ID" {
			return slurmShard(env, index)
		}
		if count == 0 && job.count != "" {
			count, _ = strconv.Atoi(env(job.count))
		}
		if count == 0 {
			return Shard{}, fmt.Errorf("%s is set: the number of shards is missing", job.index)
		}
		return Shard{index, count}.check()
	}
	if count > 1 {
		return Shard{}, fmt.Errorf(
			"%d shards, but none of SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX and AWS_BATCH_JOB_ARRAY_INDEX is set", count)
	}
	return Shard{0, 1}, nil
}

// slurmShard counts the tasks of an array, which may begin at any number and have steps.
func slurmShard(env func(string) string, task int) (Shard, error) {
	number := func(name string, unset int) int {
		n, err := strconv.Atoi(env(name))
		if err != nil {
			return unset
		}
		return n
	}
	count, first, step := number("SLURM_ARRAY_TASK_COUNT", 0), number("SLURM_ARRAY_TASK_MIN", 0),
		max(1, number("SLURM_ARRAY_TASK_STEP", 1))
	last := number("SLURM_ARRAY_TASK_MAX", first+(count-1)*step)
	if count < 1 || last != first+(count-1)*step || (task-first)%step != 0 {
		return Shard{}, fmt.Errorf(
			"the array of %d tasks from %d to %d has no even step: the shard can't be computed from SLURM_ARRAY_TASK_ID",
			count, first, last)
	}
	return Shard{(task - first) / step, count}.check()
}

// fixedCost is what an item costs however small it is, in bytes.
const fixedCost = 1 << 20

// Of returns the items of a shard, largest first. Each item, largest first, goes to the shard that has the fewest bytes
// so far, so that all runs that see the same items agree.
func (s Shard) Of(items []Item) (mine []Item) {
	items = slices.SortedFunc(slices.Values(items), func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), strings.Compare(a.Name, b.Name))
	})
	loads := make(loads, s.Count)
	for i := range loads {
		loads[i].shard = i
	}
	for _, it := range items {
		if loads[0].shard == s.Index {
			mine = append(mine, it)
		}
		loads[0].bytes += uint64(max(0, it.Size)) + fixedCost
		heap.Fix(&loads, 0)
	}
	return mine
}

// loads is a heap of shards with what they have to do.
type loads []struct {
	shard int
	bytes uint64
}

func (l loads) Len() int      { return len(l) }
func (l loads) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l loads) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].bytes, l[j].bytes), cmp.Compare(l[i].shard, l[j].shard)) < 0
}
func (l *loads) Push(any) {} // never called: the number of shards is fixed
func (l *loads) Pop() any { return nil }
