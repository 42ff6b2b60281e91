// What the peers share: the images and times of the camera workload (depth and colour at 30 Hz, an IMU), and a meter
// of CPU time and memory.
//
// test/workload makes the same images, byte for byte, for the benchmarks in Go.
#pragma once
#include <ros/time.h>
#include <sensor_msgs/Image.h>
#include <sensor_msgs/Imu.h>
#include <sys/resource.h>
#include <fcntl.h>
#include <unistd.h>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace bench {

static const int W = 1280, H = 720, POOL = 16;
static const size_t DEPTH_BYTES = size_t(W) * H * 2;  // 1843200 = 450 * 4096
static const size_t COLOR_BYTES = size_t(W) * H * 3;  // 2764800 = 675 * 4096

struct Rng {  // xorshift64*
  uint64_t x;
  explicit Rng(uint64_t seed) : x(seed * 0x9E3779B97F4A7C15ull | 1) {}
  uint64_t next() {
    x ^= x >> 12; x ^= x << 25; x ^= x >> 27;
    return x * 2685821657736338717ull;
  }
};

// Depth: runs of 1..8 equal pixels on a tilted plane with 4 bits of noise, one
// run in eight is a hole of zeros (as a stereo camera gives).
inline void gen_depth(uint8_t* out, uint64_t seed) {
  Rng r(seed);
  uint16_t* p = reinterpret_cast<uint16_t*>(out);
  for (int y = 0; y < H; ++y) {
    for (int x = 0; x < W;) {
      uint64_t v = r.next();
      int run = 1 + int(v & 7);
      uint16_t val = uint16_t(600 + y * 2 + ((v >> 8) & 15));
      if (((v >> 16) & 7) == 0) {
        run = 1 + int((v >> 20) & 31);
        val = 0;
      }
      for (; run > 0 && x < W; --run, ++x) *p++ = val;
    }
  }
}

// Colour: runs of 1..4 equal pixels, 5 bits of noise per channel on a gradient.
inline void gen_color(uint8_t* out, uint64_t seed) {
  Rng r(seed + 1000);
  for (int y = 0; y < H; ++y) {
    for (int x = 0; x < W;) {
      uint64_t v = r.next();
      int run = 1 + int(v & 3);
      uint8_t c0 = uint8_t(y / 4 + ((v >> 8) & 31));
      uint8_t c1 = uint8_t(x / 8 + ((v >> 16) & 31));
      uint8_t c2 = uint8_t(64 + ((v >> 24) & 31));
      for (; run > 0 && x < W; --run, ++x) {
        *out++ = c0;
        *out++ = c1;
        *out++ = c2;
      }
    }
  }
}

inline sensor_msgs::Image make_image(bool depth, int i) {
  sensor_msgs::Image m;
  m.header.frame_id = depth ? "camera_depth_optical_frame" : "camera_color_optical_frame";
  m.height = H; m.width = W;
  m.encoding = depth ? "mono16" : "rgb8";
  m.step = W * (depth ? 2 : 3);
  m.data.resize(depth ? DEPTH_BYTES : COLOR_BYTES);
  if (depth) gen_depth(m.data.data(), i + 1); else gen_color(m.data.data(), i + 1);
  return m;
}

inline const char* const DEPTH_TOPIC = "/camera/depth/image_raw";
inline const char* const COLOR_TOPIC = "/camera/color/image_raw";
inline const char* const IMU_TOPIC = "/camera/imu";
static const double T0 = 1700000000.0;

// Calls fn(kind, k, stamp) in time order. Kind 0 is depth, 1 colour, 2 the IMU.
template <class F> void camera_schedule(int frames, double fps, double imu_hz, F fn) {
  int k_imu = 0;
  for (int f = 0; f < frames; ++f) {
    double t = f / fps;
    while (imu_hz > 0 && k_imu / imu_hz <= t) { fn(2, k_imu, ros::Time(T0 + k_imu / imu_hz)); ++k_imu; }
    fn(0, f, ros::Time(T0 + t));
    fn(1, f, ros::Time(T0 + t + 1e-4));
  }
}

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline long proc_status_kb(const char* key) {  // e.g. "VmRSS:", "VmHWM:"
  FILE* f = fopen("/proc/self/status", "r");
  if (!f) return -1;
  char line[256];
  long kb = -1;
  while (kb < 0 && fgets(line, sizeof line, f))
    if (!strncmp(line, key, strlen(key))) kb = atol(line + strlen(key));
  fclose(f);
  return kb;
}

// Meter measures from its construction or the last reset.
struct Meter {
  double w0, u0, s0;
  long rss0;
  static void cpu(double& u, double& s) {
    rusage r;
    getrusage(RUSAGE_SELF, &r);
    u = r.ru_utime.tv_sec + r.ru_utime.tv_usec * 1e-6;
    s = r.ru_stime.tv_sec + r.ru_stime.tv_usec * 1e-6;
  }
  Meter() { reset(); }
  void reset() {
    rss0 = proc_status_kb("VmRSS:");
    cpu(u0, s0);
    w0 = now();
  }
  // Prints time, MB/s, CPU seconds for each 1e9 bytes of messages, and the peak of memory above that at the start.
  void report(const char* what, double bytes, long msgs) {
    double w = now() - w0, u, s;
    cpu(u, s);
    u -= u0;
    s -= s0;
    printf("%-34s msgs=%ld payload=%.3fGB wall=%.2fs %.0fMB/s cpu=%.2fs user/GB=%.3f sys/GB=%.3f cpu/GB=%.3f rss+=%.0fMB\n",
           what, msgs, bytes / 1e9, w, bytes / 1e6 / w, u + s, u / (bytes / 1e9), s / (bytes / 1e9),
           (u + s) / (bytes / 1e9), (proc_status_kb("VmHWM:") - rss0) / 1024.0);
    fflush(stdout);
  }
};

inline void fsync_path(const std::string& path) {
  int file = open(path.c_str(), O_RDWR);
  if (file < 0) return;
  fsync(file);
  close(file);
}

// Args are --key value and --flag.
struct Args : std::map<std::string, std::string> {
  Args(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      std::string a = argv[i];
      if (a.compare(0, 2, "--")) continue;
      a = a.substr(2);
      if (i + 1 < argc && strncmp(argv[i + 1], "--", 2)) (*this)[a] = argv[++i]; else (*this)[a] = "1";
    }
  }
  std::string s(const char* k, const char* d) const { auto i = find(k); return i == end() ? d : i->second; }
  double d(const char* k, double v) const { auto i = find(k); return i == end() ? v : atof(i->second.c_str()); }
  bool has(const char* k) const { return count(k) > 0; }
};

}  // namespace bench
