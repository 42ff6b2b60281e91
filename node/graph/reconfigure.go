package graph

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"rsros/msgs"
	"rsros/node/ros"
)

// Parameter is a value that dynamic_reconfigure offers.
type Parameter struct {
	Name, Description string
	Default           any // bool, int, float64 or string: the parameter's kind
	Min, Max          any // of an int or float64: as Default
	Choices           []Choice
}

// Choice is one of the values that a parameter may have, where they have names.
type Choice struct {
	Name, Description string
	Value             any // as Parameter.Default
}

// Parameters are a group of parameters.
type Parameters []Parameter

// Sent returns the values in a request by name.
func Sent(m *msgs.Config) map[string]any {
	sent := map[string]any{}
	putAll(sent, m.Bools)
	putAll(sent, m.Strs)
	putAll(sent, m.Doubles)
	for _, p := range m.Ints {
		sent[p.Name] = int(p.Value)
	}
	return sent
}

func putAll[T bool | string | float64](values map[string]any, list []msgs.Param[T]) {
	for _, p := range list {
		values[p.Name] = p.Value
	}
}

// Values are the parameters' values by name, each of the type of its Default.
type Values map[string]any

// Reconfigure offers parameters below a name for dynparam and rqt_reconfigure:
// NAME/set_parameters, NAME/parameter_descriptions, NAME/parameter_updates.
type Reconfigure struct {
	parameters Parameters
	apply      func(Values) error
	topics     *ParameterTopics

	mu     sync.Mutex // orders changes
	values Values
}

// OfferReconfigure starts with the values that the parameter server has below the name,
// or with the defaults. It calls apply with all values at the start and for each change,
// one call at a time. An error of apply refuses a change. Values are clamped to their
// ranges.
func OfferReconfigure(n *ros.Node, name string, parameters Parameters, apply func(Values) error) (*Reconfigure, error) {
	r := &Reconfigure{parameters: parameters, apply: apply, values: Values{}}
	for _, p := range parameters {
		r.values[p.Name] = p.Default
	}
	if tree, ok, err := n.Param(context.Background(), name); err == nil && ok {
		if given, ok := tree.(map[string]any); ok {
			r.values = r.merged(given)
		}
	}
	if err := apply(maps.Clone(r.values)); err != nil {
		return nil, fmt.Errorf("parameters %s: %w", name, err)
	}
	if err := r.offer(n, name); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Reconfigure) offer(n *ros.Node, name string) (err error) {
	if r.topics, err = AdvertiseParameters(n, name+"/"); err != nil {
		return err
	}
	if err := r.topics.Serve(r.serve); err != nil {
		return err
	}
	r.topics.Describe(r.parameters)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.publish()
	return nil
}

// Values returns the current values.
func (r *Reconfigure) Values() Values {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.values)
}

// Close stops the service and the topics.
func (r *Reconfigure) Close() {
	if r.topics != nil {
		r.topics.Close()
	}
}

// serve executes a request for some of the parameters and returns the resulting values.
func (r *Reconfigure) serve(m *msgs.Config) (*msgs.Config, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	values := r.merged(Sent(m))
	err := r.apply(maps.Clone(values))
	if err == nil {
		r.values = values
	}
	return r.publish(), err
}

// publish publishes the current values. The caller holds r.mu.
func (r *Reconfigure) publish() *msgs.Config {
	config := r.parameters.Config(r.values)
	r.topics.Publish(&config)
	return &config
}

// merged returns the values, replaced by the given ones that are valid.
func (r *Reconfigure) merged(given map[string]any) Values {
	out := maps.Clone(r.values)
	for _, p := range r.parameters {
		if v, ok := p.accept(given[p.Name]); ok {
			out[p.Name] = v
		}
	}
	return out
}

