// Package kubernetes tests the manifests of this folder: Kubernetes' and Argo's own types read them, strictly.
package kubernetes

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/argoproj/argo-workflows/v4/pkg/apis/workflow/v1alpha1"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// read decodes a manifest; a field that the type doesn't have is an error.
func read(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = yaml.YAMLToJSONStrict(text); err != nil {
		t.Fatal(err)
	}
	if wrong, err := json.UnmarshalStrict(text, into); err != nil || len(wrong) > 0 {
		t.Fatal(err, wrong)
	}
}

// TestJob: the number of shards is that of the job's completions.
func TestJob(t *testing.T) {
	var job batchv1.Job
	read(t, "job.yaml", &job)
	if job.APIVersion != batchv1.SchemeGroupVersion.String() || job.Kind != "Job" {
		t.Errorf("it is a %s of %s", job.Kind, job.APIVersion)
	}
	pod := job.Spec.Template.Spec
	if *job.Spec.CompletionMode != batchv1.IndexedCompletion || pod.RestartPolicy != "Never" {
		t.Errorf("completion mode %s, restart policy %s; a policy for failed pods needs Never", *job.Spec.CompletionMode, pod.RestartPolicy)
	}
	args := pod.Containers[0].Args
	if i := slices.Index(args, "--shards"); i < 0 || args[i+1] != strconv.Itoa(int(*job.Spec.Completions)) {
		t.Errorf("%q doesn't have the %d completions as --shards", args, *job.Spec.Completions)
	}
	for _, rule := range job.Spec.PodFailurePolicy.Rules {
		if on := rule.OnExitCodes; on != nil && *on.ContainerName != pod.Containers[0].Name {
			t.Errorf("no container %s", *on.ContainerName)
		}
	}
}

// TestWorkflow: each step gives its template what that takes, and the shards of a sequence are all.
func TestWorkflow(t *testing.T) {
	var w v1alpha1.Workflow
	read(t, "workflow.yaml", &w)
	if w.APIVersion != v1alpha1.SchemeGroupVersion.String() || w.Kind != "Workflow" || w.GenerateName == "" {
		t.Errorf("it is a %s of %s", w.Kind, w.APIVersion)
	}
	entry := w.GetTemplateByName(w.Spec.Entrypoint)
	if entry == nil || len(entry.Steps) == 0 {
		t.Fatal("it has no steps")
	}
	for _, parallel := range entry.Steps {
		for _, s := range parallel.Steps {
			of := w.GetTemplateByName(s.Template)
			if of == nil {
				t.Fatalf("there is no template %q", s.Template)
			}
			args := strings.Join(of.Container.Args, " ")
			for _, p := range s.Arguments.Parameters {
				if of.Inputs.GetParameterByName(p.Name) == nil || !strings.Contains(args, "{{inputs.parameters."+p.Name+"}}") {
					t.Errorf("template %s has no use for %s", of.Name, p.Name)
				}
			}
			if len(s.Arguments.Parameters) != len(of.Inputs.Parameters) {
				t.Errorf("step %s gives %v, its template takes %v", s.Name, s.Arguments.Parameters, of.Inputs.Parameters)
			}
			shard := s.Arguments.GetParameterByName("shard")
			if want := fmt.Sprintf("{{item}}/%s", s.WithSequence.Count); shard == nil || shard.Value.String() != want {
				t.Errorf("step %s: shard %v, want %s", s.Name, shard, want)
			}
		}
	}
}
