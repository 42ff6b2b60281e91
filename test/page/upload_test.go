package page

import (
	"net/http"
	"path/filepath"
	"testing"

	"rsros/test/bucket"
	"rsros/test/rig"
)

// TestUploads: while a node records with --upload, the page says how many files are safe and how many wait, and why
// while uploads fail.
func TestUploads(t *testing.T) {
	s3, m := bucket.Start(t), rig.Master(t)
	_, url := startNode(t, m.URI(), "live", "--device", "sim", "--depth", "424x240@6", "--color", "off", "--infra1", "off", "--infra2", "off",
		"--record", filepath.Join(t.TempDir(), "walk.bag"), "--split-duration", "1", "--upload", s3.Address("robot"))
	b := newTab(t)
	b.open(url)
	const status = `[...document.querySelectorAll('.record .figures span')].some((s) => `
	b.await(status + `/uploaded [1-9]\d*, waiting 0/.test(s.textContent) && s.title === s.textContent && s.offsetWidth > 0)`)
	b.screenshot("view-uploads")
	s3.Inject(func(*http.Request, int) bucket.Fault { return bucket.Expired })
	b.await(status + `/waiting [1-9]\d* .*ExpiredToken/.test(s.textContent))`)
	b.await(`document.querySelector('.bar').scrollWidth <= innerWidth`) // however long the reason is, the buttons stay
	b.screenshot("view-uploads-fail")
	s3.Inject(nil)
}
