//go:build gocloud

package gocloud

import (
	"context"
	"errors"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azblobs "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // opens azblob://
)

type azure struct{}

func (azure) open(ctx context.Context, bucket string) (*blob.Bucket, error) {
	return blob.OpenBucket(ctx, "azblob://"+bucket)
}

// version returns the ETag.
func (azure) version(as func(any) bool) string {
	var (
		a    azblobs.GetPropertiesResponse
		r    azblobs.DownloadStreamResponse
		item container.BlobItem
		tag  *azcore.ETag
	)
	switch {
	case as(&a):
		tag = a.ETag
	case as(&r):
		tag = r.ETag
	case as(&item) && item.Properties != nil:
		tag = item.Properties.ETag
	}
	if tag == nil {
		return ""
	}
	return unquoted(string(*tag))
}

// unquoted is an ETag as lists have it.
func unquoted(tag string) string {
	if n := len(tag); n > 1 && tag[0] == '"' && tag[n-1] == '"' {
		return tag[1 : n-1]
	}
	return tag
}

func (azure) only(as func(any) bool, version string) error {
	tag := azcore.ETag(`"` + version + `"`)
	match := &azblobs.AccessConditions{ModifiedAccessConditions: &azblobs.ModifiedAccessConditions{IfMatch: &tag}}
	var (
		read  *azblobs.DownloadStreamOptions
		write *azblob.UploadStreamOptions
	)
	switch {
	case as(&read):
		read.AccessConditions = match
	case as(&write):
		write.AccessConditions = match
	default:
		return errNoCondition
	}
	return nil
}

func (azure) sums() bool { return false }

func (azure) refused(err error) bool {
	a, ok := errors.AsType[*azcore.ResponseError](err)
	return ok && (a.StatusCode == http.StatusUnauthorized || a.StatusCode == http.StatusForbidden)
}