// accept converts a value to the parameter's type and clamps it to the range.
func (p *Parameter) accept(v any) (any, bool) {
	switch p.Default.(type) {
	case bool:
		on, ok := v.(bool)
		return on, ok
	case string:
		text, ok := v.(string)
		return text, ok && p.offers(text)
	case int:
		n, ok := v.(int)
		if ok && p.Min != nil {
			n = min(max(n, p.Min.(int)), p.Max.(int))
		}
		return n, ok && p.offers(n)
	case float64:
		if n, ok := v.(int); ok { // YAML has no point in 3
			v = float64(n)
		}
		f, ok := v.(float64)
		if ok && p.Min != nil {
			f = min(max(f, p.Min.(float64)), p.Max.(float64))
		}
		return f, ok && f == f
	}
	return nil, false
}

// offers reports whether a value is one of the choices, if there are any.
func (p *Parameter) offers(v any) bool {
	return len(p.Choices) == 0 || slices.ContainsFunc(p.Choices, func(c Choice) bool { return c.Value == v })
}

// kind returns the parameter's type as dynamic_reconfigure calls it.
func (p *Parameter) kind() string {
	switch p.Default.(type) {
	case bool:
		return "bool"
	case int:
		return "int"
	case string:
		return "str"
	}
	return "double"
}

// describe returns the parameters and their bounds as a ROS message.
func (ps Parameters) describe() msgs.ConfigDescription {
	group := msgs.Group{Name: "Default"}
	for _, p := range ps {
		group.Parameters = append(group.Parameters, msgs.ParamDescription{
			Name: p.Name, Type: p.kind(), Description: p.Description, EditMethod: p.editMethod(),
		})
	}
	return msgs.ConfigDescription{
		Groups: []msgs.Group{group},
		Min:    ps.config(func(p Parameter) any { return p.bound(p.Min, false) }),
		Max:    ps.config(func(p Parameter) any { return p.bound(p.Max, true) }),
		Dflt:   ps.Config(nil),
	}
}

// bound returns a limit, or the value that stands for no limit.
func (p *Parameter) bound(limit any, upper bool) any {
	if limit != nil {
		return limit
	}
	switch p.Default.(type) {
	case bool:
		return upper
	case string:
		return ""
	}
	return p.Default
}

// editMethod returns the choices as a Python dictionary, which rqt_reconfigure evaluates.
func (p *Parameter) editMethod() string {
	if len(p.Choices) == 0 {
		return ""
	}
	var list []string
	for _, c := range p.Choices {
		value := fmt.Sprint(c.Value)
		if text, ok := c.Value.(string); ok {
			value = quote(text)
		}
		list = append(list, fmt.Sprintf("{'name': %s, 'value': %s, 'type': %s, 'description': %s}", quote(c.Name), value, quote(p.kind()), quote(c.Description)))
	}
	return fmt.Sprintf("{'enum': [%s], 'enum_description': %s}", strings.Join(list, ", "), quote(p.Description))
}

// quote returns a Python string literal.
func quote(s string) string {
	quoted := strconv.Quote(s)
	return "'" + strings.ReplaceAll(quoted[1:len(quoted)-1], "'", `\'`) + "'"
}

// Config returns values, or the defaults of those that are missing, as a ROS message.
func (ps Parameters) Config(v Values) msgs.Config {
	return ps.config(func(p Parameter) any { return cmp.Or(v[p.Name], p.Default) })
}

func (ps Parameters) config(pick func(Parameter) any) msgs.Config {
	c := msgs.Config{Groups: []msgs.GroupState{{Name: "Default", State: true}}}
	for _, p := range ps {
		switch v := pick(p).(type) {
		case bool:
			c.Bools = append(c.Bools, msgs.Param[bool]{Name: p.Name, Value: v})
		case int:
			c.Ints = append(c.Ints, msgs.Param[int32]{Name: p.Name, Value: int32(v)})
		case string:
			c.Strs = append(c.Strs, msgs.Param[string]{Name: p.Name, Value: v})
		case float64:
			c.Doubles = append(c.Doubles, msgs.Param[float64]{Name: p.Name, Value: v})
		}
	}
	return c
}
