package program

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Summary is the last line of a command, which says what it made:
//
//	wrote walk.bag: 1204 messages, 12.3 MB; left out 3 damaged messages; next: rs-ros-node view walk.bag
type Summary struct {
	Verb   string   // default "wrote"
	Paths  []string // files and folders, in order
	Counts []string // of what is in them, by Count
	Size   int64    // in bytes; 0 isn't printed
	Losses []string // such as "left out 3 damaged messages"
	Next   string   // a command line or a sentence
}

func (s Summary) String() string {
	text, between := cmp.Or(s.Verb, "wrote"), ": "
	switch n := len(s.Paths); n {
	case 0:
		between = " "
	case 1:
		text += " " + s.Paths[0]
	default:
		text += fmt.Sprintf(" %s, %s … %s", Count(n, "file"), s.Paths[0], s.Paths[n-1])
	}
	counts := s.Counts
	if s.Size > 0 {
		counts = append(counts[:len(counts):len(counts)], SizeText(s.Size))
	}
	if len(counts) > 0 {
		text += between + strings.Join(counts, ", ")
	}
	for _, loss := range s.Losses {
		text += "; " + loss
	}
	if s.Next != "" {
		text += "; next: " + s.Next
	}
	return text
}

// SummarizeFolder describes a folder that a command filled. An address has no counts.
func SummarizeFolder(path string) Summary {
	files, s := 0, Summary{Paths: []string{path}}
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files, s.Size = files+1, s.Size+info.Size()
		}
		return err
	})
	if err == nil {
		s.Counts = []string{Count(files, "file")}
	}
	return s
}

// Count returns a number with its noun, such as "1 chunk" or "2 chunks".
func Count[N int | int64 | uint64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// SizeText returns a size such as "512 bytes", "3.4 KB", "12.3 MB" or "1.5 GB", in steps of 1024, as info does and
// settings are read.
func SizeText(bytes int64) string {
	size, units := float64(bytes), []string{"KB", "MB", "GB", "TB"}
	if size < 1024 {
		return Count(bytes, "byte")
	}
	for size /= 1024; size >= 1023.95 && len(units) > 1; size /= 1024 {
		units = units[1:]
	}
	return fmt.Sprintf("%.1f %s", size, units[0])
}
