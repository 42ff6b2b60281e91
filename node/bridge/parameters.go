package bridge

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"rsros/msgs"
	"rsros/ros"
	"rsros/ros/graph"
	dds "rsros/ros2"
)

// parameters offers in ROS 2 what a node offers by dynamic_reconfigure. It implements dds.Parameters.
type parameters struct {
	server *dds.ParameterServer
	groups map[*ros.ServiceServer]*group // of the goroutine of Mirror.run
	given  map[string]dds.Value          // by the command line, until there is such a parameter; so

	mu  sync.Mutex // guards the following, and what is in them
	all map[string]*parameter
}

// init takes the parameters that the command line gave, of which those with a '/' are of groups.
func (p *parameters) init(given map[string]any) {
	p.groups, p.given, p.all = map[*ros.ServiceServer]*group{}, map[string]dds.Value{}, map[string]*parameter{}
	for name, v := range given {
		if n, ok := v.(int); ok {
			v = int64(n)
		}
		if strings.Contains(name, "/") {
			p.given[strings.ReplaceAll(name, "/", ".")] = v
		}
	}
}

// setGiven sets the parameters of the command line that are there now. A whole number is taken for any number.
func (m *Mirror) setGiven() {
	for name, v := range m.parameters.given {
		q, ok := m.parameters.get(name)
		if !ok {
			continue
		}
		delete(m.parameters.given, name)
		if n, whole := v.(int64); whole && reflect.TypeOf(q.Value) == reflect.TypeFor[float64]() {
			v = float64(n)
		}
		if _, err := m.parameters.Set([]dds.Parameter{{Name: name, Value: v}}); err != nil {
			m.log.Warn().Err(err).Msg("a parameter of the command line isn't set")
		}
	}
}

// group is the parameters below a name in ROS 1.
type group struct {
	prefix string // of the names in ROS 2
	set    *ros.ServiceServer
	taps   []*ros.Tap
}

type parameter struct {
	dds.Description
	group *group
	name  string // in the group
}

const reconfigureType = "dynamic_reconfigure/Reconfigure"

// realsenseNames are realsense-ros's names in ROS 2 of the groups that ROS 1 names otherwise.
var realsenseNames = map[string]string{
	"stereo_module": "depth_module", "decimation": "decimation_filter", "spatial": "spatial_filter",
	"temporal": "temporal_filter", "hole_filling": "hole_filling_filter", "disparity": "disparity_filter",
	"sequence_id_filter": "filter_by_sequence_id",
}

// prefixOf returns the prefix of a group's parameters, "depth_module." for /camera/camera/stereo_module of the node
// /camera/camera. ok is false for what isn't offered in ROS 2.
func (m *Mirror) prefixOf(name string) (prefix string, ok bool) {
	if name = m.nameOf(name); name == "" || name == m.to.FullName() {
		return "", name != ""
	}
	parts := strings.Split(strings.Trim(strings.TrimPrefix(name, m.to.FullName()+"/"), "/"), "/")
	for i, part := range parts {
		if known, ok := realsenseNames[part]; ok {
			parts[i] = known
		}
	}
	return strings.Join(parts, ".") + ".", true
}

// reconcileParameters offers the groups that the node has, and no others. The caller holds mu.
func (m *Mirror) reconcileParameters() {
	p, there := &m.parameters, m.from.Services()
	for s, g := range p.groups {
		if !slices.Contains(there, s) {
			for _, tap := range g.taps {
				tap.Close()
			}
			delete(p.groups, s)
			p.mu.Lock()
			maps.DeleteFunc(p.all, func(_ string, q *parameter) bool { return q.group == g })
			p.mu.Unlock()
		}
	}
	for _, s := range there {
		name, ok := strings.CutSuffix(s.Name(), "/set_parameters")
		if !ok || p.groups[s] != nil || s.Type().Name != reconfigureType {
			continue
		}
		prefix, ok := m.prefixOf(name)
		if !ok {
			continue
		}
		g := &group{prefix: prefix, set: s}
		p.groups[s] = g
		for topic, heard := range map[string]func(*group, []byte){"descriptions": p.describe, "updates": p.update} {
			callback := func(m *ros.Shared) { heard(g, slices.Concat(m.Content(nil)...)) }
			tap, err := m.from.Tap(name+"/parameter_"+topic, callback)
			if err == nil { // the node isn't closed
				g.taps = append(g.taps, tap)
			}
		}
	}
	m.setGiven()
}

