package d400

import "time"

// Everything here was inferred from other drivers' behaviour or chosen with
// room, and was never confirmed on hardware. Whoever tries a real camera looks
// here first.
const (
	// clockRegister is where opReadRegister finds the device's clock.
	clockRegister = 0x0001613c

	// A busy device stalls control requests; the SDK asks up to 100 times at
	// 10 ms. Probing whether an option exists at all gives up sooner.
	controlTries = 100
	optionTries  = 5
	controlPause = 10 * time.Millisecond

	// timeoutTries is how often a device that does not answer is asked: one that
	// has hung must not hold an option up for minutes.
	timeoutTries = 3

	// startTries is how often each step of the start sequence is tried.
	startTries = 5

	// transfersInFlight for each video stream. All transfers of a process share
	// usbfs_memory_mb (16 MiB as Linux starts), so more of them do not fit three
	// large streams.
	transfersInFlight = 2
	// imuTransfers are small; a few bridge a late goroutine at 650 reports/s.
	imuTransfers = 8
	// payloadRoom is what a transfer is longer than the frame: header and then
	// some, so that every frame ends with a short packet.
	payloadRoom = 1024

	// If a running stream is silent for this many frame periods, its endpoint is
	// cleared; the second time, the stream is restarted.
	silentPeriods = 10
	minSilence    = 2 * time.Second
	firstFrame    = 5 * time.Second // the sensor's exposure has to settle
	// streamRestarts in a row without a frame end a stream for good.
	streamRestarts = 5

	// errorPoll and clockPoll are the SDK's; clockPollSlow once the fit is full.
	errorPoll     = time.Second
	clockPoll     = 100 * time.Millisecond
	clockPollSlow = time.Second
	// maxClockDrift is what two crystals may differ by; a steeper fit is noise.
	maxClockDrift = 0.001

	// rescan is how often an unplugged camera is looked for, unless Options say.
	rescan = 500 * time.Millisecond
	// resetGone is how long a reset camera may take to leave the bus.
	resetGone = 5 * time.Second

	// Colour exposure counts 100 µs; this is UVC's manual and aperture-priority
	// exposure mode.
	colorExposureUnit   = 100
	colorManualExposure = 1
	colorAutoExposure   = 8

	// defaultHeader is the payload header's size until a frame has told it.
	defaultHeader = 232
	// maxFrameBytes bounds what a device may claim a frame to be.
	maxFrameBytes = 64 << 20
)
