package record

import (
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"rsros/node/graph"
)

// TopicRecording is a recording of topics that runs. Any goroutine may use it.
type TopicRecording struct {
	recorder *topicRecorder
	files    *topicFiles
	watch    stopwatch

	mu    sync.Mutex
	paths []string
}

// TopicProgress describes a recording of topics.
type TopicProgress struct {
	Paths    []string // files, in order, under their final names
	Topics   []string // that are recorded, sorted
	Paused   bool
	Ended    bool          // nothing more is recorded
	Duration time.Duration // since it began, without pauses
	Bytes    int64         // of its files on the disk
	Dropped  uint64        // messages that were lost
}

func newTopicRecording(r *topicRecorder, files *topicFiles) *TopicRecording {
	t := &TopicRecording{recorder: r, files: files}
	files.onOpen(func(path string) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.paths = append(t.paths, path)
	})
	t.watch.run(true)
	return t
}

// Progress describes the recording.
func (t *TopicRecording) Progress() TopicProgress {
	t.mu.Lock()
	p := TopicProgress{Paths: slices.Clone(t.paths)}
	t.mu.Unlock()
	r := t.recorder
	p.Topics = t.Topics()
	p.Paused, p.Duration, p.Dropped = r.paused.Load(), t.watch.read(), r.dropped.Load()
	select {
	case <-t.files.done():
		p.Ended = true
	default:
	}
	for _, path := range p.Paths {
		for _, name := range []string{path + activeSuffix, path} {
			if st, err := os.Stat(name); err == nil {
				p.Bytes += st.Size()
				break
			}
		}
	}
	return p
}

// Topics are those that are recorded, sorted. Unlike Progress, it looks at no file.
func (t *TopicRecording) Topics() []string {
	r := t.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.counts))
}

// Pause pauses the recording or lets it go on. What comes meanwhile isn't recorded.
func (t *TopicRecording) Pause(on bool) {
	t.recorder.paused.Store(on)
	t.watch.run(!on)
}

// Split begins a new file with the next message.
func (t *TopicRecording) Split() { t.files.split() }

// Stop ends the recording, and with it Topics.
func (t *TopicRecording) Stop() { t.files.finish() }

// services are what a running recorder can be asked for with stock tools.
func (t *TopicRecording) services() []graph.Service {
	return []graph.Service{
		graph.SetBool("~pause_recording", func(on bool) (string, error) {
			t.Pause(on)
			if on {
				return "recording is paused", nil
			}
			return "recording goes on", nil
		}),
		graph.Trigger("~split", func() (string, error) {
			t.Split()
			return "the next message begins a new file", nil
		}),
		graph.Trigger("~stop_recording", func() (string, error) {
			t.Stop()
			return "recording ends", nil
		}),
	}
}
