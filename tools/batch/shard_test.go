package batch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestShardOf(t *testing.T) {
	for _, c := range []struct {
		env   string
		count int
		want  string // or an error's part
	}{
		{"", 0, "0/1"},
		{"", 1, "0/1"},
		{"", 8, "none of"},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=1", 0, "3/8"},
		{"SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=8 SLURM_ARRAY_TASK_STEP=1", 0, "7/8"},
		{"SLURM_ARRAY_TASK_ID=11 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_MAX=14 SLURM_ARRAY_TASK_STEP=3", 0, "2/4"},
		{"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=1", 0, "no even step"},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_STEP=1", 0, "0/1"},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=3", 8, "3/8"},
		{"SLURM_ARRAY_TASK_ID=3", 0, "no even step"},
		{"SLURM_ARRAY_TASK_ID=x", 0, "no number"},
		{"JOB_COMPLETION_INDEX=5", 8, "5/8"},
		{"JOB_COMPLETION_INDEX=5", 0, "number of shards"},
		{"JOB_COMPLETION_INDEX=8", 8, "0/N to N-1/N"},
		{"JOB_COMPLETION_INDEX=-1", 8, "0/N to N-1/N"},
		{"AWS_BATCH_JOB_ARRAY_INDEX=2", 4, "2/4"},
		{"AWS_BATCH_JOB_ARRAY_INDEX=2 AWS_BATCH_JOB_ARRAY_SIZE=4", 0, "2/4"},
		{"AWS_BATCH_JOB_ARRAY_INDEX=2", 0, "number of shards"},
	} {
		env := make(map[string]string)
		for entry := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(entry, "=")
			env[name] = value
		}
		s, err := ShardOf(func(name string) string { return env[name] }, c.count)
		if got := s.String(); got != c.want && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %d shards: %s, %v; want %s", c.env, c.count, got, err, c.want)
		}
	}
}

func TestParseShard(t *testing.T) {
	if s, err := ParseShard("3/8"); s != (Shard{3, 8}) || err != nil {
		t.Error(s, err)
	}
	for _, text := range []string{"", "3", "8/8", "-1/8", "0/0", "1/2/3", "a/b", "0/99999999"} {
		if s, err := ParseShard(text); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
}

// TestShardsEvenOut checks that every item is in one shard, whatever the order of the listing, and that
// shards differ in bytes by at most the largest item.
func TestShardsEvenOut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var items []Item
	largest, total := int64(0), int64(0)
	for i := range 500 {
		size := int64(1) << (10 + random.IntN(22))
		items = append(items, Item{Name: fmt.Sprintf("%03d.bag", i), Size: size})
		largest, total = max(largest, size), total+size
	}
	seen := make(map[string]int)
	for i := range 8 {
		shard := Shard{i, 8}
		mine := shard.Of(items)
		bytes := int64(0)
		for _, it := range mine {
			seen[it.Name]++
			bytes += it.Size
		}
		if bytes < total/8-largest || bytes > total/8+largest {
			t.Errorf("shard %v has %d bytes of %d", shard, bytes, total)
		}
		if !slices.IsSortedFunc(mine, func(a, b Item) int { return int(b.Size - a.Size) }) {
			t.Errorf("shard %v doesn't begin with its largest", shard)
		}
		shuffled := slices.Clone(items)
		random.Shuffle(len(items), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if !slices.Equal(shard.Of(shuffled), mine) {
			t.Errorf("shard %v depends on the order of the listing", shard)
		}
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s is in %d shards", name, n)
		}
	}
	if len(seen) != len(items) {
		t.Errorf("%d of %d items are in a shard", len(seen), len(items))
	}
}
