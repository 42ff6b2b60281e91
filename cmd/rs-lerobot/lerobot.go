package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	pq "github.com/parquet-go/parquet-go"

	"rsros/bagstore/place"
	"rsros/camdriver"
	"rsros/tools/dataset"
)

// settings are those of LeRobot's form.
type settings struct {
	Robot  *Robot `json:"robot"`
	Images string `json:"images,omitempty"` // one of imageForms; "": PNG
	Depth  string `json:"depth,omitempty"`  // one of depthForms; "": PNG
}

// form is LeRobot's data set of version 3.0. Each recording is an episode, with files of its own.
func (s settings) form() dataset.Form {
	return dataset.Form{
		Name: "lerobot",
		Need: "an image stream",

		Together: true,
		Cameras: func(has func(camdriver.StreamID) bool) []camdriver.StreamID {
			list := dataset.Eyes(has, true)
			if id := camdriver.DepthStream; len(list) == 0 && has(id) {
				list = append(list, id)
			}
			// The first stream's stamps are those of the rows.
			if i := slices.Index(list, camdriver.ColorStream); i > 0 {
				list = slices.Insert(slices.Delete(list, i, i+1), 0, camdriver.ColorStream)
			}
			return list
		},
		Folder: func(i int) string { return fmt.Sprintf("sensors/episode-%06d", i) },
		Join:   func(out *dataset.Folder, o dataset.Options) dataset.Joint { return &lerobotSet{settings: s, out: out} },
	}
}

// The layout has up to chunkSize files in a folder.
const (
	chunkSize   = 1000
	dataPath    = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
	videoPath   = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
	fileOf      = "chunk-%03d/file-%03d"
	imagePrefix = "observation.images."
)

type lerobotSet struct {
	settings
	out      *dataset.Folder
	episodes []*episode
	current  *lerobotWriter
}

func (s settings) check() error {
	if s.Robot.Task == "" {
		return errors.New("a data set for LeRobot needs a task: --task, or task in the file of --robot")
	}
	if codecs[s.Images] == nil && codecs[s.Depth] == nil {
		return nil
	}
	_, err := ffmpeg()
	return err
}

func (d *lerobotSet) partName(i int) string { return fmt.Sprintf("%s/%06d.json", dataset.PartsName, i) }

// Kept takes the next episode that an earlier run completed. One without statistics is of an older version, which
// stored them in another form.
func (d *lerobotSet) Kept(ctx context.Context) bool {
	text, err := place.Read(ctx,
		filepath.Join(d.out.Dir, filepath.FromSlash(d.partName(len(d.episodes)))), dataset.MaxText)
	e := new(episode)
	if err != nil || json.Unmarshal(text, e) != nil || len(e.Stats) == 0 {
		return false
	}
	d.episodes = append(d.episodes, e)
	d.out.Keep(e.Sequence, e.Lost)
	return true
}

func (d *lerobotSet) Completed(lost []string) error {
	e := d.current.episode
	e.Lost = lost
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	d.episodes = append(d.episodes, e)
	return d.out.Text(d.partName(e.Index), text)
}

func (d *lerobotSet) Finish() error {
	if err := d.tasks(); err != nil {
		return err
	}
	list, err := createParquet(d.out, "meta/episodes/"+fmt.Sprintf(fileOf, 0, 0)+".parquet")
	if err != nil {
		return err
	}
	all := make(map[string]*summary)
	for _, e := range d.episodes {
		if err = list.write(d.row(e)); err != nil {
			break
		}
		for name, s := range e.Stats {
			all[name] = all[name].join(s)
		}
	}
	if err := list.close(err); err != nil {
		return err
	}
	if err := d.json("meta/stats.json", d.episodes[0].shaped(all)); err != nil {
		return err
	}
	return d.info()
}

// tasks writes the table of tasks, in which pandas finds that the text is the index.
func (d *lerobotSet) tasks() error {
	column := func(name, kind, numpy string) map[string]any {
		return map[string]any{"name": name, "field_name": name, "pandas_type": kind, "numpy_type": numpy, "metadata": nil}
	}
	text, err := json.Marshal(map[string]any{
		"index_columns": []string{"task"}, "column_indexes": []any{}, "pandas_version": "2.0.0",
		"columns": []any{column("task_index", "int64", "int64"), column("task", "unicode", "object")},
	})
	if err != nil {
		return err
	}
	t, err := createParquet(d.out, "meta/tasks.parquet", pq.KeyValueMetadata("pandas", string(text)))
	if err != nil {
		return err
	}
	return t.close(t.write(cells{"task": d.Robot.Task, "task_index": int64(0)}))
}

