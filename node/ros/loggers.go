package ros

import (
	"context"
	"fmt"
	"strings"

	"github.com/rs/zerolog"

	"rsros/msgs"
)

// loggerName is the only logger that ~get_loggers lists; it is the whole node.
const loggerName = "ros"

// offerLoggers serves ~get_loggers and ~set_logger_level, as roscpp nodes do.
func (n *Node) offerLoggers() error {
	_, err := n.AdvertiseService("~get_loggers", msgs.MustService("roscpp/GetLoggers"), func(context.Context, []byte) ([]byte, error) {
		level := n.rosout.Level()
		return msgs.Marshal(&msgs.Loggers{Loggers: []msgs.Logger{{Name: loggerName, Level: max(level, zerolog.DebugLevel).String()}}}), nil
	})
	if err != nil {
		return err
	}
	_, err = n.AdvertiseService("~set_logger_level", msgs.MustService("roscpp/SetLoggerLevel"), func(_ context.Context, req []byte) ([]byte, error) {
		var m msgs.Logger
		if err := msgs.Unmarshal(req, &m); err != nil {
			return nil, err
		}
		level, err := zerolog.ParseLevel(strings.ToLower(m.Level))
		if err != nil || level < zerolog.DebugLevel || level > zerolog.FatalLevel {
			return nil, fmt.Errorf("level %q: want debug, info, warn, error or fatal", m.Level)
		}
		n.rosout.SetLevel(level)
		return nil, nil
	})
	return err
}
