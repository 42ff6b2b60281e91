// Package listing says what is in a graph of ROS 2: nodes, topics with their publishers and subscribers, what each
// offers or wants, and why a pair doesn't match.
package listing

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"rsros/node/bridge"
	"rsros/program"
	"rsros/program/work"
	"rsros/ros2"
)

// Listing is what was found.
type Listing struct {
	Nodes    []Node    `json:"nodes"`
	Topics   []Topic   `json:"topics"`
	Services []Service `json:"services"`
}

// Node is a node, or a participant without one.
type Node struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	DDS     string `json:"dds"` // the implementation
}

// Topic is a topic, or a service without servers.
type Topic struct {
	Name        string     `json:"name"`
	Types       []string   `json:"types"`
	Publishers  []Endpoint `json:"publishers"`
	Subscribers []Endpoint `json:"subscribers"`
}

// Endpoint is a publisher or a subscriber.
type Endpoint struct {
	Node           string `json:"node"`
	Type           string `json:"type"`
	Hash           string `json:"hash,omitempty"`
	Reliable       bool   `json:"reliable"`
	TransientLocal bool   `json:"transient_local"`
	// of a subscriber: which publishers it hears nothing from, and why
	Mismatches []string `json:"mismatches,omitempty"`
}

// Service is a service with its servers.
type Service struct {
	Name    string   `json:"name"`
	Types   []string `json:"types"`
	Servers []string `json:"servers"`
}

const (
	quiet   = time.Second // without changes, after which the graph is known
	longest = 5 * time.Second
)

// Find joins the graph of ROS 2 and returns what is in it, without itself, once nothing more is found. With names, only
// these topics and services are listed.
func Find(ctx context.Context, config ros2.Config, names []string) (*Listing, error) {
	config.Name = "info"
	n, err := bridge.JoinNode(ctx, config)
	if err != nil {
		return nil, err
	}
	defer n.Close()
	change := work.NewSignal()
	defer n.OnChange(change.Set)()
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	for timer := time.NewTimer(quiet); ; {
		select {
		case <-change:
			timer.Reset(quiet)
			continue
		case <-timer.C:
		case <-ctx.Done():
		}
		return list(n.Graph(), n.GUID(), names), nil
	}
}

func list(g *ros2.Graph, own ros2.GUID, names []string) *Listing {
	out := &Listing{Nodes: []Node{}, Topics: []Topic{}, Services: []Service{}}
	for _, p := range g.Participants {
		if p.GUID.Prefix() == own.Prefix() {
			continue
		}
		for _, name := range p.Nodes {
			out.Nodes = append(out.Nodes, Node{name, p.Address, vendor(p.Vendor)})
		}
		if len(p.Nodes) == 0 {
			out.Nodes = append(out.Nodes, Node{p.GUID.String(), p.Address, vendor(p.Vendor)})
		}
	}
	slices.SortFunc(out.Nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	var topics []string
	servers := map[string][]string{}
	for _, e := range g.Endpoints { // sorted by topic
		switch wanted := len(names) == 0 || slices.Contains(names, e.Topic); {
		case e.GUID.Prefix() == own.Prefix() || !wanted || !strings.HasPrefix(e.Topic, "/"):
		case !e.Service && !slices.Contains(topics, e.Topic):
			topics = append(topics, e.Topic)
		case e.Service && e.Server && e.Publisher:
			servers[e.Topic] = append(servers[e.Topic], node(&e))
			if len(servers[e.Topic]) == 1 {
				out.Services = append(out.Services, Service{Name: e.Topic, Types: g.Services()[e.Topic]})
			}
		}
	}
	for i := range out.Services {
		out.Services[i].Servers = servers[out.Services[i].Name]
	}
	for _, name := range topics {
		others := func(list []ros2.EndpointInfo) []ros2.EndpointInfo {
			return slices.DeleteFunc(list, func(e ros2.EndpointInfo) bool { return e.GUID.Prefix() == own.Prefix() })
		}
		publishers, subscribers := others(g.Publishers(name)), others(g.Subscribers(name))
		t := Topic{Name: name, Types: g.Topics()[name], Publishers: []Endpoint{}, Subscribers: []Endpoint{}}
		for i := range publishers {
			t.Publishers = append(t.Publishers, endpoint(&publishers[i]))
		}
		for i := range subscribers {
			s := endpoint(&subscribers[i])
			for j := range publishers {
				if why := ros2.Mismatch(&publishers[j], &subscribers[i]); why != "" {
					s.Mismatches = append(s.Mismatches, "gets nothing from "+node(&publishers[j])+": "+why)
				}
			}
			t.Subscribers = append(t.Subscribers, s)
		}
		out.Topics = append(out.Topics, t)
	}
	return out
}

func endpoint(e *ros2.EndpointInfo) Endpoint {
	return Endpoint{Node: node(e), Type: e.Type, Hash: e.Hash, Reliable: e.QoS.Reliable,
		TransientLocal: e.QoS.TransientLocal}
}

func node(e *ros2.EndpointInfo) string { return cmp.Or(e.Node, e.GUID.String()) }

func vendor(v [2]byte) string {
	switch v {
	case [2]byte{1, 0x0f}:
		return "Fast DDS"
	case [2]byte{1, 0x10}:
		return "Cyclone DDS"
	case [2]byte{1, 0x7d}:
		return program.Name
	}
	return fmt.Sprintf("vendor %x", v)
}

// JSON writes the graph as JSON.
func (g *Listing) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(g)
}

// Text writes the graph for people. Services that each node has are left out.
func (g *Listing) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s, %s\n", program.Count(len(g.Nodes), "node"), program.Count(len(g.Topics), "topic"))
	for _, n := range g.Nodes {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", n.Name, n.DDS, n.Address)
	}
	for _, topic := range g.Topics {
		fmt.Fprintf(t, "\n%s  %s\n", topic.Name, strings.Join(topic.Types, ", "))
		for _, e := range topic.Publishers {
			e.text(t, "publisher")
		}
		for _, e := range topic.Subscribers {
			e.text(t, "subscriber")
		}
	}
	fmt.Fprintln(t)
	for _, s := range g.Services {
		if !strings.HasPrefix(s.Types[0], "rcl_interfaces/") &&
			!strings.HasPrefix(s.Types[0], "type_description_interfaces/") {
			fmt.Fprintf(t, "%s\t%s\tserved by %s\n", s.Name, strings.Join(s.Types, ", "), strings.Join(s.Servers, ", "))
		}
	}
	return t.Flush()
}

func (e *Endpoint) text(w io.Writer, what string) {
	reliability, durability := "best effort", "volatile"
	if e.Reliable {
		reliability = "reliable"
	}
	if e.TransientLocal {
		durability = "transient local"
	}
	fmt.Fprintf(w, "  %s\t%s\t%s, %s\n", what, e.Node, reliability, durability)
	for _, why := range e.Mismatches {
		fmt.Fprintf(w, "    %s\n", why)
	}
}
