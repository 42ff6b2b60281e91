package ros2

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"rsros/program/yaml"
)

// ROS1Args replaces what is between --ros-args and -- in a command line by arguments in the form of ROS 1: remaps as
// from:=to, __node:=a as __name:=a, and parameters as _name:=value, with '/' in place of the '.' in names. The value of
// --log-level becomes the program's own flag. What is for nodes with another name than __node:=NAME is left out.
func ROS1Args(args []string) (out []string, err error) {
	t := argTranslator{}
	for i := 0; i < len(args); i++ {
		if args[i] != "--ros-args" {
			t.out = append(t.out, args[i])
			continue
		}
		end := i + 1
		for end < len(args) && args[end] != "--" && args[end] != "--ros-args" {
			end++
		}
		if err := t.translate(args[i+1 : end]); err != nil {
			return nil, err
		}
		if i = end; end < len(args) && args[end] == "--ros-args" {
			i--
		}
	}
	return t.finish()
}

// argTranslator has the node's name only in the end.
type argTranslator struct {
	out    []string
	rules  []string // [NODE:]FROM:=TO
	params []string // [NODE:]NAME:=VALUE
	files  []string
	node   string
}

func (t *argTranslator) translate(args []string) error {
	for i := 0; i < len(args); i++ {
		flag := args[i]
		var to *[]string
		switch flag {
		case "-r", "--remap":
			to = &t.rules
		case "-p", "--param":
			to = &t.params
		case "--params-file":
			to = &t.files
		case "--log-level":
			to = &[]string{}
		case "-e", "--enclave", "--log-config-file", "--log-file-name":
			i++ // not followed
			continue
		default:
			if strings.HasPrefix(flag, "--enable-") || strings.HasPrefix(flag, "--disable-") {
				continue // of logs
			}
			return fmt.Errorf("--ros-args %s: want -r, -p, --params-file or --log-level", flag)
		}
		if i++; i == len(args) {
			return fmt.Errorf("--ros-args %s needs a value", flag)
		}
		*to = append(*to, args[i])
		switch from, name, ok := strings.Cut(args[i], ":="); {
		case flag == "--log-level":
			level := args[i][strings.LastIndexAny(args[i], ":=")+1:] // LOGGER:=LEVEL
			t.out = append(t.out, "--log-level="+strings.Replace(strings.ToLower(level), "fatal", "error", 1))
		case to != &t.files && !ok:
			return fmt.Errorf("--ros-args %s %s: want NAME:=VALUE", flag, args[i])
		case to == &t.rules && (from == "__node" || from == "__name"):
			t.node = name
		}
	}
	return nil
}

func (t *argTranslator) finish() ([]string, error) {
	for _, file := range slices.Backward(t.files) { // what comes later wins, single parameters last
		if err := t.readFile(file); err != nil {
			return nil, fmt.Errorf("--params-file: %w", err)
		}
	}
	for _, rule := range t.rules {
		if rule, ok := t.own(rule); ok {
			if to, isName := strings.CutPrefix(rule, "__node:="); isName {
				rule = "__name:=" + to
			}
			t.out = append(t.out, rule)
		}
	}
	for _, p := range t.params {
		if p, ok := t.own(p); ok {
			name, value, _ := strings.Cut(p, ":=")
			t.out = append(t.out, "_"+strings.ReplaceAll(name, ".", "/")+":="+value)
		}
	}
	return t.out, nil
}

// own cuts the node's name off a rule. ok is false if it is for another node.
func (t *argTranslator) own(rule string) (_ string, ok bool) {
	node, rest, found := strings.Cut(rule, ":")
	if !found || strings.HasPrefix(rest, "=") {
		return rule, true
	}
	return rest, t.node == "" || t.node == node
}

// readFile adds the parameters of a file, NODE: {ros__parameters: {…}}.
func (t *argTranslator) readFile(name string) error {
	nodes, err := yaml.ReadFile(name, func(text []byte) (*map[string]any, error) {
		var v map[string]any
		return &v, yaml.Decode(text, &v)
	})
	if err != nil {
		return err
	}
	flat := map[string]string{}
	var add func(node, prefix string, v any) error
	add = func(node, prefix string, v any) error {
		tree, ok := v.(map[string]any)
		if !ok {
			text, err := json.Marshal(v) // which is YAML
			flat[prefix] = string(text)
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			var err error
			switch {
			case key != "ros__parameters" && node == "": // NODE, or NAMESPACE: {NODE: …}
				err = add("", path.Join(prefix, key), tree[key])
			case key != "ros__parameters":
				err = add(node, strings.TrimPrefix(prefix+"."+key, "."), tree[key])
			case t.node == "" || strings.Contains(prefix, "*") || path.Base(prefix) == t.node:
				err = add(path.Join("/", prefix), "", tree[key])
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := add("", "", map[string]any(*nodes)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(flat)) {
		list = append(list, name+":="+flat[name])
	}
	t.params = append(list, t.params...)
	return nil
}
