package graph

import (
	"rsros/msgs"
	"rsros/node/ros"
)

// ParameterTopics is the ROS side of a dynamic_reconfigure server: the topics
// parameter_descriptions and parameter_updates and the service set_parameters,
// under a prefix. Its user defines the parameters and keeps their values.
type ParameterTopics struct {
	node                  *ros.Node
	prefix                string
	descriptions, updates *ros.Publisher
	services              Services
}

// AdvertiseParameters advertises the topics under a prefix, such as "~" or
// "camera/stereo_module/".
func AdvertiseParameters(n *ros.Node, prefix string) (t *ParameterTopics, err error) {
	t = &ParameterTopics{node: n, prefix: prefix}
	advertise := func(topic, typ string) (*ros.Publisher, error) {
		return n.Advertise(ros.PublisherOptions{Topic: prefix + topic, Type: msgs.MustType(typ), Latch: true})
	}
	if t.descriptions, err = advertise("parameter_descriptions", "dynamic_reconfigure/ConfigDescription"); err != nil {
		return nil, err
	}
	if t.updates, err = advertise("parameter_updates", "dynamic_reconfigure/Config"); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Serve offers the service. set carries out a request, which may name any of the
// parameters, and returns the resulting values. It runs on the node's goroutines,
// concurrently if requests are concurrent.
func (t *ParameterTopics) Serve(set func(*msgs.Config) (*msgs.Config, error)) (err error) {
	t.services, err = OfferShared(t.node, Service{t.prefix + "set_parameters", "dynamic_reconfigure/Reconfigure", func(req []byte) (msgs.Message, error) {
		var m msgs.Config
		if err := msgs.Unmarshal(req, &m); err != nil {
			return nil, err
		}
		return set(&m)
	}})
	return err
}

// Describe publishes the parameters and their bounds.
func (t *ParameterTopics) Describe(ps Parameters) {
	d := ps.describe()
	t.descriptions.Publish(msgs.Raw{Head: msgs.Marshal(&d)})
}

// Publish publishes the current values.
func (t *ParameterTopics) Publish(c *msgs.Config) {
	t.updates.Publish(msgs.Raw{Head: msgs.Marshal(c)})
}

// Close stops the service and the topics.
func (t *ParameterTopics) Close() {
	t.services.Close()
	for _, p := range []*ros.Publisher{t.updates, t.descriptions} {
		if p != nil {
			p.Close()
		}
	}
}
