package play

import (
	"errors"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/node/control"
	"rsros/node/replay"
	"rsros/node/ros"
)

// listen subscribes to the topics that control the player's time, if any.
func listen(remote *control.Remote, player *replay.Player, o *Options, log zerolog.Logger) error {
	if o.RateControlTopic != "" {
		control := rateControlTopic{player: player, log: log}
		if err := remote.Subscribe(o.RateControlTopic, "", control.received); err != nil {
			return err
		}
	}
	if !o.Replay.FollowClock {
		return nil
	}
	return remote.Subscribe("/clock", "rosgraph_msgs/Clock", func(r ros.Received) {
		var m msgs.Clock
		if msgs.Unmarshal(r.Data, &m) == nil {
			player.Submit(replay.FollowTime{Time: bagstore.Time(m.Clock)})
		}
	})
}

// rateControlTopic passes header stamps to the player. The topic may have any type
// whose messages begin with a header.
type rateControlTopic struct {
	player     *replay.Player
	log        zerolog.Logger
	spec       *msgs.Spec
	definition string
	warned     bool
}

func (t *rateControlTopic) received(r ros.Received) {
	if definition := r.Header["message_definition"]; t.spec == nil || definition != t.definition {
		spec, err := msgs.Parse(r.Header["type"], definition)
		if err != nil {
			t.warn(err)
			return
		}
		t.spec, t.definition = spec, definition
	}
	stamp, ok := t.spec.Stamp(r.Data)
	if !ok {
		t.warn(errors.New("its messages don't begin with a header"))
		return
	}
	t.player.Submit(replay.RateControlStamp{Stamp: bagstore.Time(stamp)})
}

func (t *rateControlTopic) warn(err error) {
	if !t.warned {
		t.log.Warn().Err(err).Msg("the rate control topic can't control the rate")
	}
	t.warned = true
}
