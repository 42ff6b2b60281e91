package mcap

// magic begins and ends a file.
const magic = "\x89MCAP0\r\n"

type opcode byte

// Wire constants.
const (
	opHeader opcode = iota + 1
	opFooter
	opSchema
	opChannel
	opMessage
	opChunk
	opMessageIndex
	opChunkIndex
	opAttachment
	opAttachmentIndex
	opStatistics
	opMetadata
	opMetadataIndex
	opSummaryOffset
	opDataEnd

	firstPrivate opcode = 0x80 // opcodes from here on are anybody's
)
