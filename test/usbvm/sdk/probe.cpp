// Probe lets librealsense speak to a camera, and prints what it sees, one fact
// a line, fields separated by tabs:
//
//   probe list                        version, infos, profiles, options, calibration
//   probe set                         each option set and read back
//   probe stream SPEC [OPTION=VALUE…] frames of all cameras' streams of SPEC
//   probe again                       opens the camera for each line of input
//   probe watch                       cameras that come and go
//
// SPEC is WIDTHxHEIGHT@FPS:COUNT, with how many frames of each stream to wait for,
// and :all for infrared and motion data as well; options are those of the stereo
// module, set before the start.
#include <librealsense2/rs.hpp>
#include <librealsense2/rs_advanced_mode.hpp>

#include <condition_variable>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex output;

static void print(const char *format, ...) {
	std::lock_guard<std::mutex> lock(output);
	va_list args;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

static std::string name(const rs2::sensor &s) { return s.get_info(RS2_CAMERA_INFO_NAME); }

// label names a stream as its profile list does: "Infrared 1".
static std::string label(const rs2::stream_profile &p) { return p.stream_name(); }

static bool find(rs2::context &ctx, rs2::device &dev) {
	auto all = ctx.query_devices();
	if (all.size() > 0)
		dev = all[0];
	return all.size() > 0;
}

// first waits for a camera. One that has just been plugged in may not answer in
// the time that librealsense gives it.
static rs2::device first(rs2::context &ctx) {
	rs2::device dev;
	for (int i = 0; i < 300; i++) {
		try {
			if (find(ctx, dev))
				return dev;
		} catch (const rs2::error &e) {
			fprintf(stderr, "probe: %s: %s\n", e.get_failed_function().c_str(), e.what());
		}
		std::this_thread::sleep_for(std::chrono::milliseconds(100));
	}
	throw std::runtime_error("no camera");
}

static void printOption(rs2::sensor s, rs2_option o) {
	auto r = s.get_option_range(o);
	std::string value;
	try {
		char b[40];
		snprintf(b, sizeof b, "%.9g", s.get_option(o));
		value = b;
	} catch (const rs2::error &) {
		value = "refused";
	}
	print("option\t%s\t%s\t%s\t%.9g\t%.9g\t%.9g\t%.9g\t%s", name(s).c_str(), rs2_option_to_string(o), value.c_str(), r.min, r.max, r.step,
	      r.def, s.is_option_read_only(o) ? "read-only" : "");
}

static void printProfile(const rs2::sensor &s, const rs2::stream_profile &p) {
	int w = 0, h = 0;
	if (auto v = p.as<rs2::video_stream_profile>())
		w = v.width(), h = v.height();
	print("profile\t%s\t%s\t%s\t%d\t%d\t%d", name(s).c_str(), label(p).c_str(), rs2_format_to_string(p.format()), w, h, p.fps());
}

static void printIntrinsics(const rs2::stream_profile &p) {
	if (auto v = p.as<rs2::video_stream_profile>()) {
		if (p.format() == RS2_FORMAT_Y16)
			return; // not rectified
		auto i = v.get_intrinsics();
		print("intrinsics\t%s\t%d\t%d\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g", label(p).c_str(), i.width, i.height, i.fx, i.fy,
		      i.ppx, i.ppy, i.coeffs[0], i.coeffs[1], i.coeffs[2], i.coeffs[3], i.coeffs[4]);
	} else if (auto m = p.as<rs2::motion_stream_profile>()) {
		auto i = m.get_motion_intrinsics();
		std::string text;
		for (auto &row : i.data)
			for (float v : row) {
				char b[40];
				snprintf(b, sizeof b, "\t%.9g", v);
				text += b;
			}
		print("motion\t%s%s", label(p).c_str(), text.c_str());
	}
}

static void list(rs2::device dev) {
	print("version\t%s", RS2_API_VERSION_STR);
	for (int i = 0; i < RS2_CAMERA_INFO_COUNT; i++)
		if (dev.supports(rs2_camera_info(i)))
			print("info\t%s\t%s", rs2_camera_info_to_string(rs2_camera_info(i)), dev.get_info(rs2_camera_info(i)));
	std::map<std::string, rs2::stream_profile> streams;
	std::map<std::string, bool> sizes;
	for (auto &&s : dev.query_sensors()) {
		for (auto &&f : s.get_recommended_filters())
			print("filter\t%s\t%s", name(s).c_str(), f.get_info(RS2_CAMERA_INFO_NAME));
		for (auto o : s.get_supported_options())
			printOption(s, o);
		for (auto &&p : s.get_stream_profiles()) {
			printProfile(s, p);
			streams.emplace(label(p), p);
			auto v = p.as<rs2::video_stream_profile>();
			auto size = label(p) + (v ? std::to_string(v.width()) + "x" + std::to_string(v.height()) : "");
			if (p.format() != RS2_FORMAT_Y16 && !sizes[size]) {
				sizes[size] = true;
				printIntrinsics(p);
			}
		}
	}
	auto depth = streams.at("Depth");
	for (auto &&s : streams) {
		auto e = depth.get_extrinsics_to(s.second);
		std::string text;
		for (int i = 0; i < 12; i++) {
			char b[40];
			snprintf(b, sizeof b, "\t%.9g", i < 9 ? e.rotation[i] : e.translation[i - 9]);
			text += b;
		}
		print("extrinsics\t%s%s", s.first.c_str(), text.c_str());
	}
}

static void set(rs2::device dev) {
	for (auto &&s : dev.query_sensors())
		for (auto o : s.get_supported_options()) {
			if (s.is_option_read_only(o))
				continue;
			auto r = s.get_option_range(o);
			float before = s.get_option(o), value = before == r.max ? r.min : r.max, read = -1;
			std::string why;
			try {
				s.set_option(o, value);
				read = s.get_option(o);
				s.set_option(o, before);
			} catch (const rs2::error &e) {
				why = e.what();
			}
			print("set\t%s\t%s\t%.9g\t%.9g\t%s", name(s).c_str(), rs2_option_to_string(o), value, read, why.c_str());
		}
}

// hash is FNV-1a over words of 8 bytes.
static uint64_t hash(const void *data, size_t size) {
	uint64_t h = 0xcbf29ce484222325, word;
	auto at = static_cast<const char *>(data);
	for (size_t i = 0; i + 8 <= size; i += 8) {
		memcpy(&word, at + i, 8);
		h = (h ^ word) * 0x100000001b3;
	}
	return h;
}

static void printFrame(const std::string &serial, const rs2::frame &f) {
	std::string text;
	for (int i = 0; i < RS2_FRAME_METADATA_COUNT; i++) {
		auto key = rs2_frame_metadata_value(i);
		if (f.supports_frame_metadata(key))
			text += std::string("\t") + rs2_frame_metadata_to_string(key) + "=" + std::to_string(f.get_frame_metadata(key));
	}
	auto p = f.get_profile();
	if (auto m = f.as<rs2::motion_frame>()) {
		auto v = m.get_motion_data();
		print("sample\t%s\t%s\t%.3f\t%.9g\t%.9g\t%.9g%s", serial.c_str(), label(p).c_str(), f.get_timestamp(), v.x, v.y, v.z, text.c_str());
		return;
	}
	print("frame\t%s\t%s\t%s\t%llu\t%.3f\t%016llx%s", serial.c_str(), label(p).c_str(), rs2_timestamp_domain_to_string(f.get_frame_timestamp_domain()),
	      f.get_frame_number(), f.get_timestamp(), (unsigned long long)hash(f.get_data(), f.get_data_size()), text.c_str());
}

static rs2_option option(rs2::sensor s, const std::string &text) {
	for (auto o : s.get_supported_options())
		if (text == rs2_option_to_string(o))
			return o;
	throw std::runtime_error("no option " + text);
}

struct Mode {
	int w, h, fps, count;
	bool all;
};

static bool chosen(const rs2::stream_profile &p, const Mode &m) {
	auto v = p.as<rs2::video_stream_profile>();
	bool fits = v && v.width() == m.w && v.height() == m.h && p.fps() == m.fps;
	switch (p.stream_type()) {
	case RS2_STREAM_DEPTH:
		return fits && p.format() == RS2_FORMAT_Z16;
	case RS2_STREAM_INFRARED:
		return fits && m.all && p.format() == RS2_FORMAT_Y8;
	case RS2_STREAM_COLOR:
		return fits && p.format() == RS2_FORMAT_YUYV;
	case RS2_STREAM_GYRO:
		return m.all && p.fps() == 200;
	case RS2_STREAM_ACCEL:
		return m.all && p.fps() <= 100;
	default:
		return false;
	}
}

// Stream is a camera that streams.
class Stream {
	std::vector<rs2::sensor> active;
	std::mutex mutex;
	std::condition_variable enough;
	std::map<std::string, int> frames; // of each stream with images

public:
	void start(rs2::device dev, const Mode &m) {
		std::string serial = dev.get_info(RS2_CAMERA_INFO_SERIAL_NUMBER);
		for (auto &&s : dev.query_sensors()) {
			s.set_notifications_callback([](rs2::notification n) { print("notification\t%s", n.get_description().c_str()); });
			std::vector<rs2::stream_profile> wanted;
			for (auto &&p : s.get_stream_profiles())
				if (chosen(p, m)) {
					wanted.push_back(p);
					if (p.is<rs2::video_stream_profile>())
						frames[label(p)] = 0;
				}
			if (wanted.empty())
				continue;
			s.open(wanted);
			s.start([this, serial](rs2::frame f) {
				printFrame(serial, f);
				std::lock_guard<std::mutex> lock(mutex);
				auto n = frames.find(label(f.get_profile()));
				if (n != frames.end()) {
					n->second++;
					enough.notify_all();
				}
			});
			active.push_back(s);
		}
	}
	void stop(int count) {
		std::unique_lock<std::mutex> lock(mutex);
		for (auto &&n : frames)
			if (!enough.wait_for(lock, std::chrono::seconds(90), [&] { return n.second >= count; }))
				throw std::runtime_error("only " + std::to_string(n.second) + " frames of " + n.first + " in 90 s");
		lock.unlock();
		for (auto &&s : active) {
			s.stop();
			s.close();
		}
	}
};

static void stream(rs2::context &ctx, const char *spec, char **options, int n) {
	Mode m;
	int used = 0;
	if (sscanf(spec, "%dx%d@%d:%d%n", &m.w, &m.h, &m.fps, &m.count, &used) != 4)
		throw std::runtime_error(std::string("not a mode: ") + spec);
	m.all = !strcmp(spec + used, ":all");
	first(ctx);
	std::list<Stream> streams;
	for (auto &&dev : ctx.query_devices()) {
		auto stereo = dev.first<rs2::depth_sensor>();
		for (int i = 0; i < n; i++) {
			std::string text = options[i];
			auto cut = text.find('=');
			stereo.set_option(option(stereo, text.substr(0, cut)), std::stof(text.substr(cut + 1)));
		}
		streams.emplace_back();
		streams.back().start(dev, m);
	}
	for (auto &&s : streams)
		s.stop(m.count);
}

// again opens and closes the camera for each line of input.
static void again(rs2::context &ctx) {
	std::string line, serial;
	while (std::getline(std::cin, line)) {
		size_t sensors;
		{
			auto dev = first(ctx);
			serial = dev.get_info(RS2_CAMERA_INFO_SERIAL_NUMBER);
			sensors = dev.query_sensors().size();
		}
		print("there\t%s\t%zu", serial.c_str(), sensors);
	}
}

static void watch(rs2::context &ctx) {
	ctx.set_devices_changed_callback([&](rs2::event_information &e) {
		for (auto &&d : e.get_new_devices())
			print("came\t%s", d.get_info(RS2_CAMERA_INFO_SERIAL_NUMBER));
		if (e.get_new_devices().size() == 0)
			print("left");
	});
	auto dev = first(ctx);
	print("ready");
	std::string line;
	while (std::getline(std::cin, line)) {
		dev = first(ctx);
		if (line == "reset")
			dev.hardware_reset();
		else if (line == "advanced")
			dev.as<rs400::advanced_mode>().toggle_advanced_mode(true);
	}
}

int main(int argc, char **argv) {
	setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
	std::string mode = argc > 1 ? argv[1] : "list";
	try {
		if (const char *file = getenv("SDK_LOG"))
			rs2::log_to_file(RS2_LOG_SEVERITY_WARN, file);
		rs2::context ctx;
		if (mode == "list")
			list(first(ctx));
		else if (mode == "set")
			set(first(ctx));
		else if (mode == "stream" && argc > 2)
			stream(ctx, argv[2], argv + 3, argc - 3);
		else if (mode == "again")
			again(ctx);
		else if (mode == "watch")
			watch(ctx);
		else
			throw std::runtime_error("usage: probe list | set | stream SPEC [OPTION=VALUE…] | again | watch");
	} catch (const rs2::error &e) {
		fprintf(stderr, "probe %s: %s: %s\n", mode.c_str(), e.get_failed_function().c_str(), e.what());
		return 1;
	} catch (const std::exception &e) {
		fprintf(stderr, "probe %s: %s\n", mode.c_str(), e.what());
		return 1;
	}
}
