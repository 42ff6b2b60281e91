package foxglove

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Messages to a client, without their op, and parts of others. Field names are those of the protocol.
type (
	serverInfo struct {
		Name               string            `json:"name"`
		Capabilities       []string          `json:"capabilities"`
		SupportedEncodings []string          `json:"supportedEncodings"`
		Metadata           map[string]string `json:"metadata"`
		SessionID          string            `json:"sessionId"`
		DataStartTime      *stamp            `json:"dataStartTime,omitempty"`
		DataEndTime        *stamp            `json:"dataEndTime,omitempty"`
	}
	stamp struct {
		Sec  int64 `json:"sec"`
		Nsec int64 `json:"nsec"`
	}
	status struct {
		Level   level  `json:"level"`
		Message string `json:"message"`
		ID      string `json:"id,omitempty"`
	}
	channelInfo struct {
		ID             uint32 `json:"id"`
		Topic          string `json:"topic"`
		Encoding       string `json:"encoding"`
		SchemaName     string `json:"schemaName"`
		Schema         string `json:"schema"`
		SchemaEncoding string `json:"schemaEncoding"`
	}
	serviceInfo struct {
		ID       uint32        `json:"id"`
		Name     string        `json:"name"`
		Type     string        `json:"type"`
		Request  serviceSchema `json:"request"`
		Response serviceSchema `json:"response"`
	}
	serviceSchema struct {
		Encoding       string `json:"encoding"`
		SchemaName     string `json:"schemaName"`
		SchemaEncoding string `json:"schemaEncoding"`
		Schema         string `json:"schema"`
	}
	serviceCallFailure struct {
		Service uint32 `json:"serviceId"`
		Call    uint32 `json:"callId"`
		Message string `json:"message"`
	}
	parameterValues struct {
		Parameters []parameter `json:"parameters"`
		ID         string      `json:"id,omitempty"`
	}
	connectionGraphUpdate struct {
		PublishedTopics    []object `json:"publishedTopics"` // a name, and publisherIds, subscriberIds or providerIds
		SubscribedTopics   []object `json:"subscribedTopics"`
		AdvertisedServices []object `json:"advertisedServices"`
		RemovedTopics      []string `json:"removedTopics"`
		RemovedServices    []string `json:"removedServices"`
	}
)

// level is the severity of a status.
type level int

const (
	levelWarning level = 1
	levelError   level = 2
)

func stampOf(ns int64) *stamp { return &stamp{ns / 1e9, ns % 1e9} }

// request is a text message of a client. Only the fields of its op are used.
type request struct {
	Op              string          `json:"op"`
	Subscriptions   []subscribe     `json:"subscriptions"`
	SubscriptionIDs []uint32        `json:"subscriptionIds"`
	Channels        []clientChannel `json:"channels"`
	ChannelIDs      []uint32        `json:"channelIds"`
	ParameterNames  []string        `json:"parameterNames"`
	Parameters      []parameter     `json:"parameters"`
	ID              string          `json:"id"`
}

type subscribe struct {
	ID      uint32 `json:"id"`
	Channel uint32 `json:"channelId"`
}

// clientChannel is a channel that a client wants to publish.
type clientChannel struct {
	ID         uint32 `json:"id"`
	Topic      string `json:"topic"`
	Encoding   string `json:"encoding"`
	SchemaName string `json:"schemaName"`
	Schema     string `json:"schema"`
}

// parseText reads a text message of a client.
func parseText(b []byte) (*request, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	r := new(request)
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("JSON: trailing data after the object")
	}
	if r.Op == "" {
		return nil, errors.New("JSON: there is no op")
	}
	return r, nil
}
