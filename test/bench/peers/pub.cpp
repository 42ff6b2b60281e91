// Publishes the camera workload at a pace, with roscpp, and prints its own CPU time.
//   pub _fps:=30 _imu:=200 _secs:=15 _queue:=10
// It waits until each topic has a subscriber.
#include "common.h"
#include <ros/ros.h>
#include <algorithm>
using namespace bench;

int main(int argc, char** argv) {
  ros::init(argc, argv, "bench_pub", ros::init_options::AnonymousName);
  ros::NodeHandle node, priv("~");
  double fps = priv.param("fps", 30.0), hz = priv.param("imu", 200.0), secs = priv.param("secs", 15.0);
  int queue = priv.param("queue", 10);
  ros::Publisher publishers[3] = {node.advertise<sensor_msgs::Image>(DEPTH_TOPIC, queue),
                                  node.advertise<sensor_msgs::Image>(COLOR_TOPIC, queue),
                                  node.advertise<sensor_msgs::Imu>(IMU_TOPIC, 1000)};
  std::vector<sensor_msgs::ImagePtr> images[2];  // depth, colour
  for (int kind = 0; kind < 2; ++kind)
    for (int i = 0; i < POOL; ++i) images[kind].push_back(boost::make_shared<sensor_msgs::Image>(make_image(kind == 0, i)));
  sensor_msgs::Imu imu;
  imu.header.frame_id = "camera_imu_optical_frame";
  ros::AsyncSpinner spinner(1);
  spinner.start();
  for (auto& p : publishers)
    while (ros::ok() && p.getNumSubscribers() == 0) usleep(20000);
  usleep(500000);

  double bytes = 0;
  long frames = 0, samples = 0;
  Meter meter;
  double start = now();
  while (ros::ok() && now() - start <= secs) {
    double t = now() - start;
    if (frames / fps <= t) {
      for (int kind = 0; kind < 2; ++kind) {
        auto& image = *images[kind][frames % POOL];
        image.header.stamp = ros::Time::now();
        image.header.seq = frames;
        bytes += image.data.size() + 80;
        publishers[kind].publish(image);
      }
      ++frames;
    }
    for (; samples / hz <= t; ++samples) {
      imu.header.stamp = ros::Time::now();
      imu.header.seq = samples;
      bytes += 320;
      publishers[2].publish(imu);
    }
    double wait = std::min(frames / fps, samples / hz) - (now() - start);
    if (wait > 0) usleep(useconds_t(wait * 1e6));
  }
  usleep(500000);  // until the queues are empty
  printf("PUB images=%ld of each stream, imu=%ld ", frames, samples);
  meter.report("roscpp pub", bytes, 2 * frames + samples);
  usleep(1000000);
}
