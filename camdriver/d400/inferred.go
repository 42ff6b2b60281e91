package d400

import "time"

// These values are inferred from other drivers or chosen generously. None has been
// confirmed on hardware, so check them first when testing a real camera.
const (
	// A busy device stalls control requests. The SDK retries up to 100 times every
	// 10 ms. Probing whether an option exists gives up sooner.
	controlTries = 100
	optionTries  = 5
	controlPause = 10 * time.Millisecond

	// timeoutTries is the number of tries if a device does not respond, so that a hung device doesn't block for minutes.
	timeoutTries = 3

	// startTries is the number of tries of each step of the start sequence.
	startTries = 5

	// transfersInFlight is per video stream. All transfers share usbfs_memory_mb
	// (16 MiB by default), so three large streams have no room for more.
	transfersInFlight = 2
	// imuTransfers bridges scheduling delays at 650 reports/s.
	imuTransfers = 8
	// payloadRoom is the extra size of a transfer, for the header and for a short packet at the end of each frame.
	payloadRoom = 1024

	// If a stream has no frame for silentPeriods frame periods, its endpoint is cleared, and then the stream is restarted.
	silentPeriods = 10
	minSilence    = 2 * time.Second
	firstFrame    = 5 * time.Second // exposure has to settle
	// After each restart without a frame, the next one is restartPause later, up to longestPause. The manyRestarts-th
	// is reported.
	restartPause = 200 * time.Millisecond
	longestPause = 10 * time.Second
	manyRestarts = 5

	// errorPoll and clockPoll are the SDK's. clockPollSlow applies once the fit has all its samples.
	errorPoll     = time.Second
	clockPoll     = 100 * time.Millisecond
	clockPollSlow = time.Second
	// firstSamples is how often the clock is read for the first sample, of which the fastest counts.
	firstSamples = 5

	// rescan is the default of Options.Rescan.
	rescan = 500 * time.Millisecond
	// inUsePatience is how long Open waits for a camera that another program has open, and inUsePause the time between
	// tries.
	inUsePatience = 5 * time.Second
	inUsePause    = 200 * time.Millisecond
	// resetGone is how long a reset camera may take to leave the bus.
	resetGone = 5 * time.Second

	// defaultHeader is the assumed size of the payload header before the first frame.
	defaultHeader = 232
	// maxFrameBytes bounds the frame size that a device may claim.
	maxFrameBytes = 64 << 20
)
