package help

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestPage checks a page with groups, wrapped texts and a long name.
func TestPage(t *testing.T) {
	root := &cobra.Command{Use: "tool", Short: "Do things"}
	root.PersistentFlags().Bool("loud", false, "print more")
	cmd := &cobra.Command{Use: "cut IN", Short: "Cut", Long: "cut cuts.", Example: "  tool cut x", Run: func(*cobra.Command, []string) {}}
	root.AddCommand(cmd)
	Use(root)
	f := cmd.Flags()
	f.StringP("output", "o", "", "`FILE` to write")
	f.Int("few", 3, "`N` things")
	f.String("a-name-of-many-letters", "", "`PREFIX` "+strings.TrimSpace(strings.Repeat("of many words ", 8)))
	f.Bool("first", false, "do it first")
	f.Bool("unseen", false, "")
	_ = f.MarkHidden("unseen")
	f.String("page", "", "serve at `ADDR`")
	f.Lookup("page").NoOptDefVal = "x"
	First(f, "page", "first")
	Group(f, "Time", "few")
	want := `cut cuts.

Usage:
  tool cut IN [flags]

Examples:
  tool cut x

Flags:
      --page[=ADDR]                     serve at ADDR
      --first                           do it first
      --a-name-of-many-letters PREFIX   PREFIX of many words of many words of many words of
                                        many words of many words of many words of many words
                                        of many words
  -o, --output FILE                     FILE to write

Time:
      --few N   N things (default 3)

Global flags:
  -h, --help   print this help
      --loud   print more
`
	var out strings.Builder
	root.SetOut(&out)
	root.SetArgs([]string{"cut", "--help"})
	if err := root.Execute(); err != nil || out.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out.String(), want)
	}
	if page := Page(root); !strings.Contains(page, "\n  cut          Cut\n") {
		t.Errorf("%s", page)
	}
}
