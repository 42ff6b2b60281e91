package kubernetes

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/argoproj/argo-workflows/v4/util/maps" // keeps the module, which has the schema, in go.mod
	"sigs.k8s.io/yaml"
)

// schema is the part of JSON Schema that Argo's schema of its objects uses.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        string             `json:"type"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Items       *schema            `json:"items"`
	Additional  *schema            `json:"additionalProperties"`
	Definitions map[string]*schema `json:"definitions"`
}

// argo reads the schema that Argo publishes for editors, in its module.
func argo(t *testing.T) *schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/argoproj/argo-workflows/v4").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "api/jsonschema/schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	s := new(schema)
	if err := json.Unmarshal(text, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// compare lists where a value isn't as its schema says. Fields that the schema doesn't have are wrong, too, which libraries
// for JSON Schema allow.
func (root *schema) compare(at string, s *schema, value any) (wrong []string) {
	for s.Ref != "" {
		next := root.Definitions[strings.TrimPrefix(s.Ref, "#/definitions/")]
		if next == nil {
			return []string{at + ": no definition of " + s.Ref}
		}
		s = next
	}
	switch v := value.(type) {
	case map[string]any:
		if s.Type != "object" {
			return []string{at + " is an object, not " + s.Type}
		}
		for _, name := range s.Required {
			if _, has := v[name]; !has {
				wrong = append(wrong, at+" has no "+name)
			}
		}
		for name, field := range v {
			of := s.Properties[name]
			if of == nil {
				of = s.Additional
			}
			if of == nil && len(s.Properties) > 0 {
				wrong = append(wrong, fmt.Sprintf("%s has no field %s", at, name))
			} else if of != nil {
				wrong = append(wrong, root.compare(at+"."+name, of, field)...)
			}
		}
	case []any:
		if s.Type != "array" || s.Items == nil {
			return []string{at + " is an array, not " + s.Type}
		}
		for i, one := range v {
			wrong = append(wrong, root.compare(fmt.Sprintf("%s[%d]", at, i), s.Items, one)...)
		}
	default:
		kind := map[string]string{"string": "string", "bool": "boolean", "float64": "number"}[fmt.Sprintf("%T", v)]
		if kind != s.Type && !(kind == "number" && s.Type == "integer") {
			return []string{fmt.Sprintf("%s is %v, not of type %s", at, v, s.Type)}
		}
	}
	return wrong
}

// TestWorkflowSchema compares all fields with Argo's own schema.
func TestWorkflowSchema(t *testing.T) {
	text, err := os.ReadFile("workflow.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := argo(t)
	compare := func(text string) []string {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		return s.compare("workflow", s.Definitions["io.argoproj.workflow.v1alpha1.Workflow"], value)
	}
	if wrong := compare(string(text)); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
	for old, change := range map[string]string{
		"withSequence": "withSequences", "retryPolicy: OnError": "retryPolicy: 3", "entrypoint:": "entryPoint:", "continueOn: {failed: true}": "continueOn: {failed: 1}",
		`{limit: "3",`: "{limits: 3,", "emptyDir": "emptyDirectory", "spec:": "specs:",
	} {
		changed := strings.Replace(string(text), old, change, 1)
		if changed == string(text) {
			t.Errorf("there is no %q", old)
		}
		if len(compare(changed)) == 0 {
			t.Errorf("%q isn't found to be wrong", change)
		}
	}
}
