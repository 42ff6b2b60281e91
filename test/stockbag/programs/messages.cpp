// Reads bags with Debian's rosbag for C++. Each line of standard input is a path; for
// each it prints "time size:crc32 topic" for every message in the order of a
// rosbag::View, then "end", or "error" and why.
#include <rosbag/bag.h>
#include <rosbag/view.h>

#include <boost/crc.hpp>
#include <cstdio>
#include <iostream>
#include <vector>

static void read(const std::string& path) {
  rosbag::Bag bag(path, rosbag::bagmode::Read);
  rosbag::View view(bag);
  std::vector<uint8_t> buffer;
  for (const rosbag::MessageInstance& m : view) {
    buffer.resize(m.size());
    ros::serialization::OStream out(buffer.data(), buffer.size());
    m.write(out);
    boost::crc_32_type crc;
    crc.process_bytes(buffer.data(), buffer.size());
    std::printf("%llu %zu:%08x %s\n", (unsigned long long)m.getTime().toNSec(), buffer.size(),
                (unsigned)crc.checksum(), m.getTopic().c_str());
  }
}

int main() {
  for (std::string path; std::getline(std::cin, path); std::fflush(stdout)) {
    try {
      read(path);
      std::puts("end");
    } catch (const std::exception& e) {
      std::printf("error %s\n", e.what());
    }
  }
}