// describe takes in a group's ConfigDescription, whose values are the defaults.
func (p *parameters) describe(g *group, b []byte) {
	var d msgs.ConfigDescription
	if msgs.Unmarshal(b, &d) != nil {
		return
	}
	least, most, first := valuesOf(&d.Min), valuesOf(&d.Max), valuesOf(&d.Dflt)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, section := range d.Groups {
		for _, of := range section.Parameters {
			name := g.prefix + of.Name
			q := &parameter{group: g, name: of.Name, Description: dds.Description{
				Name: name, Text: of.Description, Constraints: of.EditMethod, Value: first[of.Name],
			}}
			if from, to := number(least[of.Name]), number(most[of.Name]); from < to {
				q.Range = &[3]float64{from, to}
			}
			if old := p.all[name]; old != nil && old.group == g {
				q.Value = old.Value
			}
			p.all[name] = q
		}
	}
}

// update takes in a group's values, and tells what has changed.
func (p *parameters) update(g *group, b []byte) {
	var c msgs.Config
	if msgs.Unmarshal(b, &c) != nil {
		return
	}
	var changed []dds.Parameter
	p.mu.Lock()
	for name, value := range valuesOf(&c) {
		name := g.prefix + name
		q := p.all[name]
		if q == nil { // described later
			q = &parameter{group: g, Description: dds.Description{Name: name}}
			p.all[name] = q
		}
		if !reflect.DeepEqual(q.Value, value) {
			q.Value = value
			changed = append(changed, dds.Parameter{Name: name, Value: value})
		}
	}
	p.mu.Unlock()
	p.server.Changed(changed)
}

func valuesOf(c *msgs.Config) map[string]dds.Value {
	values := map[string]dds.Value{}
	for name, v := range graph.ConfigValues(c) {
		if n, ok := v.(int); ok {
			v = int64(n)
		}
		values[name] = v
	}
	return values
}

// number returns a number as one, 0 for other values.
func number(v dds.Value) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

func (p *parameters) List() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.all))
}

func (p *parameters) Describe(name string) (dds.Description, bool) {
	q, ok := p.get(name)
	return q.Description, ok
}

func (p *parameters) get(name string) (q parameter, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.all[name]; found != nil {
		return *found, true
	}
	return q, false
}

// setTime bounds the time that a device takes.
const setTime = 10 * time.Second

// Set sets parameters as dynamic_reconfigure does, which tells of the changes.
func (p *parameters) Set(list []dds.Parameter) ([]dds.Parameter, error) {
	requests := map[*group]*msgs.Config{}
	for _, v := range list {
		q, ok := p.get(v.Name)
		if !ok {
			return nil, fmt.Errorf("there is no parameter %s", v.Name)
		}
		if reflect.TypeOf(q.Value) != reflect.TypeOf(v.Value) {
			return nil, fmt.Errorf("%s is %T, not %T", v.Name, q.Value, v.Value)
		}
		if n := number(v.Value); q.Range != nil && !(n >= q.Range[0] && n <= q.Range[1]) {
			return nil, fmt.Errorf("%s is from %v to %v, not %v", v.Name, q.Range[0], q.Range[1], v.Value)
		}
		if requests[q.group] == nil {
			requests[q.group] = new(msgs.Config)
		}
		value := any(v.Value)
		if n, ok := value.(int64); ok {
			value = int(n)
		}
		graph.AddValue(requests[q.group], q.name, value)
	}
	ctx, cancel := context.WithTimeout(context.Background(), setTime)
	defer cancel()
	for g, c := range requests {
		if _, err := g.set.Handle(ctx, msgs.Marshal(c)); err != nil {
			return nil, err
		}
	}
	for _, v := range list {
		_, rounded := v.Value.(float64)
		if q, ok := p.get(v.Name); ok && !rounded && !reflect.DeepEqual(q.Value, v.Value) {
			return nil, fmt.Errorf("%s is %v: the device doesn't take %v", v.Name, q.Value, v.Value)
		}
	}
	return nil, nil
}
