// Package gocloud reads and writes objects of Google Cloud Storage, at gs://bucket/name, and of Azure Blob
// Storage, at azblob://container/name, with the drivers of gocloud.dev. It is empty without the build tag
// gocloud: the drivers and what they import double the size of the program.
//
// Google's credentials are the application default credentials; without any, requests aren't
// signed. Account and credentials of Azure come from the environment (see package azureblob of
// gocloud.dev).
package gocloud
