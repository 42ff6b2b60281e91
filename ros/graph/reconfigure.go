package graph

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"rsros/msgs"
	"rsros/ros"
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

// Values are the parameters' values by name, each of the type of its Default.
type Values map[string]any

// Reconfigure offers parameters below a name for dynparam and rqt_reconfigure:
// NAME/set_parameters, NAME/parameter_descriptions, NAME/parameter_updates.
type Reconfigure struct {
	current               func() Parameters
	descriptions, updates *ros.Publisher
	services              Services

	mu sync.Mutex // orders updates
}

// ServeReconfigure offers parameters of which the caller keeps the values. described has
// their bounds and defaults; current returns them with their values as Default. change is
// called with the values in a request by name, one call at a time, and current after it.
func ServeReconfigure(n *ros.Node, name string, described Parameters, current func() Parameters,
	change func(ctx context.Context, sent map[string]any) error) (_ *Reconfigure, err error) {
	r := &Reconfigure{current: current}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	advertise := func(topic, typ string) (*ros.Publisher, error) {
		return n.Advertise(ros.PublisherOptions{Topic: name + "/" + topic, Type: msgs.MustType(typ), Latch: true})
	}
	if r.descriptions, err = advertise("parameter_descriptions", "dynamic_reconfigure/ConfigDescription"); err != nil {
		return nil, err
	}
	if r.updates, err = advertise("parameter_updates", "dynamic_reconfigure/Config"); err != nil {
		return nil, err
	}
	d := described.describe()
	r.descriptions.Publish(msgs.Raw{Head: msgs.Marshal(&d)})
	r.Publish()
	var changing sync.Mutex
	r.services, err = Offer(n,
		Service{name + "/set_parameters", "dynamic_reconfigure/Reconfigure",
			func(ctx context.Context, req []byte) (msgs.Message, error) {
				var m msgs.Config
				if err := msgs.Unmarshal(req, &m); err != nil {
					return nil, err
				}
				changing.Lock()
				defer changing.Unlock()
				err := change(ctx, ConfigValues(&m))
				return r.Publish(), err
			}})
	return r, err
}

// Publish publishes and returns the current values.
func (r *Reconfigure) Publish() *msgs.Config {
	r.mu.Lock()
	defer r.mu.Unlock()
	config := r.current().config(func(p Parameter) any { return p.Default })
	r.updates.Publish(msgs.Raw{Head: msgs.Marshal(&config)})
	return &config
}

// Close stops the service and the topics.
func (r *Reconfigure) Close() {
	r.services.Close()
	for _, p := range []*ros.Publisher{r.updates, r.descriptions} {
		if p != nil {
			p.Close()
		}
	}
}

// OfferReconfigure is KeepReconfigure for parameters whose values nobody else changes. It calls apply with all values
// for each change, and at the start. An error of apply refuses a change. Values are clamped to their ranges; invalid
// ones are ignored.
func OfferReconfigure(ctx context.Context, n *ros.Node, name string, parameters Parameters,
	apply func(Values) error) (*Reconfigure, error) {
	now := parameters
	return KeepReconfigure(ctx, n, name, parameters, func() Parameters { return now },
		func(_ context.Context, sent map[string]any) error {
			next := now.merged(sent)
			values := Values{}
			for _, p := range next {
				values[p.Name] = p.Default
			}
			err := apply(values)
			if err == nil {
				now = next
			}
			return err
		})
}

// KeepReconfigure is ServeReconfigure for parameters that the parameter server has below the name, too, as with
// dynamic_reconfigure's own servers, so that a restarted node finds them. It first calls change with those that are
// there. Its errors are logged.
func KeepReconfigure(ctx context.Context, n *ros.Node, name string, described Parameters, current func() Parameters,
	change func(ctx context.Context, sent map[string]any) error) (*Reconfigure, error) {
	log := n.Log().With().Str("parameters", name).Logger()
	try := func(ctx context.Context, values map[string]any) error {
		err := change(ctx, values)
		if err != nil {
			log.Warn().Err(err).Msg("cannot set options")
		}
		return err
	}
	found, _, _ := n.Param(ctx, name) // without an answer, the defaults apply
	stored, _ := found.(map[string]any)
	_ = try(ctx, stored)
	return ServeReconfigure(n, name, described, current, func(ctx context.Context, sent map[string]any) error {
		if err := try(ctx, sent); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, storePatience)
		defer cancel()
		for _, p := range current() {
			if _, set := sent[p.Name]; !set {
				continue
			}
			if err := n.SetParam(ctx, name+"/"+p.Name, p.Default); err != nil {
				log.Warn().Err(err).Msg("a restart won't keep what was set: the parameter server doesn't have it")
				break
			}
		}
		return nil
	})
}

// storePatience bounds the time that setting parameters takes longer without a master.
const storePatience = 2 * time.Second

// ConfigValues returns the values in a message by name, each a bool, an int, a float64 or a string.
func ConfigValues(m *msgs.Config) map[string]any {
	values := map[string]any{}
	putAll(values, m.Bools)
	putAll(values, m.Strs)
	putAll(values, m.Doubles)
	for _, p := range m.Ints {
		values[p.Name] = int(p.Value)
	}
	return values
}

func putAll[T bool | string | float64](values map[string]any, list []msgs.Param[T]) {
	for _, p := range list {
		values[p.Name] = p.Value
	}
}

// AddValue adds a value to a message: a bool, an int of 32 bits, a float64 or a string. It ignores other types.
func AddValue(m *msgs.Config, name string, value any) {
	switch v := value.(type) {
	case bool:
		m.Bools = append(m.Bools, msgs.Param[bool]{Name: name, Value: v})
	case int:
		m.Ints = append(m.Ints, msgs.Param[int32]{Name: name, Value: int32(v)})
	case string:
		m.Strs = append(m.Strs, msgs.Param[string]{Name: name, Value: v})
	case float64:
		m.Doubles = append(m.Doubles, msgs.Param[float64]{Name: name, Value: v})
	}
}

func (ps Parameters) merged(given map[string]any) Parameters {
	ps = slices.Clone(ps)
	for i := range ps {
		if v, ok := ps[i].accept(given[ps[i].Name]); ok {
			ps[i].Default = v
		}
	}
	return ps
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

func (p *Parameter) offers(v any) bool {
	return len(p.Choices) == 0 || slices.ContainsFunc(p.Choices, func(c Choice) bool { return c.Value == v })
}

// kinds has the names of types in dynamic_reconfigure.
var kinds = map[reflect.Kind]string{reflect.Bool: "bool", reflect.Int: "int",
	reflect.String: "str", reflect.Float64: "double"}

func (p *Parameter) kind() string { return kinds[reflect.TypeOf(p.Default).Kind()] }

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
		Dflt:   ps.config(func(p Parameter) any { return p.Default }),
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
		list = append(list, fmt.Sprintf("{'name': %s, 'value': %s, 'type': %s, 'description': %s}", quote(c.Name), value,
			quote(p.kind()), quote(c.Description)))
	}
	return fmt.Sprintf("{'enum': [%s], 'enum_description': %s}", strings.Join(list, ", "), quote(p.Description))
}

func quote(s string) string {
	quoted := strconv.Quote(s)
	return "'" + strings.ReplaceAll(quoted[1:len(quoted)-1], "'", `\'`) + "'"
}

// config returns a value of each parameter as a ROS message.
func (ps Parameters) config(pick func(Parameter) any) msgs.Config {
	c := msgs.Config{Groups: []msgs.GroupState{{Name: "Default", State: true}}}
	for _, p := range ps {
		AddValue(&c, p.Name, pick(p))
	}
	return c
}