func (d *lerobotSet) row(e *episode) cells {
	chunk, file := int64(e.Index/chunkSize), int64(e.Index%chunkSize)
	row := cells{
		"episode_index": int64(e.Index), "tasks": []string{d.Robot.Task}, "length": e.rows(),
		"dataset_from_index": e.From, "dataset_to_index": e.From + e.rows(),
		"data/chunk_index": chunk, "data/file_index": file,
		"meta/episodes/chunk_index": int64(0), "meta/episodes/file_index": int64(0),
	}
	for name, f := range e.Features {
		if f.Type == "video" {
			row["videos/"+name+"/chunk_index"], row["videos/"+name+"/file_index"] = chunk, file
			row["videos/"+name+"/from_timestamp"], row["videos/"+name+"/to_timestamp"] = 0., float64(e.rows())/float64(e.FPS)
		}
	}
	for name, statistics := range e.shaped(e.Stats) {
		for statistic, v := range statistics {
			row["stats/"+name+"/"+statistic] = v
		}
	}
	return row
}

func (d *lerobotSet) info() error {
	last := d.episodes[len(d.episodes)-1]
	var robot any
	if d.Robot.Type != "" {
		robot = d.Robot.Type
	}
	var video any
	for _, f := range last.Features {
		if f.Type == "video" {
			video = videoPath
		}
	}
	return d.json("meta/info.json", map[string]any{
		"codebase_version": "v3.0", "robot_type": robot, "fps": last.FPS, "features": d.episodes[0].Features,
		"total_episodes": len(d.episodes), "total_frames": last.From + last.rows(), "total_tasks": 1,
		"chunks_size": chunkSize, "data_files_size_in_mb": 100, "video_files_size_in_mb": 200,
		"data_path": dataPath, "video_path": video,
		"splits": map[string]string{"train": fmt.Sprintf("0:%d", len(d.episodes))},
	})
}

func (d *lerobotSet) json(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "    ")
	if err != nil {
		return err
	}
	return d.out.Text(name, append(text, '\n'))
}

type lerobotWriter struct {
	*dataset.Input
	*episode
	whole    *lerobotSet
	data     *parquetTable
	inertial dataset.InertialTables
	feeds    *feeds
	images   images
	running  map[string]*running
}

func (d *lerobotSet) Open(s *dataset.Input) (_ dataset.Writer, err error) {
	e := &episode{Index: len(d.episodes), Sequence: s.Sequence, Features: make(map[string]feature),
		Stats: make(map[string]*summary)}
	if e.Index > 0 {
		before := d.episodes[e.Index-1]
		e.From = before.From + before.rows()
	}
	w := &lerobotWriter{Input: s, episode: e, whole: d, running: make(map[string]*running)}
	w.inertial = dataset.InertialCSV(s)
	if w.feeds, err = newFeeds(s, d.Robot); err != nil {
		return nil, err
	}
	if w.data, err = createParquet(s.Out, "data/"+e.file()+".parquet"); err != nil {
		return nil, err
	}
	s.Out.OnError(func() error {
		w.feeds.close()
		return w.data.close(dataset.ErrUnfinished)
	})
	w.images = images{s: s, settings: d.settings, file: e.file(), row: w.data.write}
	d.current = w
	return w, nil
}

// key names a stream's feature, with its camera if there are several.
func key(camera string, id camdriver.StreamID) string {
	name := strings.ToLower(id.Kind.String())
	if id.Index > 0 {
		name += fmt.Sprint(id.Index)
	}
	if camera != "" {
		name = camera + "." + name
	}
	return imagePrefix + name
}

