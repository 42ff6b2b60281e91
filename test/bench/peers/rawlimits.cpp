// Writes the colour images of the workload to a file with write(), and nothing else: what the disk allows.
//   rawlimits PATH [N] [direct] [fsync]
#include "common.h"
using namespace bench;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  int n = argc > 2 ? atoi(argv[2]) : 750;
  bool direct = false, sync = false;
  for (int i = 3; i < argc; ++i) {
    direct |= !strcmp(argv[i], "direct");
    sync |= !strcmp(argv[i], "fsync");
  }
  const size_t size = COLOR_BYTES;
  uint8_t* pool = static_cast<uint8_t*>(aligned_alloc(4096, size * POOL));
  for (int i = 0; i < POOL; ++i) gen_color(pool + size * i, i + 1);
  Meter meter;
  int file = open(argv[1], O_CREAT | O_TRUNC | O_WRONLY | (direct ? O_DIRECT : 0), 0644);
  for (int i = 0; i < n; ++i)
    if (write(file, pool + size * (i % POOL), size) != ssize_t(size)) {
      perror("write");
      return 1;
    }
  if (sync) fsync(file);
  close(file);
  meter.report((std::string("write() ") + (direct ? "O_DIRECT" : "buffered") + (sync ? " fsync" : "")).c_str(), double(size) * n, n);
}
