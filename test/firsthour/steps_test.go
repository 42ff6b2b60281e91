//go:build firsthour && linux

package firsthour

import (
	"regexp"
	"strings"
)

// step is a block of commands on a page.
type step struct {
	line     int
	terminal string // where the page says that the block runs; "" is the first terminal
	commands string
	promised string // what the page says that they print
	ends     string // the terminals in which the text before it says to press Ctrl-C
}

var (
	inTerminal = regexp.MustCompile(`\b[Ii]n a (second|third|fourth|fifth) terminal\b`)
	ctrlC      = regexp.MustCompile(`Ctrl-C in the (first|second|third|fourth|fifth) terminal`)
	elsewhere  = regexp.MustCompile(`\b(?:On a desktop|With Debian's package|With Docker)\b`)
)

// readPage returns the steps of a page: its blocks of sh, each with the block without a language that
// follows it. A block belongs to the terminal that the paragraph before it names. What a page does only
// on a desktop, or with a package, isn't done.
func readPage(text string) (steps []step, ends string) {
	var prose, block strings.Builder
	language, fenced := "", false
	for i, line := range strings.Split(text, "\n") {
		mark, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && !fenced:
			fenced, language = true, mark
			block.Reset()
		case isFence:
			fenced = false
			if language == "sh" {
				before := lastParagraph(prose.String())
				if !elsewhere.MatchString(before) {
					s := step{line: i + 1, commands: block.String()}
					if m := inTerminal.FindStringSubmatch(before); m != nil {
						s.terminal = m[1]
					}
					for _, m := range ctrlC.FindAllStringSubmatch(prose.String(), -1) {
						s.ends += " " + m[1]
					}
					steps = append(steps, s)
					prose.Reset()
				}
			} else if language == "" && len(steps) > 0 {
				steps[len(steps)-1].promised += block.String()
			}
		case fenced:
			block.WriteString(line + "\n")
		default:
			prose.WriteString(line + "\n")
		}
	}
	for _, m := range ctrlC.FindAllStringSubmatch(prose.String(), -1) {
		ends += " " + m[1]
	}
	return steps, ends
}

func lastParagraph(text string) string {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	return paragraphs[len(paragraphs)-1]
}

var (
	number = regexp.MustCompile(`[0-9][0-9.,:]*`)
	blanks = regexp.MustCompile(`\s+`)
)

// missing returns the first promised line that isn't printed after those before it. Numbers other than a lone 0 stand
// for any number, … for any text.
func missing(promised, printed string) string {
	lines := strings.Split(printed, "\n")
	for _, want := range strings.Split(strings.TrimSpace(promised), "\n") {
		if want = strings.TrimSpace(want); want == "" || want == "…" {
			continue
		}
		like := regexp.MustCompile("^" + pattern(want) + "$")
		found := false
		for len(lines) > 0 && !found {
			found = like.MatchString(strings.TrimSpace(lines[0]))
			lines = lines[1:]
		}
		if !found {
			return want
		}
	}
	return ""
}

func pattern(line string) string {
	var words []string
	for _, word := range blanks.Split(line, -1) {
		if word == "0" {
			words = append(words, "0")
			continue
		}
		parts := strings.Split(word, "…")
		for i, part := range parts {
			var b strings.Builder
			for at := 0; at < len(part); {
				m := number.FindStringIndex(part[at:])
				if m == nil {
					b.WriteString(regexp.QuoteMeta(part[at:]))
					break
				}
				b.WriteString(regexp.QuoteMeta(part[at:at+m[0]]) + `[0-9][0-9.,:]*`)
				at += m[1]
			}
			parts[i] = b.String()
		}
		words = append(words, strings.Join(parts, ".*"))
	}
	return strings.Join(words, `\s+`)
}
