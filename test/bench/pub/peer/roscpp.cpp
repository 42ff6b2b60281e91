// The roscpp side of the comparison: a publisher that does what main.go does, and
// the subscriber that all publishers are measured with.
//
//   roscpp pub TOPIC FPS SECONDS SUBSCRIBERS
//   roscpp sub TOPIC          ends when its publisher has gone; prints what it got
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <sensor_msgs/Image.h>
#include <sys/resource.h>
#include <unistd.h>

// Raw takes any message and looks only at its header's seq, so that the
// subscriber costs one read of the socket and no copy.
struct Raw { uint32_t size, seq; };
namespace ros {
namespace message_traits {
template <> struct MD5Sum<Raw> { static const char* value() { return "*"; } };
template <> struct DataType<Raw> { static const char* value() { return "*"; } };
template <> struct Definition<Raw> { static const char* value() { return ""; } };
}
namespace serialization {
template <> struct Serializer<Raw> {
  template <class S> static void read(S& s, Raw& r) { r.size = s.getLength(); memcpy(&r.seq, s.getData(), 4); }
};
}
}

static double cpu() {
  rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static int subscribe(const std::string& topic) {
  ros::NodeHandle nh;
  long n = 0, gaps = 0;
  uint32_t last = 0;
  ros::Subscriber s = nh.subscribe<Raw>(topic, 100, boost::function<void(const boost::shared_ptr<Raw const>&)>([&](const boost::shared_ptr<Raw const>& m) {
    if (n++ && m->seq != last + 1) gaps += m->seq - last - 1;
    last = m->seq;
  }));
  while (ros::ok() && (n == 0 || s.getNumPublishers() > 0))
    ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(0.05));
  printf("SUB images=%ld missing=%ld\n", n, gaps);
  return 0;
}

static int publish(const std::string& topic, double fps, double seconds, int subscribers) {
  ros::NodeHandle nh;
  ros::Publisher p = nh.advertise<sensor_msgs::Image>(topic, 10);
  ros::AsyncSpinner spin(1);
  spin.start();
  std::vector<sensor_msgs::ImagePtr> pool;
  for (int i = 0; i < 16; ++i) {
    sensor_msgs::ImagePtr m = boost::make_shared<sensor_msgs::Image>();
    m->header.frame_id = "camera_color_optical_frame";
    m->height = 720; m->width = 1280; m->encoding = "rgb8"; m->step = 1280 * 3;
    m->data.resize(1280 * 720 * 3);
    for (size_t j = 0; j < m->data.size(); ++j) m->data[j] = j * (i + 3) + (j >> 8);
    pool.push_back(m);
  }
  while (ros::ok() && int(p.getNumSubscribers()) < subscribers) usleep(20000);
  usleep(500000);
  const double c0 = cpu(), t0 = ros::WallTime::now().toSec();
  const long count = fps * seconds;
  double bytes = 0;
  for (long i = 0; i < count && ros::ok(); ++i) {
    const double wait = t0 + i / fps - ros::WallTime::now().toSec();
    if (wait > 0) usleep(useconds_t(wait * 1e6));
    sensor_msgs::Image& m = *pool[i % pool.size()];
    m.header.seq = i; m.header.stamp = ros::Time::now();
    bytes += ros::serialization::serializationLength(m);
    p.publish(m);
  }
  usleep(500000);  // for the queues to empty; roscpp can't be asked
  printf("PUB roscpp fps=%.0f subs=%d images=%ld cpu/GB=%.3f\n", fps, subscribers, count, (cpu() - c0) / (bytes / 1e9));
  return 0;
}

int main(int argc, char** argv) {
  ros::init(argc, argv, "bench_roscpp", ros::init_options::AnonymousName);
  const std::string mode = argc > 2 ? argv[1] : "";
  if (mode == "sub") return subscribe(argv[2]);
  if (mode == "pub" && argc == 6) return publish(argv[2], atof(argv[3]), atof(argv[4]), atoi(argv[5]));
  fprintf(stderr, "usage: roscpp sub TOPIC | pub TOPIC FPS SECONDS SUBSCRIBERS\n");
  return 2;
}
