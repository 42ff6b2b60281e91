package viewer

import (
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"rsros/msgs"
	"rsros/viewer/api"
)

const (
	// maxLogLines is the number of lines that a new viewer gets.
	maxLogLines = 200
	// maxLine bounds a line of the log, in bytes.
	maxLine = 4 << 10
	// A viewer with maxWaitingLog bytes of unsent text gets no more lines: answers and states matter more.
	maxWaitingLog = 1 << 20
)

// levels are the names of levels in messages.
var levels = map[uint8]string{
	msgs.LogDebug: "debug", msgs.LogInfo: "info", msgs.LogWarn: "warn", msgs.LogError: "error", msgs.LogFatal: "fatal",
}

// followLog sends lines of the log to viewers.
func (s *Server) followLog() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case line := <-s.o.Lines.Lines():
			m := line.Log()
			s.sendLine(levels[m.Level], m.Msg)
		}
	}
}

func (s *Server) sendLine(level, text string) {
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	line := s.encode("log", api.LogLine{Time: api.NanosOf(time.Now()), Level: level, Node: s.o.Node, Text: text})
	s.mu.Lock()
	if len(s.logTail) == maxLogLines {
		s.logTail = slices.Delete(s.logTail, 0, 1)
	}
	s.logTail = append(s.logTail, line)
	list := s.viewers.All()
	s.mu.Unlock()
	for _, v := range list {
		if v.Unsent() < maxWaitingLog {
			v.Send(websocket.MessageText, line)
		}
	}
}
