// Package kubernetes tests the manifests of this folder against the API's types.
package kubernetes

import (
	"os"
	"slices"
	"strconv"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

// TestJob: every field is one of the API's, and the shards are those of the job.
func TestJob(t *testing.T) {
	text, err := os.ReadFile("job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var job batchv1.Job
	if err := yaml.UnmarshalStrict(text, &job); err != nil {
		t.Fatal(err)
	}
	if job.APIVersion != batchv1.SchemeGroupVersion.String() || job.Kind != "Job" {
		t.Errorf("it is a %s of %s", job.Kind, job.APIVersion)
	}
	spec := job.Spec
	if spec.CompletionMode == nil || *spec.CompletionMode != batchv1.IndexedCompletion || spec.Completions == nil || spec.Parallelism == nil {
		t.Fatal("it has no index")
	}
	pod := spec.Template.Spec
	if len(pod.Containers) != 1 || pod.RestartPolicy != "Never" {
		t.Fatalf("%d containers, restart policy %s; a policy for failed pods needs Never", len(pod.Containers), pod.RestartPolicy)
	}
	args := pod.Containers[0].Args
	if i := slices.Index(args, "--shards"); i < 0 || args[i+1] != strconv.Itoa(int(*spec.Completions)) {
		t.Errorf("%q doesn't have the %d completions as --shards", args, *spec.Completions)
	}
	for _, rule := range spec.PodFailurePolicy.Rules {
		if on := rule.OnExitCodes; on != nil && *on.ContainerName != pod.Containers[0].Name {
			t.Errorf("no container %s", *on.ContainerName)
		}
	}
}
