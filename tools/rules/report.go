package rules

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rsros/bagstore"
)

// Report is the result of comparing a recording with rules.
type Report struct {
	Rules  int       `json:"rules"` // compared
	Failed []Failure `json:"failed"`
	More   int       `json:"more,omitempty"` // failed rules beyond the bound of the list
}

// Failure is a rule that a recording breaks.
type Failure struct {
	Line  int           `json:"line"` // in the rule file
	Topic string        `json:"topic,omitempty"`
	Rule  string        `json:"rule"`
	Want  string        `json:"want"`
	Found string        `json:"found"`
	At    bagstore.Time `json:"at,omitempty"` // record time of the first place; 0: it isn't about one
	After bagstore.Time `json:"-"`            // At, from the start of the recording
}

// maxFailures bounds the list of failures: a recording may have thousands of topics.
const maxFailures = 1000

// Evaluate compares a recording with the rules.
func (s *Set) Evaluate(m *Measures) *Report {
	j := evaluation{m: m, rep: &Report{Failed: []Failure{}}}
	j.limits(s.limits, nil, false)
	j.words(s.realSense, "", "realsense", strconv.FormatBool(m.RealSense))
	j.words(s.compressions, "", "compression", m.compressions...)
	for i := range s.topics {
		j.topics(&s.topics[i])
	}
	return j.rep
}

type evaluation struct {
	m   *Measures
	rep *Report
}

func (j *evaluation) add(f Failure) {
	if len(j.rep.Failed) == maxFailures {
		j.rep.More++
		return
	}
	if f.At > 0 {
		f.After = f.At - j.m.first
	}
	j.rep.Failed = append(j.rep.Failed, f)
}

func (j *evaluation) limits(list []limit, t *topic, some bool) {
	name := ""
	if t != nil {
		name = t.name
	}
	for _, l := range list {
		if t != nil && t.messages == 0 && l.key != "messages" {
			continue // there is nothing to compare
		}
		s := l.of(j.m, t)
		if some && s.why == noHeader {
			continue
		}
		j.rep.Rules++
		if found, at := l.breaks(s); found != "" {
			j.add(Failure{Line: l.line, Topic: name, Rule: l.key, Want: l.describe(), Found: found, At: at})
		}
	}
}

func (j *evaluation) words(w words, topic, rule string, found ...string) {
	if w.allow == nil {
		return
	}
	j.rep.Rules++
	for _, text := range found {
		if !slices.Contains(w.allow, text) {
			j.add(Failure{Line: w.line, Topic: topic, Rule: rule, Want: strings.Join(w.allow, " or "), Found: text})
		}
	}
}

func (j *evaluation) topics(r *topicRules) {
	expect := Failure{Line: r.line, Topic: r.name, Rule: "expect", Want: r.expect, Found: absent}
	found := false
	for _, t := range j.m.topics {
		if r.match == nil && t.name != r.name || r.match != nil && !r.match.MatchString(t.name) {
			continue
		}
		found = true
		if r.expect == absent {
			expect.Topic, expect.Found = t.name, fmt.Sprintf("present, %d messages", t.messages)
			j.add(expect)
			continue
		}
		j.words(r.typ, t.name, "type", t.types...)
		j.limits(r.limits, t, r.match != nil)
	}
	j.rep.Rules++
	if !found && r.expect == present {
		j.add(expect)
	}
}

// WriteText writes a line for each failed rule.
func (r *Report) WriteText(w io.Writer) {
	for _, f := range r.Failed {
		fmt.Fprintf(w, "  rule in line %d: ", f.Line)
		if f.Topic != "" {
			fmt.Fprintf(w, "%s: ", f.Topic)
		}
		fmt.Fprintf(w, "%s: want %s, found %s", f.Rule, f.Want, f.Found)
		if f.At > 0 {
			fmt.Fprintf(w, " at %d.%09d, %v after the start", f.At.Sec(), f.At.Nsec(), f.After.Sub(0))
		}
		fmt.Fprintln(w)
	}
	if r.More > 0 {
		fmt.Fprintf(w, "  %d more rules failed\n", r.More)
	}
	fmt.Fprintf(w, "  rules: %d of %d failed\n", len(r.Failed)+r.More, r.Rules)
}
