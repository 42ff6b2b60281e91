package info

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"rsros/bagstore"
	"rsros/msgs"
)

type yamlField struct{ name, text string }

type yamlList struct {
	name  string
	items [][]yamlField
}

// yaml returns what rosbag info -y prints, with median rates if they are known.
func (s *Summary) yaml() ([]yamlField, []yamlList) {
	fields := []yamlField{{"path", s.Path}, {"version", s.Version}}
	add := func(name, format string, value any) {
		fields = append(fields, yamlField{name, fmt.Sprintf(format, value)})
	}
	if s.Messages == 0 {
		add("size", "%d", s.Size)
		add("indexed", "%s", "False") // rosbag calls every bag without messages unindexed
		return fields, nil
	}
	add("duration", "%.6f", s.Duration().Seconds())
	add("start", "%.6f", s.Start.Seconds())
	add("end", "%.6f", s.End.Seconds())
	add("size", "%d", s.Size)
	add("messages", "%d", s.Messages)
	add("indexed", "%s", map[bool]string{true: "True", false: "False"}[s.Indexed])
	main := bagstore.None
	if len(s.Compressions) > 0 {
		main = s.Compressions[0].Kind
	}
	add("compression", "%s", main)
	if s.compressed() && s.Sampled == 0 {
		add("uncompressed", "%d", s.Uncompressed)
		add("compressed", "%d", s.Stored)
	}
	types, topics := yamlList{name: "types"}, yamlList{name: "topics"}
	for _, t := range s.Types {
		types.items = append(types.items, []yamlField{{"type", t.Type}, {"md5", t.MD5}})
	}
	for _, t := range s.Topics {
		item := []yamlField{{"topic", t.Topic}, {"type", t.Type}, {"messages", fmt.Sprint(t.Messages)}}
		if t.Connections > 1 {
			item = append(item, yamlField{"connections", fmt.Sprint(t.Connections)})
		}
		if t.median() != "" {
			item = append(item, yamlField{"frequency", fmt.Sprintf("%.4f", t.Rates.Median)})
		}
		topics.items = append(topics.items, item)
	}
	return fields, []yamlList{types, topics}
}

// WriteYAML prints the summary as rosbag info -y does.
func (s *Summary) WriteYAML(to io.Writer) error {
	w := bufio.NewWriter(to)
	fields, lists := s.yaml()
	for _, f := range fields {
		fmt.Fprintf(w, "%s: %s\n", f.name, f.text)
	}
	for _, l := range lists {
		fmt.Fprintf(w, "%s:\n", l.name)
		for _, item := range l.items {
			for i, f := range item {
				fmt.Fprintf(w, "    %c %s: %s\n", "- "[min(i, 1)], f.name, f.text)
			}
		}
	}
	return w.Flush()
}

// keyForm matches a key of rosbag info -k: size, topics, topics[0], topics[-1].messages.
const keyForm = `^(\w+)(?:\[(-?\d+)\](?:\.(\w+))?)?$`

// WriteKey prints a value exactly as rosbag info -y -k does. It reports whether the key exists.
func (s *Summary) WriteKey(to io.Writer, key string) (found bool, err error) {
	form := regexp.MustCompile(keyForm).FindStringSubmatch(key)
	if form == nil {
		return false, nil
	}
	fields, lists := s.yaml()
	if form[2] == "" {
		if text, ok := find(fields, form[1]); ok {
			_, err = fmt.Fprintln(to, text)
			return true, err
		}
	}
	for _, l := range lists {
		if l.name == form[1] {
			return l.write(to, form[2], form[3])
		}
	}
	return false, nil
}

func (l yamlList) write(to io.Writer, index, field string) (found bool, err error) {
	if index == "" {
		w := bufio.NewWriter(to)
		for _, item := range l.items {
			fmt.Fprintf(w, "- %s\n", mapText(item, "  "))
		}
		fmt.Fprintln(w)
		return true, w.Flush()
	}
	i, err := strconv.Atoi(index)
	if err == nil && i < 0 {
		i += len(l.items)
	}
	if err != nil || i < 0 || i >= len(l.items) {
		return false, nil
	}
	text := mapText(l.items[i], "")
	if field != "" {
		if text, found = find(l.items[i], field); !found {
			return false, nil
		}
	}
	_, err = fmt.Fprintln(to, text)
	return true, err
}

func mapText(fields []yamlField, indent string) string {
	var lines []string
	for _, f := range fields {
		lines = append(lines, f.name+": "+f.python())
	}
	return strings.Join(lines, "\n"+indent)
}

func find(fields []yamlField, name string) (text string, ok bool) {
	for _, f := range fields {
		if f.name == name {
			return f.python(), true
		}
	}
	return "", false
}

// python returns the value as Python prints it after reading the YAML.
func (f yamlField) python() string {
	switch f.name {
	case "duration", "start", "end", "frequency":
	default:
		return f.text
	}
	v, err := strconv.ParseFloat(f.text, 64)
	if err != nil {
		return f.text
	}
	return msgs.FormatFloat(v)
}
