// Subscribes to topics with roscpp, counts messages, bytes and drops, and compares times of arrival with header stamps.
//   sub TOPIC... _rate:=1 _idle:=3 _queue:=1000
// It ends _idle seconds after the last message and prints a table. Only the header of a message is looked at, so
// that a message costs the subscriber one read from the socket and no copy; topic_tools::ShapeShifter copies it.
#include "common.h"
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <algorithm>
#include <cmath>
using namespace bench;

struct Raw {
  uint32_t len, seq;
  double stamp;
};

namespace ros {
namespace message_traits {
struct Any {
  static const char* value() { return "*"; }
  static const char* value(const Raw&) { return "*"; }
};
template <> struct MD5Sum<Raw> : Any {};
template <> struct DataType<Raw> : Any {};
template <> struct Definition<Raw> {
  static const char* value() { return ""; }
  static const char* value(const Raw&) { return ""; }
};
}  // namespace message_traits
namespace serialization {
template <> struct Serializer<Raw> {
  template <class S> static void write(S&, const Raw&) {}
  template <class S> static void read(S& s, Raw& r) {
    r.len = s.getLength();
    uint32_t h[3] = {0, 0, 0};
    if (r.len >= sizeof h) memcpy(h, s.getData(), sizeof h);
    r.seq = h[0];
    r.stamp = h[1] + h[2] * 1e-9;
  }
  static uint32_t serializedLength(const Raw&) { return 0; }
};
}  // namespace serialization
}  // namespace ros

struct Topic {
  std::string name;
  std::vector<double> at, stamp;
  std::vector<uint32_t> seq;
  double bytes = 0;
};

static double percentile(std::vector<double> v, double p) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[std::min(v.size() - 1, size_t(p * v.size()))];
}

// Lateness is measured against the earliest message of the topic, relative to its stamp.
static void report(const Topic& t, double rate) {
  std::vector<double> intervals, late;
  double mean = 0, base = 1e300;
  for (size_t i = 0; i < t.at.size(); ++i) base = std::min(base, t.at[i] - t.stamp[i] / rate);
  for (size_t i = 0; i < t.at.size(); ++i) late.push_back((t.at[i] - t.stamp[i] / rate - base) * 1e3);
  for (size_t i = 1; i < t.at.size(); ++i) {
    intervals.push_back(fabs((t.at[i] - t.at[i - 1]) - (t.stamp[i] - t.stamp[i - 1]) / rate) * 1e3);
    mean += intervals.back();
  }
  if (!intervals.empty()) mean /= intervals.size();
  uint32_t missing = t.seq.empty() ? 0 : t.seq.back() - t.seq.front() + 1 - uint32_t(t.seq.size());
  printf("SUB %-24s n=%zu seqgap=%u %.0fMB | inter-arrival err ms mean=%.3f p50=%.3f p99=%.3f max=%.3f | lateness ms p50=%.3f p99=%.3f max=%.3f\n",
         t.name.c_str(), t.at.size(), missing, t.bytes / 1e6, mean, percentile(intervals, .5), percentile(intervals, .99),
         percentile(intervals, 1), percentile(late, .5), percentile(late, .99), percentile(late, 1));
}

int main(int argc, char** argv) {
  ros::init(argc, argv, "bench_sub", ros::init_options::AnonymousName);
  ros::NodeHandle node, priv("~");
  double rate = priv.param("rate", 1.0), idle = priv.param("idle", 3.0);
  int queue = priv.param("queue", 1000);
  double first = 0, last = 0;
  std::vector<Topic> topics(argc - 1);
  std::vector<ros::Subscriber> subscribers;
  for (int i = 1; i < argc; ++i) {
    Topic* t = &topics[i - 1];
    t->name = argv[i];
    auto receive = [t, &first, &last](const boost::shared_ptr<Raw const>& m) {
      last = now();
      if (first == 0) first = last;
      t->at.push_back(last);
      t->stamp.push_back(m->stamp);
      t->seq.push_back(m->seq);
      t->bytes += m->len;
    };
    subscribers.push_back(node.subscribe<Raw>(t->name, queue, boost::function<void(const boost::shared_ptr<Raw const>&)>(receive)));
  }
  double user0 = 0, system0 = 0, user, system;
  bool started = false;
  while (ros::ok() && !(started && now() - last > idle)) {
    ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(0.05));
    if (!started && first > 0) {
      Meter::cpu(user0, system0);
      started = true;
    }
  }
  Meter::cpu(user, system);
  double cpu = user + system - user0 - system0, span = last - first, bytes = 0;
  long messages = 0;
  for (auto& t : topics) {
    report(t, rate);
    bytes += t.bytes;
    messages += t.at.size();
  }
  printf("SUB total n=%ld bytes=%.3fGB span=%.2fs %.0fMB/s cpu=%.2fs cpu/GB=%.3f peakrss=%.0fMB\n", messages, bytes / 1e9, span,
         bytes / 1e6 / span, cpu, cpu / (bytes / 1e9), proc_status_kb("VmHWM:") / 1024.0);
}
