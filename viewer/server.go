package viewer

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/recording"
	"rsros/camdriver"
	"rsros/record"
	"rsros/replay"
	"rsros/ros"
	"rsros/viewer/api"
	"rsros/viewer/clients"
	"rsros/viewer/foxglove"
	"rsros/viewer/library"
	"rsros/viewer/page"
)

// Options configure a server.
type Options struct {
	// Open opens a device: one of Candidates by its ID, or a recording by its path, perhaps with all its cameras. If the
	// recording has no device, the error is rsbag.ErrNoRecording.
	Open func(ctx context.Context, device string) (camdriver.Device, error)
	// Choose selects the profiles that run, by sensor.
	Choose     func([]camdriver.Sensor) ([][]camdriver.Profile, error)
	Candidates []api.Candidate
	Library    *library.Library // recordings that viewers may open; nil if none
	Recording  record.Options   // of recordings that viewers start
	RecordDir  string           `setting:"record-path"` // the folder of these recordings
	ViewOnly   bool             `setting:"view-only"`   // viewers can't change anything
	Foxglove   foxglove.Options // without a Source, its clients see the topics and the playback of what is shown
	Playback   bool             // Foxglove's clients see the playback of what is shown, whatever their topics are
	Log        zerolog.Logger
	Lines      *ros.LogWriter // lines of the log for viewers, read by the server; the log has to write to it; nil if none
	Node       string         // name of the logging node for viewers; "rs-ros-node" if empty
}

// Server shows one device at a time, or the topics of a recording or graph, to any number
// of viewers. Its methods may be called from any goroutine.
type Server struct {
	o    Options
	mux  *http.ServeMux
	ctx  context.Context // ends with Close
	end  context.CancelFunc
	jobs sync.WaitGroup // update, followLog and AttachGraph's

	viewers     *clients.Server[*session]
	foxglove    *foxglove.Server
	topicsShown bool        // to Foxglove's clients, who otherwise see something else
	memory      formMemory  // of the forms of frames
	stateUnsent atomic.Bool // a viewer may not know the stage's state

	inbox chan func() // of the goroutine that owns the stage (owner.go); do and update send to it, nobody closes it
	split time.Time   // when a viewer last split a recording; the owner's

	// mu guards:
	mu       sync.Mutex
	logTail  [][]byte  // the last lines of the log, as messages
	last     int       // viewer's number
	stage    stage     // nil if nothing is shown; the owner changes it
	told     uint64    // number of messages to all viewers, without states
	attached []Running // offered to viewers; the owner changes it
	recalled []*stream // with new Foxglove clients
}

// New returns a server that shows nothing yet. The caller closes it.
func New(o Options) (*Server, error) {
	page, err := page.Handler()
	if err != nil {
		return nil, err
	}
	s := &Server{
		o: o, mux: http.NewServeMux(), viewers: clients.NewServer[*session](nil, o.Log), inbox: make(chan func()),
	}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.o.Node = cmp.Or(o.Node, "rs-ros-node")
	f := o.Foxglove
	if f.Source == nil {
		s.topicsShown, s.o.Playback = true, true
		f.Name, f.Source, f.Log = s.o.Node, foxgloveSource{s}, o.Log
	}
	if s.o.Playback {
		f.Playback = foxgloveSource{s}
	}
	f.Control = !o.ViewOnly
	s.foxglove = foxglove.New(f)
	s.mux.Handle("/", page)
	s.mux.HandleFunc("GET /api/ws", s.serveSocket)
	s.mux.HandleFunc("POST /api/record/{do}", s.serveRecord)
	if o.Library != nil {
		s.mux.Handle("/api/files", o.Library)
		s.mux.Handle("/api/files/", o.Library)
	}
	s.jobs.Go(s.own)
	s.jobs.Go(s.update)
	if o.Lines != nil {
		s.jobs.Go(s.followLog)
	}
	return s, nil
}

