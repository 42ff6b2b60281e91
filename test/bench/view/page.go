package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/chromedp"
)

// collect remembers, in the page, how late each picture is when it is drawn: from its
// arrival at the program to the draw call, by the program's clock.
const collect = `(() => {
	window.late = {}
	for (const v of viewer.store.views.value.values()) {
		if (v.info.kind !== 'video') continue
		const list = window.late[v.info.name] = []
		v.onDraw((f) => list.push(performance.timeOrigin + performance.now() + viewer.store.clockOffset.value - Number(f.head.stamp / 1000n) / 1000))
	}
	return true
})()`

// latencies opens the page and reports the latencies of each stream.
func latencies(url string) error {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1440, 900), chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("disable-background-networking", true))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		return err
	}
	if err := until(ctx, `window.viewer && viewer.store.connected.value && viewer.store.roundTrip.value !== null`); err != nil {
		return err
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`(localStorage.setItem('rs-ros.view.wire', JSON.stringify("`+*codec+`")), true)`)); err != nil {
		return err
	}
	if err := chromedp.Do(ctx, chromedp.Reload()); err != nil { // with that form of the pictures
		return err
	}
	if err := until(ctx, `window.viewer && viewer.store.roundTrip.value !== null && viewer.store.views.value.size > 1 && [...viewer.store.views.value.values()].every((v) => v.info.kind !== 'video' || v.counters.drawn > 30)`); err != nil {
		return err
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](collect)); err != nil {
		return err
	}
	time.Sleep(time.Duration(*seconds * float64(time.Second)))
	late, err := chromedp.Run(ctx, chromedp.Evaluate[map[string][]float64]("window.late"))
	if err != nil {
		return err
	}
	fmt.Printf("%s, depth and colour of 1280x720 at 30, arrival at the program to draw call in the page\n", *codec)
	for name, list := range late {
		if len(list) == 0 {
			return fmt.Errorf("no picture of %s was drawn", name)
		}
		report(name, list)
	}
	return nil
}

// until waits until an expression of the page is true.
func until(ctx context.Context, expression string) error {
	for range 600 {
		if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")")); err == nil && ok {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("the page didn't get there in a minute: " + expression)
}
