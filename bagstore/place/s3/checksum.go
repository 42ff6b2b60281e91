package s3

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/minio/minio-go/v7"
)

// Checksum asks for the SHA-256 that the object was written with, or the strongest checksum of a whole object that the
// server has.
func (s *Store) Checksum(ctx context.Context, name, version string) (string, error) {
	client, err := s.connect()
	if err != nil {
		return "", err
	}
	bucket, key := split(name)
	info, err := client.StatObject(ctx, bucket, key, minio.StatObjectOptions{Checksum: true})
	if err != nil || describe(name, info.ETag, info.Size, info.LastModified).Version != version {
		return "", err
	}
	if b, err := hex.DecodeString(info.UserMetadata[sumKey]); err == nil && len(b) == sha256.Size {
		return fmt.Sprintf("sha256:%x", b), nil
	}
	if info.ChecksumMode == "COMPOSITE" {
		return "", nil
	}
	for _, sum := range []struct{ algorithm, text string }{
		{"sha256", info.ChecksumSHA256}, {"crc64nvme", info.ChecksumCRC64NVME}, {"crc32c", info.ChecksumCRC32C},
		{"sha1", info.ChecksumSHA1}, {"crc32", info.ChecksumCRC32},
	} {
		// One of parts ends in their number, and isn't base64.
		if b, err := base64.StdEncoding.DecodeString(sum.text); err == nil && len(b) > 0 && len(b) <= 32 {
			return fmt.Sprintf("%s:%x", sum.algorithm, b), nil
		}
	}
	return "", nil
}
