// Reads a bag with rosbag::Bag and prints what that cost.
//   bagread --in BAG --mode open|write|seek [--seeks 100]
// open:  open the bag, make a View of all of it, and find its first message
// write: copy each message into a buffer that is used again, as rosbag play does
// seek:  make a View from a random time on and read its first message
#include "common.h"
#include <rosbag/bag.h>
#include <rosbag/view.h>
#include <topic_tools/shape_shifter.h>
#include <algorithm>
using namespace bench;

static void measure_open(rosbag::Bag& bag, const Meter& meter) {
  double opened = now() - meter.w0;
  rosbag::View view(bag);
  double viewed = now() - meter.w0 - opened;
  auto begin = view.getBeginTime(), end = view.getEndTime();
  double first = view.begin()->getTime().toSec();
  printf("open=%.4fs view=%.4fs begin=%.4fs n=%u span=%.3f first=%.3f rss+=%.0fMB\n", opened, viewed,
         now() - meter.w0 - opened - viewed, view.size(), (end - begin).toSec(), first - begin.toSec(),
         (proc_status_kb("VmHWM:") - meter.rss0) / 1024.0);
}

static void measure_seek(rosbag::Bag& bag, Meter& meter, int seeks) {
  rosbag::View all(bag);
  double begin = all.getBeginTime().toSec(), end = all.getEndTime().toSec(), bytes = 0;
  Rng random(7);
  std::vector<double> latency;
  meter.reset();
  for (int i = 0; i < seeks; ++i) {
    double t = begin + (end - begin) * 0.98 * double(random.next() >> 11) / double(1ull << 53), start = now();
    rosbag::View view(bag, ros::Time(t), ros::TIME_MAX);
    bytes += view.begin()->instantiate<topic_tools::ShapeShifter>()->size();
    latency.push_back((now() - start) * 1e3);
  }
  std::sort(latency.begin(), latency.end());
  printf("seek p50=%.3fms p99=%.3fms max=%.3fms\n", latency[seeks / 2], latency[seeks * 99 / 100], latency[seeks - 1]);
  meter.report("cpp seek", bytes, seeks);
}

static void measure_read(rosbag::Bag& bag, Meter& meter) {
  std::vector<uint8_t> buffer;
  double bytes = 0;
  long messages = 0;
  rosbag::View view(bag);
  for (const rosbag::MessageInstance& m : view) {
    uint32_t size = m.size();
    if (buffer.size() < size) buffer.resize(size);
    ros::serialization::OStream out(buffer.data(), size);
    m.write(out);
    bytes += size;
    ++messages;
  }
  meter.report("cpp read", bytes, messages);
}

int main(int argc, char** argv) {
  Args args(argc, argv);
  std::string mode = args.s("mode", "write");
  Meter meter;
  rosbag::Bag bag;
  bag.open(args.s("in", ""), rosbag::bagmode::Read);
  if (mode == "open") measure_open(bag, meter);
  else if (mode == "seek") measure_seek(bag, meter, int(args.d("seeks", 100)));
  else measure_read(bag, meter);
}
