package dds

// What peers may make a participant keep.
const (
	maxParticipants       = 256
	maxParticipantsByHost = 120  // RTPS has ports for as many
	maxEndpoints          = 1024 // of one participant
	maxAllEndpoints       = 16 << 10
	maxName               = 1024    // bytes of a name
	maxPartial            = 16      // samples of one writer of which fragments are missing
	maxWaiting            = 256     // complete samples of one writer that wait for an earlier one
	maxFragments          = 1 << 16 // of one sample
	maxMissingAnswers     = 8       // NACK_FRAGs of one answer
	maxDoubt              = 1024    // samples of which a writer doesn't know whether a reader has them
	maxGaps               = 64      // ranges that a reader is still to be told of
)

// Bytes of samples that aren't complete or wait for earlier ones: from one participant. All of them share
// buffers.PeerInput.
const maxHeldByParticipant = 40 << 20
