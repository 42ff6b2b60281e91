package kubernetes

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// workflow has the fields of an Argo Workflow that workflow.yaml uses. What Argo takes from Kubernetes has the types of its
// API; TestWorkflowSchema compares all fields with Argo's schema.
type workflow struct {
	APIVersion string                        `json:"apiVersion"`
	Kind       string                        `json:"kind"`
	Metadata   struct{ GenerateName string } `json:"metadata"`
	Spec       struct {
		Entrypoint string     `json:"entrypoint"`
		Templates  []template `json:"templates"`
	} `json:"spec"`
}

type template struct {
	Name          string                              `json:"name"`
	Steps         [][]step                            `json:"steps"`
	Inputs        arguments                           `json:"inputs"`
	RetryStrategy struct{ Limit, RetryPolicy string } `json:"retryStrategy"`
	Container     *corev1.Container                   `json:"container"`
	Volumes       []corev1.Volume                     `json:"volumes"`
}

type step struct {
	Name         string                 `json:"name"`
	Template     string                 `json:"template"`
	WithSequence struct{ Count string } `json:"withSequence"`
	Arguments    arguments              `json:"arguments"`
	ContinueOn   struct{ Failed bool }  `json:"continueOn"`
}

type arguments struct {
	Parameters []struct{ Name, Value string } `json:"parameters"`
}

func (a arguments) names() (names []string) {
	for _, p := range a.Parameters {
		names = append(names, p.Name)
	}
	return slices.Sorted(slices.Values(names))
}

// TestWorkflow: containers and volumes have fields of Kubernetes' API, and each step gives its template what that takes.
func TestWorkflow(t *testing.T) {
	text, err := os.ReadFile("workflow.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.UnmarshalStrict(text, &w); err != nil {
		t.Fatal(err)
	}
	if w.APIVersion != "argoproj.io/v1alpha1" || w.Kind != "Workflow" || w.Metadata.GenerateName == "" {
		t.Errorf("it is a %s of %s", w.Kind, w.APIVersion)
	}
	named := func(name string) *template {
		if i := slices.IndexFunc(w.Spec.Templates, func(t template) bool { return t.Name == name }); i >= 0 {
			return &w.Spec.Templates[i]
		}
		t.Fatalf("there is no template %q", name)
		return nil
	}
	steps := named(w.Spec.Entrypoint).Steps
	if len(steps) == 0 {
		t.Error("it has no steps")
	}
	for _, s := range slices.Concat(steps...) {
		if of := named(s.Template); !slices.Equal(s.Arguments.names(), of.Inputs.names()) {
			t.Errorf("step %s gives %q, its template takes %q", s.Name, s.Arguments.names(), of.Inputs.names())
		}
		for _, p := range s.Arguments.Parameters {
			if p.Name == "shard" && p.Value != "{{item}}/"+s.WithSequence.Count {
				t.Errorf("step %s: shard %s of a sequence of %s", s.Name, p.Value, s.WithSequence.Count)
			}
		}
	}
	for _, of := range w.Spec.Templates {
		if of.Container == nil {
			continue
		}
		for _, used := range regexp.MustCompile(`{{(.*?)}}`).FindAllStringSubmatch(strings.Join(of.Container.Args, " "), -1) {
			if name, ok := strings.CutPrefix(used[1], "inputs.parameters."); !ok || !slices.Contains(of.Inputs.names(), name) {
				t.Errorf("template %s has no %s", of.Name, used[1])
			}
		}
		for _, m := range of.Container.VolumeMounts {
			if !slices.ContainsFunc(of.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name }) {
				t.Errorf("template %s has no volume %s", of.Name, m.Name)
			}
		}
	}
}
