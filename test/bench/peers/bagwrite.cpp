// Writes the camera workload, or tiny messages, with rosbag::Bag and prints what that cost.
//   bagwrite --out BAG [--comp none|lz4] [--frames 450] [--fps 30] [--imu 200] [--raw] [--fsync] [--depth]
//   bagwrite --out BAG --tiny N
// --raw writes serialized messages, as rosbag record does. --depth writes the depth images only.
#include "common.h"
#include <rosbag/bag.h>
#include <std_msgs/UInt64.h>
#include <topic_tools/shape_shifter.h>
using namespace bench;

template <class M>
static topic_tools::ShapeShifter serialize(const M& m) {
  std::vector<uint8_t> bytes(ros::serialization::serializationLength(m));
  ros::serialization::OStream out(bytes.data(), bytes.size());
  ros::serialization::serialize(out, m);
  topic_tools::ShapeShifter raw;
  raw.morph(ros::message_traits::md5sum(m), ros::message_traits::datatype(m), ros::message_traits::definition(m), "");
  ros::serialization::IStream in(bytes.data(), bytes.size());
  raw.read(in);
  return raw;
}

static void write_tiny(rosbag::Bag& bag, long n) {
  const char* topics[4] = {"/t0", "/t1", "/t2", "/t3"};
  std_msgs::UInt64 m;
  for (long i = 0; i < n; ++i) {
    m.data = i;
    bag.write(topics[i & 3], ros::Time(T0 + i * 1e-4), m);
  }
}

int main(int argc, char** argv) {
  Args args(argc, argv);
  std::string path = args.s("out", ""), comp = args.s("comp", "none");
  bool raw = args.has("raw"), sync = args.has("fsync"), only_depth = args.has("depth");
  rosbag::Bag bag;
  auto open = [&] {
    bag.open(path, rosbag::bagmode::Write);
    if (comp == "lz4") bag.setCompression(rosbag::compression::LZ4);
    bag.setChunkThreshold(768 * 1024);
  };
  auto close = [&] {
    bag.close();
    if (sync) fsync_path(path);
  };
  if (long tiny = long(args.d("tiny", 0))) {
    Meter meter;
    open();
    write_tiny(bag, tiny);
    close();
    meter.report("cpp tiny", tiny * 8.0, tiny);
    return 0;
  }
  std::vector<sensor_msgs::Image> images[2];  // depth, colour
  std::vector<topic_tools::ShapeShifter> raw_images[2];
  sensor_msgs::Imu imu;
  imu.header.frame_id = "camera_imu_optical_frame";
  for (int kind = 0; kind < 2; ++kind)
    for (int i = 0; i < POOL; ++i) {
      images[kind].push_back(make_image(kind == 0, i));
      if (raw) raw_images[kind].push_back(serialize(images[kind].back()));
    }
  auto raw_imu = serialize(imu);
  double bytes = 0;
  long messages = 0;
  Meter meter;
  open();
  camera_schedule(int(args.d("frames", 450)), args.d("fps", 30), args.d("imu", 200), [&](int kind, int k, ros::Time t) {
    if (only_depth && kind != 0) return;
    ++messages;
    if (kind == 2) {
      imu.header.stamp = t;
      imu.header.seq = k;
      imu.angular_velocity.x = k * 1e-3;
      bytes += ros::serialization::serializationLength(imu);
      if (raw) bag.write(IMU_TOPIC, t, raw_imu);
      else bag.write(IMU_TOPIC, t, imu);
      return;
    }
    const char* topic = kind == 0 ? DEPTH_TOPIC : COLOR_TOPIC;
    auto& image = images[kind][k % POOL];
    image.header.stamp = t;
    image.header.seq = k;
    bytes += ros::serialization::serializationLength(image);
    if (raw) bag.write(topic, t, raw_images[kind][k % POOL]);
    else bag.write(topic, t, image);
  });
  close();
  meter.report(("cpp " + comp + (raw ? " raw" : " typed") + (sync ? " fsync" : "")).c_str(), bytes, messages);
}
