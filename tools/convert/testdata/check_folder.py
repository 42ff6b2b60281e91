"""Compares the metadata of a folder of rosbag2 with its files."""
import os, sys, yaml
m = yaml.safe_load(open(sys.argv[1] + '/metadata.yaml'))['rosbag2_bagfile_information']
assert m['version'] == 5 and m['message_count'] == int(sys.argv[2]), m
assert sum(t['message_count'] for t in m['topics_with_message_count']) == m['message_count']
name, = m['relative_file_paths']
assert os.path.exists(os.path.join(sys.argv[1], name)) and m['files'][0]['path'] == name
for t in m['topics_with_message_count']:
    profile, = yaml.safe_load(t['topic_metadata']['offered_qos_profiles'])
    assert profile['durability'] in (1, 2) and profile['liveliness_lease_duration']['nsec'] == 854775807, profile
assert sorted(os.listdir(sys.argv[1])) == sorted([name, 'metadata.yaml'])
