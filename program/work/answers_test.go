package work

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// One that is silent is asked once and delays nobody; what failed is asked about again, what isn't wanted is forgotten.
func TestAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		asked := make(chan string, 20)
		a := NewAnswers(ctx, func() {}, func(q string) string { return strings.Fields(q)[0] },
			func(ctx context.Context, q string) (int, error) {
				asked <- q
				switch {
				case strings.HasPrefix(q, "silent"):
					<-ctx.Done()
					return 0, ctx.Err()
				case strings.HasPrefix(q, "bad"):
					return 0, errors.New("no")
				}
				return len(q), nil
			})
		questions := []string{"silent 1", "silent 2", "bad 1", "good 1"}
		check := func(after time.Duration, wantAsked int, wantErrors string) {
			t.Helper()
			time.Sleep(after)
			for _, q := range questions {
				a.Get(q)
			}
			synctest.Wait()
			failed := ""
			for _, q := range questions {
				if _, err, known := a.Get(q); known && err != nil {
					failed += q + ", "
				}
			}
			if n := len(asked); n != wantAsked || failed != wantErrors {
				t.Errorf("after %v: asked %d times, want %d; failed: %swant %s", after, n, wantAsked, failed, wantErrors)
			}
			for range len(asked) {
				<-asked
			}
		}
		check(0, 3, "bad 1, ")
		check(answerTime, 0, "silent 1, silent 2, bad 1, ")
		check(askAgain+time.Second, 2, "silent 1, silent 2, bad 1, ") // the first of the silent one's, and the bad one
		a.Sweep()
		questions = []string{"good 1"}
		check(answerTime, 0, "")
		a.Sweep()
		a.Sweep()
		check(0, 1, "")
		cancel()
		a.Wait()
	})
}
