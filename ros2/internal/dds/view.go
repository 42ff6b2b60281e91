package dds

import "rsros/ros2/internal/rtps"

// ParticipantInfo describes another participant.
type ParticipantInfo struct {
	GUID          rtps.GUID
	Name, Enclave string
	Vendor        [2]byte
	Address       string // of discovery
}

// Participants returns the other participants that are known.
func (p *Participant) Participants() (list []ParticipantInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.remotes {
		list = append(list, r.ParticipantInfo)
	}
	return list
}

// Endpoints returns all endpoints that are known, also this participant's.
func (p *Participant) Endpoints() (list []Endpoint) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.locals {
		if own := l.self(); !own.builtin() {
			list = append(list, *own)
		}
	}
	for _, r := range p.remotes {
		for _, e := range r.endpoints {
			list = append(list, *e)
		}
	}
	return list
}
