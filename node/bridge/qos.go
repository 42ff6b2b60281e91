package bridge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/ros"
	dds "rsros/ros2"
)

// profiles are rmw's, by their names in lower case, without the durability.
var profiles = map[string]dds.QoS{
	"default": {Reliable: true, Depth: 10}, "system_default": {Reliable: true, Depth: 10},
	"services_default": {Reliable: true, Depth: 10}, "sensor_data": {Depth: 5},
	"parameters": {Reliable: true, Depth: 1000}, "parameter_events": {Reliable: true, Depth: 1000},
}

// qosRule is the profile of topics whose whole names in ROS 2 match.
type qosRule struct {
	topics  bagstore.Patterns
	profile dds.QoS
}

// parseQoS parses rules of the form REGEX=PROFILE, or PROFILE for all topics.
func parseQoS(rules []string) (list []qosRule, err error) {
	for _, text := range rules {
		expression, name := ".*", text
		if i := strings.LastIndexByte(text, '='); i >= 0 {
			expression, name = text[:i], text[i+1:]
		}
		rule := qosRule{}
		var known bool
		if rule.profile, known = profiles[strings.ToLower(name)]; !known {
			names := strings.Join(slices.Sorted(maps.Keys(profiles)), ", ")
			return nil, fmt.Errorf("quality of service %q: want one of %s", name, names)
		}
		if rule.topics, err = bagstore.ParsePatterns([]string{expression}); err != nil {
			return nil, fmt.Errorf("quality of service %q: %w", text, err)
		}
		list = append(list, rule)
	}
	return list, nil
}

// qosOf returns a topic's quality of service: of the last rule that matches, or as its publishers have it. Latched
// messages are kept, and are reliable in any case, since nobody asks for less.
func qosOf(rules []qosRule, name string, p ros.Publication) dds.QoS {
	if p.Latched {
		return dds.QoS{Reliable: true, TransientLocal: true, Depth: unlimited} // they replace each other by their keys
	}
	qos := dds.QoS{Reliable: !p.BestEffort, Depth: p.Queue}
	for _, rule := range rules {
		if rule.topics.Match(name) {
			qos = rule.profile
		}
	}
	if qos.Depth < 0 {
		qos.Depth = unlimited
	}
	return qos
}