// ServeHTTP implements http.Handler: it serves the page, its socket, the recordings of the
// library, and Foxglove's clients. It doesn't check access, which package guard does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.foxglove.Offered(r) {
		s.foxglove.ServeHTTP(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// Show opens a device, or a recording without one, and shows it in place of the current
// source, unless that is being recorded. name is its title; file is its name in the library, or "" if it isn't in it.
// ctx ends opening, which may take long; meanwhile, the current source is shown and controlled as before.
func (s *Server) Show(ctx context.Context, device, name, file string) error {
	if err := s.do(ctx, s.busy); err != nil {
		return err
	}
	whole, cancel := context.WithCancel(s.ctx) // also of what is read later
	stop := context.AfterFunc(ctx, cancel)
	opened, err := s.open(whole, device, name, file)
	if !stop() || err != nil {
		cancel()
		if err == nil {
			err = errors.Join(ctx.Err(), opened.Close())
		}
		return err
	}
	begun := false
	err = s.do(ctx, func() error {
		if err := s.busy(); err != nil {
			return err
		}
		begun = true
		s.closeStage(s.swap(nil, nil))
		g, err := opened.begin()
		if err != nil {
			s.broadcast("source", api.SourceChanged{})
			return err
		}
		s.present(g)
		return nil
	})
	if !begun {
		err = errors.Join(err, opened.Close())
	}
	return err
}

// busy returns an error if something is recorded that would end with the stage.
func (s *Server) busy() error {
	if g := s.current(); g != nil {
		return g.busy()
	}
	return nil
}

// opened is a device or recording that was opened. It has to be begun or closed.
type opened struct {
	io.Closer
	begin func() (stage, error) // starts it, and closes it after an error
}

// open opens a device. It is begun after the previous stage was closed. The stage of a recording without a device has
// its topics.
func (s *Server) open(ctx context.Context, device, name, file string) (opened, error) {
	d, err := s.o.Open(ctx, device)
	if errors.Is(err, rsbag.ErrNoRecording) {
		bag, err := recording.Open(device, bagstore.OpenOptions{Context: ctx})
		return opened{bag, func() (stage, error) { return openTopics(ctx, s, bag, device, name, file) }}, err
	}
	if err != nil {
		return opened{}, err
	}
	if n := camdriver.Find(d.Info(), camdriver.InfoName); name == "" {
		name = n
	}
	return opened{d, func() (stage, error) {
		g, err := openCameras(s, device, name, file, d)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		return g, nil
	}}, nil
}

// replace shows a stage to all viewers, and closes the previous one.
func (s *Server) replace(g stage) {
	old := s.current()
	s.present(g)
	s.closeStage(old)
}

// closeStage closes a stage, unless it is nil.
func (s *Server) closeStage(old stage) {
	if old == nil {
		return
	}
	if err := old.end(); err != nil {
		s.o.Log.Warn().Err(err).Msg("can't close the previous source")
	}
}

// present shows a stage to all viewers.
func (s *Server) present(g stage) {
	s.swap(g, s.encode("source", about(g)))
}

func about(g stage) api.SourceChanged {
	return api.SourceChanged{Source: g.described(), State: g.state(), Record: g.recording()}
}

// AttachPlayer shows the topics of a player that doesn't run yet and belongs to the caller.
// out is its output, and name the title.
func (s *Server) AttachPlayer(player *replay.Player, out *Output, name string) {
	s.do(s.ctx, func() error { //nolint:errcheck // after Close, nobody sees it
		s.present(newPlayed(s, out, player, name, name))
		return nil
	})
}

// swap replaces the stage, sends viewers a message about the new one, and returns the previous
// one, which has no viewers any more.
func (s *Server) swap(g stage, message []byte) (old stage) {
	s.mu.Lock()
	old, s.stage = s.stage, g
	s.tell(message)
	s.mu.Unlock()
	s.stateUnsent.Store(true)
	s.endSubscriptions()
	s.beginFoxglove(g)
	return old
}

// endSubscriptions ends viewers' subscriptions of streams that aren't shown any more.
func (s *Server) endSubscriptions() {
	for _, v := range s.viewers.All() {
		v.unsubscribeAll(false)
	}
}

// current returns the stage, or nil.
func (s *Server) current() stage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stage
}

// stream returns the stage's stream with a number, or nil.
func (s *Server) stream(id uint16) *stream {
	if g := s.current(); g != nil {
		return g.stream(id)
	}
	return nil
}

// tell sends a message to all viewers, unless it is nil. mu is held.
func (s *Server) tell(text []byte) {
	s.told++
	if text != nil {
		s.viewers.Send(websocket.MessageText, text)
	}
}

// broadcast sends a message to all viewers.
func (s *Server) broadcast(op string, message any) {
	text := s.encode(op, message)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell(text)
}

// notify sends a message about a stage to all viewers. It sends nothing and returns false if the
// stage isn't shown any more, because viewers would relate the message to the current one.
func (s *Server) notify(g stage, op string, message any) bool {
	text := s.encode(op, message)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stage != g {
		return false
	}
	if s.tell(text); op == "state" {
		s.told-- // each viewer is sent the next one
	}
	return true
}

// serveSocket serves a viewer until it leaves.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	s.viewers.Serve(w, r, maxRequest, []string{api.Subprotocol}, s.admit)
}

// admit adds a viewer and sends it the first messages.
func (s *Server) admit(c *clients.Client) (*session, error) {
	v := &session{Client: c, server: s, subscriptions: make(map[*stream]*subscription)}
	for tries := 0; ; tries++ {
		s.mu.Lock()
		g, told := s.stage, s.told
		s.mu.Unlock()
		hello := api.Hello{
			Version: api.Version, ViewOnly: s.o.ViewOnly, Now: api.NanosOf(time.Now()), Files: s.o.Library != nil,
			Candidates: s.candidates(),
		}
		if g != nil { // a device may take a while to answer
			hello.SourceChanged = about(g)
		}
		s.mu.Lock()
		if s.stage == g && (s.told == told || tries == maxTries) {
			defer s.mu.Unlock()
			return v, s.greet(v, hello)
		}
		s.mu.Unlock() // the viewer would miss what others were told meanwhile
	}
}

// maxTries is how often a viewer's first message is made again because an option changed meanwhile.
const maxTries = 10

// greet sends a viewer the first messages and adds it. mu is held.
func (s *Server) greet(v *session, hello api.Hello) error {
	s.last++
	v.id, hello.Viewer = s.last, s.last
	v.send("hello", hello)
	for _, line := range s.logTail {
		v.Send(websocket.MessageText, line)
	}
	s.stateUnsent.Store(true) // it hasn't been sent the last changes
	return s.viewers.Join(v)
}

// Drain waits until Foxglove's clients have been sent their queued messages, for at most the time
// most. A nil Server has no clients.
func (s *Server) Drain(ctx context.Context, most time.Duration) {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	s.foxglove.Drain(ctx) //nolint:errcheck // best effort
}

// closePatience is the time that viewers have to read their last answers.
const closePatience = 500 * time.Millisecond

// Close disconnects the viewers, ends recordings and closes the device.
func (s *Server) Close() error {
	s.end()
	s.viewers.Close(closePatience)
	s.foxglove.Close()
	s.jobs.Wait() // then nobody owns the stage
	if g := s.swap(nil, nil); g != nil {
		return g.end()
	}
	return nil
}
