// A roscpp subscriber of any type: subscriber OUT.json TOPIC=COUNT ...
// It takes COUNT messages of each topic, or what came until SIGINT, and writes for each topic its type
// and the FNV-1a-64 of every message in the order they came: of an image's pixels, of the whole message
// otherwise. It prints "ready" when it has subscribed.
#include <ros/ros.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Raw {
  std::vector<uint8_t> bytes;
};

namespace ros {
namespace message_traits {
template <> struct MD5Sum<Raw> {
  static const char *value() { return "*"; }
  static const char *value(const Raw &) { return value(); }
};
template <> struct DataType<Raw> {
  static const char *value() { return "*"; }
  static const char *value(const Raw &) { return value(); }
};
}  // namespace message_traits
namespace serialization {
template <> struct Serializer<Raw> {
  template <typename Stream> inline static void read(Stream &s, Raw &m) {
    m.bytes.resize(s.getLength());
    if (!m.bytes.empty()) memcpy(m.bytes.data(), s.advance(s.getLength()), m.bytes.size());
  }
};
}  // namespace serialization
}  // namespace ros

using Event = ros::MessageEvent<Raw const>;

struct Topic {
  std::string type, latching;
  size_t wanted = 0;
  std::vector<uint64_t> hashes;
  ros::Subscriber subscriber;
};

static uint32_t number(const uint8_t *p) {
  return p[0] | p[1] << 8 | p[2] << 16 | uint32_t(p[3]) << 24;
}

static uint64_t fnv(const uint8_t *begin, const uint8_t *end) {
  uint64_t h = 14695981039346656037ull;
  for (; begin != end; begin++) h = (h ^ *begin) * 1099511628211ull;
  return h;
}

static uint64_t hashOf(const std::string &type, const std::vector<uint8_t> &b) {
  const uint8_t *start = b.data();
  if (type != "sensor_msgs/Image") return fnv(start, start + b.size());
  size_t at = 12;              // seq, stamp
  at += 4 + number(&b.at(at)); // frame_id
  at += 8;                     // height, width
  at += 4 + number(&b.at(at)); // encoding
  at += 5;                     // is_bigendian, step
  size_t length = number(&b.at(at));
  at += 4;
  if (at + length > b.size()) throw std::out_of_range("image is shorter than it says");
  return fnv(start + at, start + at + length); // the SDK puts the depth units behind the pixels
}

int main(int argc, char **argv) {
  ros::init(argc, argv, "roscpp_subscriber", ros::init_options::AnonymousName);
  ros::NodeHandle node;
  std::map<std::string, Topic> topics;
  for (int i = 2; i < argc; i++) {
    std::string arg = argv[i];
    size_t equals = arg.find('=');
    topics[arg.substr(0, equals)].wanted = std::stoul(arg.substr(equals + 1));
  }
  size_t incomplete = topics.size();
  for (auto &entry : topics) {
    Topic &topic = entry.second;
    boost::function<void(const Event &)> hear = [&topic, &incomplete](const Event &event) {
      if (topic.hashes.size() == topic.wanted) return;
      const auto &header = event.getConnectionHeader();
      topic.type = header.at("type");
      topic.latching = header.count("latching") ? header.at("latching") : "0";
      topic.hashes.push_back(hashOf(topic.type, event.getConstMessage()->bytes));
      if (topic.hashes.size() == topic.wanted && --incomplete == 0) ros::requestShutdown();
    };
    topic.subscriber = node.subscribe<Raw, const Event &>(entry.first, 10000, hear);
  }
  puts("ready");
  fflush(stdout);
  ros::spin();
  std::ofstream out(argv[1]);
  out << "{";
  const char *separator = "";
  for (const auto &entry : topics) {
    out << separator << "\n\"" << entry.first << "\": {\"type\": \"" << entry.second.type << "\", \"latching\": \""
        << entry.second.latching << "\", \"hashes\": [";
    const char *comma = "";
    for (uint64_t h : entry.second.hashes) {
      char text[20];
      snprintf(text, sizeof text, "\"%016llx\"", (unsigned long long)h);
      out << comma << text;
      comma = ", ";
    }
    out << "]}";
    separator = ",";
  }
  out << "\n}\n";
}