func (w *lerobotWriter) Set(one *dataset.Set) error {
	taken, err := w.feeds.at(one)
	if err != nil {
		return err
	}
	if w.Sets == 0 {
		if err := w.begin(one); err != nil {
			return err
		}
	}
	n := int64(w.Sets)
	row := cells{
		"timestamp":   float32(float64(n) / float64(w.FPS)),
		"frame_index": n, "index": w.From + n, "episode_index": int64(w.Index), "task_index": int64(0),
	}
	stamps := slices.Clone(one.Stamps)
	for what, numbers := range taken.numbers {
		row[what] = vector(numbers)
	}
	row["stamps"] = vector(append(stamps, taken.stamps...))
	for name, v := range row {
		w.count(name, v)
	}
	return w.images.set(row, one.Images)
}

// vector is a slice, or the only number of it: LeRobot has no vectors of one number.
func vector[T any](v []T) any {
	if len(v) == 1 {
		return v[0]
	}
	return v
}

func (w *lerobotWriter) count(name string, cell any) {
	r := w.running[name]
	if r == nil {
		r = new(running)
		w.running[name] = r
	}
	switch v := cell.(type) {
	case int64:
		r.add([]float64{float64(v)})
	case float32:
		r.add([]float64{float64(v)})
	case []int64:
		r.add(floats(v))
	case []float32:
		r.add(floats(v))
	}
}

func floats[T int64 | float32](v []T) []float64 {
	f := make([]float64, len(v))
	for i, x := range v {
		f[i] = float64(x)
	}
	return f
}

// begin describes the features by the first set.
func (w *lerobotWriter) begin(one *dataset.Set) error {
	switch rate := w.Options.Rate; {
	case w.whole.Robot.FPS > 0:
		w.FPS = w.whole.Robot.FPS
	case rate > 0 && rate == math.Trunc(rate):
		w.FPS = int(rate)
	case rate > 0:
		return fmt.Errorf("LeRobot's fps is a whole number: --fps %g isn't, name fps in the file of --robot", rate)
	case w.Streams[0].Rate > 0:
		w.FPS = w.Streams[0].Rate
	default:
		return fmt.Errorf("%s: the rate of %s isn't known: name fps in the file of --robot", w.Recording, w.Streams[0].Stream)
	}
	w.images.fps = w.FPS
	scalar := func(kind string) feature { return feature{Type: kind, Shape: []int{1}} }
	w.Features["timestamp"] = scalar("float32")
	for _, name := range []string{"frame_index", "episode_index", "index", "task_index"} {
		w.Features[name] = scalar("int64")
	}
	var stamps []string
	for i, img := range one.Images {
		name := key(w.CameraOf(i), w.Cameras[i])
		w.Streams[i].Place = name
		stamps = append(stamps, strings.TrimPrefix(name, imagePrefix))
		f, err := w.images.add(name, img, w.Streams[i])
		if err != nil {
			return err
		}
		w.Features[name] = f
	}
	for what, names := range w.feeds.names() {
		w.Features[what] = feature{Type: "float32", Shape: []int{len(names)}, Names: names}
	}
	stamps = append(stamps, w.feeds.topics()...)
	w.Features["stamps"] = feature{Type: "int64", Shape: []int{len(stamps)}, Names: stamps,
		Info: map[string]any{"unit": "ns", "clock": w.Clock}}
	if w.Index > 0 {
		if err := w.episode.fits(w.whole.episodes[0]); err != nil {
			return fmt.Errorf("%s: %w", w.Recording, err)
		}
	}
	return nil
}

func (w *lerobotWriter) Motion(at int64, f *camdriver.Frame) error { return w.inertial.Sample(at, f) }

// place leaves poses out: a topic of poses can be a part of the state.
func (w *lerobotWriter) Place(int64, [3]float64, [4]float64) error { return nil }

func (w *lerobotWriter) Finish() error {
	w.feeds.close()
	if err := w.images.finish(w.Stats); err != nil {
		return err
	}
	for name, r := range w.running {
		w.Stats[name] = r.finish()
	}
	if span := float64(w.Last-w.First) / 1e9; span > 0 {
		if rate := float64(w.Sets-1) / span; math.Abs(rate/float64(w.FPS)-1) > 0.02 {
			w.Note("the rows come at %.2f a second by their stamps, and LeRobot's timestamps are their numbers divided by %d",
				rate, w.FPS)
		}
	}
	for _, text := range w.feeds.notes() {
		w.Inform("%s", text)
	}
	return w.data.close(nil)
}
