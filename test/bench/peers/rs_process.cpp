// rs_process runs librealsense's processing blocks over the frames of a bag: for timings, and for the golden outputs that
// camdriver/process is tested with.
//
//   rs_process BAG --bench [--only WORD] [--count N] [--json FILE]   ms and CPU ms of each block, one thread
//   rs_process BAG --plan PLAN --out DIR     each case of the plan: raw little-endian arrays and DIR/manifest.json
//   rs_process BAG --show                    streams, intrinsics, extrinsics, pairs of frames
//   rs_process --make-bag OUT.bag [key=value ...]   a software device with unpleasant frames, recorded by the SDK
//
// A plan has a line for each case (# starts a comment):
//
//   NAME [frames=A-B] [files=I,J,...|none] : BLOCK key=value ... | BLOCK key=value ... | ...
//
// frames are the pairs (0, 1, ... in the order of the depth frames) that go through the case's chain of blocks. files are
// those of them whose bytes are kept (default: all); of the others the manifest has a hash. Keys are set in the given
// order before the first frame.
//
//   align to=color|depth|infrared          pointcloud texture=color|infrared|none occlusion=0|1
//   decimation magnitude=N on=STREAM       threshold min=M max=M
//   disparity, depth                       (depth to disparity, and back)
//   spatial alpha= delta= magnitude= holes=     temporal alpha= delta= persistence=
//   hole_filling mode=                     units
//   colorizer scheme= min= max= equalize= preset=
//   rotation angle= on=STREAM              sequence_id id=            hdr_merge
//
// The output of the last block is kept. README.md describes the format.

#include <librealsense2/rs.hpp>
#include <librealsense2/hpp/rs_internal.hpp>
#include <librealsense2/rsutil.h>

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

// ---------------------------------------------------------------- small helpers

uint64_t fnv1a(const void* data, size_t n)
{
    uint64_t h = 14695981039346656037ull;
    auto p = static_cast<const uint8_t*>(data);
    for (size_t i = 0; i < n; ++i) { h ^= p[i]; h *= 1099511628211ull; }
    return h;
}

std::string hex64(uint64_t v)
{
    char b[20];
    std::snprintf(b, sizeof b, "%016llx", (unsigned long long)v);
    return b;
}

std::string num(double v)
{
    if (!std::isfinite(v)) return "null";
    char b[40];
    std::snprintf(b, sizeof b, "%.17g", v);
    return b;
}

// A float32 as the shortest text that reads back as the same float32.
std::string num32(float v)
{
    if (!std::isfinite(v)) return "null";
    char b[40];
    for (int p = 6; p <= 9; ++p)
    {
        std::snprintf(b, sizeof b, "%.*g", p, double(v));
        if (std::strtof(b, nullptr) == v) break;
    }
    return b;
}

std::string quote(const std::string& s)
{
    std::string o = "\"";
    for (unsigned char c : s)
    {
        if (c == '"' || c == '\\') { o += '\\'; o += char(c); }
        else if (c < 0x20) { char b[8]; std::snprintf(b, sizeof b, "\\u%04x", c); o += b; }
        else o += char(c);
    }
    return o + "\"";
}

std::string floats(const float* v, int n)
{
    std::string s = "[";
    for (int i = 0; i < n; ++i) s += (i ? "," : "") + num32(v[i]);
    return s + "]";
}

std::vector<std::string> split(const std::string& s, char sep)
{
    std::vector<std::string> v;
    std::string one;
    std::istringstream in(s);
    while (std::getline(in, one, sep)) v.push_back(one);
    return v;
}

std::vector<std::string> words(const std::string& s)
{
    std::vector<std::string> v;
    std::istringstream in(s);
    std::string w;
    while (in >> w) v.push_back(w);
    return v;
}

std::string base_name(const std::string& path)
{
    auto p = path.find_last_of('/');
    return p == std::string::npos ? path : path.substr(p + 1);
}

std::string stream_name(const rs2::stream_profile& p)
{
    return std::string(rs2_stream_to_string(p.stream_type())) + "_" + std::to_string(p.stream_index());
}

std::string intrinsics_json(const rs2_intrinsics& i)
{
    return "{\"width\":" + std::to_string(i.width) + ",\"height\":" + std::to_string(i.height) + ",\"ppx\":" + num32(i.ppx)
        + ",\"ppy\":" + num32(i.ppy) + ",\"fx\":" + num32(i.fx) + ",\"fy\":" + num32(i.fy)
        + ",\"model\":" + quote(rs2_distortion_to_string(i.model)) + ",\"coeffs\":" + floats(i.coeffs, 5) + "}";
}

std::string context_settings()   // no configuration file and no search for real cameras
{
    return "{\"inherit\":false,\"device-mask\":" + std::to_string(RS2_PRODUCT_LINE_SW_ONLY | RS2_PRODUCT_LINE_ANY) + "}";
}

// ---------------------------------------------------------------- frames of a bag, in pairs

struct Set
{
    rs2::frame depth, color, infra1, infra2;
    rs2::frameset all;
};

class Bag
{
public:
    explicit Bag(const std::string& path) : _dev(_ctx.load_device(path))
    {
        _dev.set_real_time(false);
        _dev.set_status_changed_callback([this](rs2_playback_status s) {
            std::lock_guard<std::mutex> l(_lock);
            _stopped = s == RS2_PLAYBACK_STATUS_STOPPED;
            _cv.notify_all();
        });
        // Pause, start all, resume: a sensor that is started late would miss the first frames.
        for (auto&& s : _dev.query_sensors())
        {
            std::vector<rs2::stream_profile> open;
            for (auto&& p : s.get_stream_profiles())
                if (p.as<rs2::video_stream_profile>()) open.push_back(p);
            if (open.empty()) continue;
            if (s.is<rs2::depth_sensor>())
            {
                depth_scale = s.as<rs2::depth_sensor>().get_depth_scale();
                if (s.is<rs2::depth_stereo_sensor>()) baseline_mm = s.as<rs2::depth_stereo_sensor>().get_stereo_baseline();
            }
            s.open(open);
            _sensors.push_back(s);
        }
        _dev.pause();
        for (auto& s : _sensors)
            s.start([this](rs2::frame f) {
                f.keep();
                std::lock_guard<std::mutex> l(_lock);
                _frames[stream_name(f.get_profile())].push_back(f);
                ++_count;
                _cv.notify_all();
            });
        _stopped = false;
        _dev.resume();
        std::unique_lock<std::mutex> l(_lock);
        while (!_stopped)
        {
            size_t before = _count;
            if (!_cv.wait_for(l, std::chrono::seconds(20), [&] { return _stopped || _count != before; }))
                throw std::runtime_error("playback never reached the end");
        }
        l.unlock();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));   // for callbacks that are still running
        pair_up();
    }

    ~Bag()
    {
        sets.clear();
        _frames.clear();
        for (auto& s : _sensors) { try { s.stop(); s.close(); } catch (const rs2::error&) {} }
    }

    rs2::stream_profile profile(const std::string& name) const
    {
        auto it = _frames.find(name);
        return it == _frames.end() || it->second.empty() ? rs2::stream_profile() : it->second[0].get_profile();
    }

    std::vector<std::string> streams() const
    {
        std::vector<std::string> v;
        for (auto& k : _frames) v.push_back(k.first);
        return v;
    }

    // Streams with intrinsics and the extrinsics from depth to each, as librealsense gives them.
    std::string json() const
    {
        std::string s = "{";
        auto depth = profile("Depth_0");
        for (auto& k : _frames)
        {
            auto p = k.second[0].get_profile().as<rs2::video_stream_profile>();
            s += (s.size() > 1 ? ",\n   " : "\n   ") + quote(k.first) + ":{\"format\":" + quote(rs2_format_to_string(p.format()))
                + ",\"fps\":" + std::to_string(p.fps()) + ",\"intrinsics\":" + intrinsics_json(p.get_intrinsics());
            if (depth)
            {
                auto e = depth.get_extrinsics_to(p);
                s += ",\"depth_to_this\":{\"rotation\":" + floats(e.rotation, 9) + ",\"translation\":" + floats(e.translation, 3) + "}";
            }
            s += "}";
        }
        return s + "}";
    }

    std::vector<Set> sets;
    float depth_scale = 0, baseline_mm = 0;

private:
    static rs2::frame nearest(const std::vector<rs2::frame>& v, double ts)
    {
        rs2::frame best;
        for (auto& f : v)
            if (!best || std::fabs(f.get_timestamp() - ts) < std::fabs(best.get_timestamp() - ts)) best = f;
        return best;
    }

    void pair_up()
    {
        for (auto& k : _frames)
            std::sort(k.second.begin(), k.second.end(), [](const rs2::frame& a, const rs2::frame& b) { return a.get_frame_number() < b.get_frame_number(); });
        for (auto& d : _frames["Depth_0"])
        {
            Set s;
            s.depth = d;
            s.color = nearest(_frames["Color_0"], d.get_timestamp());
            s.infra1 = nearest(_frames["Infrared_1"], d.get_timestamp());
            s.infra2 = nearest(_frames["Infrared_2"], d.get_timestamp());
            std::vector<rs2::frame> parts{ s.depth };
            for (auto f : { s.color, s.infra1, s.infra2 })
                if (f) parts.push_back(f);
            rs2::filter bundle([&](rs2::frame, rs2::frame_source& src) { src.frame_ready(src.allocate_composite_frame(parts)); });
            s.all = bundle.process(d).as<rs2::frameset>();
            s.all.keep();
            sets.push_back(s);
        }
        for (auto it = _frames.begin(); it != _frames.end();)
            it = it->second.empty() ? _frames.erase(it) : std::next(it);
    }

    rs2::context _ctx{ context_settings() };
    rs2::playback _dev;
    std::vector<rs2::sensor> _sensors;
    std::map<std::string, std::vector<rs2::frame>> _frames;
    std::mutex _lock;
    std::condition_variable _cv;
    size_t _count = 0;
    bool _stopped = false;
};

// ---------------------------------------------------------------- plans

struct Step
{
    std::string block;
    std::vector<std::pair<std::string, std::string>> params;

    std::string get(const std::string& key, const std::string& def) const
    {
        for (auto& p : params) if (p.first == key) return p.second;
        return def;
    }

    std::string json() const
    {
        std::string s = "{\"block\":" + quote(block) + ",\"params\":{";
        for (size_t i = 0; i < params.size(); ++i)
        {
            auto& v = params[i].second;
            bool number = !v.empty() && v.find_first_not_of("0123456789.-") == std::string::npos;
            s += (i ? "," : "") + quote(params[i].first) + ":" + (number ? v : quote(v));
        }
        return s + "}}";
    }
};

struct Case
{
    std::string name;
    int first = 0, last = -1;        // -1: to the end
    bool files_all = true;
    std::set<int> files;
    std::vector<Step> steps;
};

Case parse_case(const std::string& line)
{
    auto colon = line.find(" :");
    if (colon == std::string::npos) throw std::runtime_error("no ' :' in plan line: " + line);
    Case c;
    auto head = words(line.substr(0, colon));
    if (head.empty()) throw std::runtime_error("no name in plan line: " + line);
    c.name = head[0];
    for (size_t i = 1; i < head.size(); ++i)
    {
        auto eq = head[i].find('=');
        auto key = head[i].substr(0, eq), value = eq == std::string::npos ? "" : head[i].substr(eq + 1);
        if (key == "frames")
        {
            auto r = split(value, '-');
            c.first = std::stoi(r.at(0));
            c.last = r.size() > 1 ? std::stoi(r[1]) : c.first;
        }
        else if (key == "files")
        {
            c.files_all = false;
            if (value != "none") for (auto& f : split(value, ',')) c.files.insert(std::stoi(f));
        }
        else throw std::runtime_error("unknown word in plan: " + head[i]);
    }
    for (auto& part : split(line.substr(colon + 2), '|'))
    {
        auto w = words(part);
        if (w.empty()) throw std::runtime_error("empty step in plan line: " + line);
        Step s;
        s.block = w[0];
        for (size_t i = 1; i < w.size(); ++i)
        {
            auto eq = w[i].find('=');
            if (eq == std::string::npos) throw std::runtime_error("no = in " + w[i]);
            s.params.push_back({ w[i].substr(0, eq), w[i].substr(eq + 1) });
        }
        c.steps.push_back(s);
    }
    return c;
}

std::vector<Case> read_plan(const std::string& path)
{
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    std::vector<Case> v;
    std::string line;
    while (std::getline(in, line))
    {
        line = line.substr(0, line.find('#'));
        if (line.find_first_not_of(" \t\r") != std::string::npos) v.push_back(parse_case(line));
    }
    return v;
}

// ---------------------------------------------------------------- blocks

rs2_stream stream_of(const std::string& s)
{
    if (s == "color") return RS2_STREAM_COLOR;
    if (s == "depth") return RS2_STREAM_DEPTH;
    if (s == "infrared") return RS2_STREAM_INFRARED;
    if (s == "none") return RS2_STREAM_ANY;
    throw std::runtime_error("unknown stream " + s);
}

const std::map<std::string, std::map<std::string, rs2_option>>& option_names()
{
    static const std::map<std::string, std::map<std::string, rs2_option>> m{
        { "decimation", { { "magnitude", RS2_OPTION_FILTER_MAGNITUDE } } },
        { "threshold", { { "min", RS2_OPTION_MIN_DISTANCE }, { "max", RS2_OPTION_MAX_DISTANCE } } },
        { "spatial", { { "alpha", RS2_OPTION_FILTER_SMOOTH_ALPHA }, { "delta", RS2_OPTION_FILTER_SMOOTH_DELTA },
                       { "magnitude", RS2_OPTION_FILTER_MAGNITUDE }, { "holes", RS2_OPTION_HOLES_FILL } } },
        { "temporal", { { "alpha", RS2_OPTION_FILTER_SMOOTH_ALPHA }, { "delta", RS2_OPTION_FILTER_SMOOTH_DELTA },
                        { "persistence", RS2_OPTION_HOLES_FILL } } },
        { "hole_filling", { { "mode", RS2_OPTION_HOLES_FILL } } },
        { "colorizer", { { "scheme", RS2_OPTION_COLOR_SCHEME }, { "min", RS2_OPTION_MIN_DISTANCE }, { "max", RS2_OPTION_MAX_DISTANCE },
                         { "equalize", RS2_OPTION_HISTOGRAM_EQUALIZATION_ENABLED }, { "preset", RS2_OPTION_VISUAL_PRESET } } },
        { "rotation", { { "angle", RS2_OPTION_ROTATION } } },
        { "sequence_id", { { "id", RS2_OPTION_SEQUENCE_ID } } },
    };
    return m;
}

std::shared_ptr<rs2::filter> make_block(const Step& s)
{
    std::shared_ptr<rs2::filter> f;
    std::set<std::string> known;
    if (s.block == "align") { f = std::make_shared<rs2::align>(stream_of(s.get("to", "color"))); known = { "to" }; }
    else if (s.block == "pointcloud")
    {
        known = { "texture", "occlusion" };
        auto t = stream_of(s.get("texture", "color"));
        f = t == RS2_STREAM_ANY ? std::make_shared<rs2::pointcloud>() : std::make_shared<rs2::pointcloud>(t, t == RS2_STREAM_INFRARED ? 1 : 0);
        f->set_option(RS2_OPTION_FILTER_MAGNITUDE, s.get("occlusion", "0") == "0" ? 1.f : 2.f);
    }
    else if (s.block == "decimation") { f = std::make_shared<rs2::decimation_filter>(); known = { "on" }; }
    else if (s.block == "threshold") f = std::make_shared<rs2::threshold_filter>();
    else if (s.block == "disparity") f = std::make_shared<rs2::disparity_transform>(true);
    else if (s.block == "depth") f = std::make_shared<rs2::disparity_transform>(false);
    else if (s.block == "spatial") f = std::make_shared<rs2::spatial_filter>();
    else if (s.block == "temporal") f = std::make_shared<rs2::temporal_filter>();
    else if (s.block == "hole_filling") f = std::make_shared<rs2::hole_filling_filter>();
    else if (s.block == "units") f = std::make_shared<rs2::units_transform>();
    else if (s.block == "colorizer") f = std::make_shared<rs2::colorizer>();
    else if (s.block == "rotation")
    {
        f = std::make_shared<rs2::rotation_filter>(std::vector<rs2_stream>{ stream_of(s.get("on", "depth")) });
        known = { "on" };
    }
    else if (s.block == "sequence_id") f = std::make_shared<rs2::sequence_id_filter>();
    else if (s.block == "hdr_merge") f = std::make_shared<rs2::hdr_merge>();
    else throw std::runtime_error("unknown block " + s.block);

    if (s.block == "decimation" && s.get("on", "depth") != "depth")
    {
        f->set_option(RS2_OPTION_STREAM_FILTER, float(stream_of(s.get("on", "depth"))));
        f->set_option(RS2_OPTION_STREAM_FORMAT_FILTER, float(RS2_FORMAT_ANY));
    }
    auto names = option_names().find(s.block);
    for (auto& p : s.params)
    {
        if (known.count(p.first)) continue;
        if (names == option_names().end() || !names->second.count(p.first)) throw std::runtime_error(s.block + " has no parameter " + p.first);
        f->set_option(names->second.at(p.first), std::stof(p.second));
    }
    return f;
}

std::string options_json(const Step& s, const rs2::filter& f)
{
    std::string o = "{";
    auto names = option_names().find(s.block);
    if (names != option_names().end())
        for (auto& n : names->second)
            o += (o.size() > 1 ? "," : "") + quote(n.first) + ":" + num32(f.get_option(n.second));
    if (s.block == "pointcloud") o += "\"occlusion\":" + std::string(f.get_option(RS2_OPTION_FILTER_MAGNITUDE) > 1 ? "1" : "0");
    return o + "}";
}

struct Chain
{
    explicit Chain(const std::vector<Step>& s) : steps(s) { for (auto& one : s) blocks.push_back(make_block(one)); }
    std::vector<Step> steps;
    std::vector<std::shared_ptr<rs2::filter>> blocks;

    rs2::frame run(rs2::frame f, size_t from, size_t to) const
    {
        for (size_t i = from; i < to; ++i) f = blocks[i]->process(f);
        return f;
    }
    rs2::frame run(rs2::frame f) const { return run(f, 0, blocks.size()); }
};

// outputs returns the frames of the frameset that the last block made.
std::vector<std::pair<std::string, rs2::frame>> outputs(const Step& last, rs2::frame result)
{
    std::vector<rs2::frame> frames;
    if (auto set = result.as<rs2::frameset>()) set.foreach_rs([&](const rs2::frame& f) { frames.push_back(f); });
    else frames.push_back(result);

    std::vector<std::pair<std::string, rs2::frame>> v;
    auto pick = [&](const char* part, rs2_stream st, rs2_format fmt) {
        for (auto& f : frames)
        {
            auto p = f.get_profile();
            if (p.stream_type() == st && (fmt == RS2_FORMAT_ANY || p.format() == fmt) && !f.is<rs2::points>())
            {
                std::string name = part;
                if (st == RS2_STREAM_INFRARED) name += std::to_string(p.stream_index());
                v.push_back({ name, f });
                if (st != RS2_STREAM_INFRARED) return;
            }
        }
    };
    auto& b = last.block;
    auto has = [&](rs2_format fmt) {
        return std::any_of(frames.begin(), frames.end(), [&](const rs2::frame& f) { return f.get_profile().stream_type() == RS2_STREAM_DEPTH && f.get_profile().format() == fmt; });
    };
    if (b == "pointcloud")
    {
        for (auto& f : frames) if (f.is<rs2::points>()) { v.push_back({ "points", f }); break; }
    }
    else if (b == "align" && last.get("to", "color") == "depth")
    {
        pick("color", RS2_STREAM_COLOR, RS2_FORMAT_ANY);
        pick("infrared", RS2_STREAM_INFRARED, RS2_FORMAT_ANY);
    }
    else if (b == "disparity") pick("disparity", RS2_STREAM_DEPTH, RS2_FORMAT_DISPARITY32);
    else if (b == "units") pick("distance", RS2_STREAM_DEPTH, RS2_FORMAT_DISTANCE);
    else if (b == "colorizer") pick("rgb", RS2_STREAM_DEPTH, RS2_FORMAT_RGB8);
    else if (b == "decimation" || b == "rotation")
    {
        auto on = last.get("on", "depth");
        pick(on.c_str(), stream_of(on), RS2_FORMAT_ANY);
    }
    else if (has(RS2_FORMAT_DISPARITY32)) pick("disparity", RS2_STREAM_DEPTH, RS2_FORMAT_DISPARITY32);
    else pick("depth", RS2_STREAM_DEPTH, RS2_FORMAT_ANY);
    if (v.empty()) throw std::runtime_error(b + " gave nothing");
    return v;
}

// ---------------------------------------------------------------- the dump

struct Array
{
    const char* type;
    int width, height, channels;
    std::vector<uint8_t> bytes;
};

Array pixels(const rs2::frame& f)
{
    auto v = f.as<rs2::video_frame>();
    Array a{ "uint8", v.get_width(), v.get_height(), 1, {} };
    switch (v.get_profile().format())
    {
    case RS2_FORMAT_Z16: case RS2_FORMAT_Y16: a.type = "uint16"; break;
    case RS2_FORMAT_DISPARITY32: case RS2_FORMAT_DISTANCE: a.type = "float32"; break;
    default: a.channels = v.get_bytes_per_pixel(); break;
    }
    size_t row = size_t(a.width) * v.get_bytes_per_pixel();
    auto p = static_cast<const uint8_t*>(v.get_data());
    for (int y = 0; y < a.height; ++y) a.bytes.insert(a.bytes.end(), p + size_t(y) * v.get_stride_in_bytes(), p + size_t(y) * v.get_stride_in_bytes() + row);
    return a;
}

Array from_floats(const float* p, int width, int height, int channels)
{
    Array a{ "float32", width, height, channels, {} };
    auto b = reinterpret_cast<const uint8_t*>(p);
    a.bytes.assign(b, b + size_t(width) * height * channels * 4);
    return a;
}

void write_file(const std::string& path, const std::vector<uint8_t>& b)
{
    std::ofstream o(path, std::ios::binary);
    o.write(reinterpret_cast<const char*>(b.data()), std::streamsize(b.size()));
    if (!o) throw std::runtime_error("cannot write " + path);
}

std::string number_of(const rs2::frame& f) { return f ? std::to_string(f.get_frame_number()) : "null"; }

int dump(const std::string& bag_path, const std::string& plan_path, const std::string& dir)
{
    Bag bag(bag_path);
    auto plan = read_plan(plan_path);
    mkdir(dir.c_str(), 0777);
    std::ofstream m(dir + "/manifest.json");
    m << "{\n \"tool\":\"rs_process\",\n \"librealsense\":\"" << RS2_API_VERSION_STR << "\",\n \"bag\":" << quote(base_name(bag_path))
      << ",\n \"depth_units\":" << num32(bag.depth_scale) << ",\n \"stereo_baseline_mm\":" << num32(bag.baseline_mm) << ",\n \"align\":"
      << quote(rs2::align(RS2_STREAM_COLOR).get_info(RS2_CAMERA_INFO_NAME)) << ",\n \"streams\":" << bag.json() << ",\n \"inputs\":[";
    for (size_t i = 0; i < bag.sets.size(); ++i)
    {
        auto& s = bag.sets[i];
        m << (i ? ",\n  " : "\n  ") << "{\"index\":" << i << ",\"ts\":" << num(s.depth.get_timestamp());
        std::pair<const char*, rs2::frame> parts[] = { { "depth", s.depth }, { "color", s.color }, { "infrared1", s.infra1 }, { "infrared2", s.infra2 } };
        for (auto& p : parts)
            if (p.second) m << "," << quote(p.first) << ":{\"frame\":" << number_of(p.second) << ",\"fnv1a64\":\"" << hex64(fnv1a(p.second.get_data(), p.second.get_data_size())) << "\"}";
        for (auto md : { RS2_FRAME_METADATA_SEQUENCE_ID, RS2_FRAME_METADATA_SEQUENCE_SIZE })
            if (s.depth.supports_frame_metadata(md)) m << "," << quote(md == RS2_FRAME_METADATA_SEQUENCE_ID ? "sequence_id" : "sequence_size") << ":" << s.depth.get_frame_metadata(md);
        m << "}";
    }
    m << "],\n \"cases\":[";
    bool first_case = true;
    for (auto& c : plan)
    {
        Chain chain(c.steps);
        m << (first_case ? "\n  " : ",\n  ") << "{\"case\":" << quote(c.name) << ",\"steps\":[";
        first_case = false;
        for (size_t i = 0; i < c.steps.size(); ++i)
        {
            auto s = c.steps[i].json();
            s.pop_back();
            m << (i ? "," : "") << s << ",\"options\":" << options_json(c.steps[i], *chain.blocks[i]) << "}";
        }
        m << "],\n   \"outputs\":[";
        bool first_out = true;
        int last = c.last < 0 ? int(bag.sets.size()) - 1 : c.last;
        if (last >= int(bag.sets.size())) throw std::runtime_error(c.name + ": the bag has only " + std::to_string(bag.sets.size()) + " pairs");
        for (int i = c.first; i <= last; ++i)
        {
            auto result = chain.run(bag.sets[i].all);
            for (auto& out : outputs(c.steps.back(), result))
            {
                auto f = out.second;
                auto vp = f.get_profile().as<rs2::video_stream_profile>();
                auto in = vp.get_intrinsics();
                std::vector<std::pair<std::string, Array>> arrays;
                if (auto p = f.as<rs2::points>())
                {
                    arrays.push_back({ "xyz", from_floats(&p.get_vertices()->x, in.width, in.height, 3) });
                    if (c.steps.back().get("texture", "color") != "none") arrays.push_back({ "uv", from_floats(&p.get_texture_coordinates()->u, in.width, in.height, 2) });
                }
                else arrays.push_back({ out.first, pixels(f) });
                for (auto& a : arrays)
                {
                    std::string file = c.name + "-" + std::to_string(i) + "-" + a.first + ".bin";
                    bool keep = c.files_all || c.files.count(i);
                    if (keep) write_file(dir + "/" + file, a.second.bytes);
                    m << (first_out ? "\n    " : ",\n    ") << "{\"index\":" << i << ",\"part\":" << quote(a.first) << ",\"frame\":" << f.get_frame_number()
                      << ",\"stream\":" << quote(stream_name(vp)) << ",\"format\":" << quote(rs2_format_to_string(vp.format())) << ",\"type\":" << quote(a.second.type)
                      << ",\"width\":" << a.second.width << ",\"height\":" << a.second.height << ",\"channels\":" << a.second.channels
                      << ",\"bytes\":" << a.second.bytes.size() << ",\"fnv1a64\":\"" << hex64(fnv1a(a.second.bytes.data(), a.second.bytes.size())) << "\",\"file\":"
                      << (keep ? quote(file) : "null") << ",\"ts\":" << num(f.get_timestamp()) << ",\"fps\":" << vp.fps();
                    if (auto d = f.as<rs2::depth_frame>()) m << ",\"units\":" << num32(d.get_units());
                    int md = 0;
                    for (int k = 0; k < RS2_FRAME_METADATA_COUNT; ++k) md += f.supports_frame_metadata(rs2_frame_metadata_value(k));
                    m << ",\"metadata\":" << md << ",\"intrinsics\":" << intrinsics_json(in) << "}";
                    first_out = false;
                }
            }
        }
        m << "]}";
    }
    m << "\n ]}\n";
    m.flush();
    if (!m) throw std::runtime_error("cannot write the manifest");
    return 0;
}

// ---------------------------------------------------------------- timings

double now_ms(clockid_t c)
{
    timespec t;
    clock_gettime(c, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

// Only the last step is timed, unless the name starts with "chain"; the steps before it run in advance.
const char* bench_plan =
    "nothing : sequence_id id=0\n"
    "align_to_color : align to=color\n"
    "align_to_depth : align to=depth\n"
    "align_to_infrared : align to=infrared\n"
    "cloud_xyz : pointcloud texture=none\n"
    "cloud_uv : pointcloud texture=color\n"
    "cloud_uv_occlusion : pointcloud texture=color occlusion=1\n"
    "aligned_cloud_uv : align to=color | pointcloud texture=color occlusion=1\n"
    "decimation_2 : decimation magnitude=2\n"
    "decimation_3 : decimation magnitude=3\n"
    "decimation_4 : decimation magnitude=4\n"
    "decimation_8 : decimation magnitude=8\n"
    "decimation_2_color : decimation magnitude=2 on=color\n"
    "threshold : threshold\n"
    "disparity : disparity\n"
    "depth : disparity | depth\n"
    "spatial : spatial\n"
    "spatial_holes_5 : spatial holes=5\n"
    "spatial_in_disparity : disparity | spatial\n"
    "spatial_in_disparity_5x_holes : disparity | spatial magnitude=5 holes=5\n"
    "temporal : temporal\n"
    "temporal_in_disparity : disparity | temporal\n"
    "hole_filling_0 : hole_filling mode=0\n"
    "hole_filling_1 : hole_filling mode=1\n"
    "hole_filling_2 : hole_filling mode=2\n"
    "units : units\n"
    "colorizer_equalized : colorizer\n"
    "colorizer_fixed : colorizer preset=1\n"
    "rotation_90 : rotation angle=90\n"
    "rotation_180 : rotation angle=180\n"
    "hdr_merge : hdr_merge\n"
    "chain_usual : disparity | spatial | temporal | depth | align to=color\n"
    "chain_usual_cloud : disparity | spatial | temporal | depth | align to=color | pointcloud texture=color occlusion=1\n"
    "chain_decimated_cloud : decimation magnitude=2 | disparity | spatial | temporal | depth | pointcloud texture=color occlusion=1\n";

// pack_cloud packs a cloud as realsense2_camera does, with 20 bytes for each valid point: what a node does after the block.
size_t pack_cloud(const rs2::points& p, const rs2::video_frame& color, std::vector<uint8_t>& out)
{
    auto v = p.get_vertices();
    auto t = p.get_texture_coordinates();
    auto rgb = static_cast<const uint8_t*>(color.get_data());
    int w = color.get_width(), h = color.get_height();
    size_t n = p.size(), k = 0;
    out.resize(n * 20);
    for (size_t i = 0; i < n; ++i)
    {
        if (!(v[i].z > 0 && t[i].u >= 0 && t[i].u < 1 && t[i].v >= 0 && t[i].v < 1)) continue;
        auto o = out.data() + k++ * 20;
        std::memcpy(o, v + i, 12);
        auto c = rgb + (size_t(int(t[i].v * h)) * w + int(t[i].u * w)) * 3;
        uint8_t q[8] = { 0, 0, 0, 0, c[2], c[1], c[0], 0 };
        std::memcpy(o + 12, q, 8);
    }
    return k;
}

int bench(const std::string& bag_path, const std::string& only, int count, const std::string& json)
{
    Bag bag(bag_path);
    size_t n = std::min<size_t>(bag.sets.size(), 30);
    auto size = [&](const char* s) {
        auto p = bag.profile(s);
        if (!p) return std::string("-");
        auto v = p.as<rs2::video_stream_profile>();
        return std::to_string(v.width()) + "x" + std::to_string(v.height());
    };
    std::printf("%s: depth %s, colour %s, %zu pairs, %d frames a block\n%-32s %9s %9s %9s %9s\n", base_name(bag_path).c_str(),
                size("Depth_0").c_str(), size("Color_0").c_str(), n, count, "block", "median ms", "p95 ms", "cpu ms", "cpu s");
    std::ostringstream js;
    js << "{\"bag\":" << quote(base_name(bag_path)) << ",\"depth\":" << quote(size("Depth_0")) << ",\"color\":" << quote(size("Color_0")) << ",\"blocks\":[";
    bool first = true;
    auto report = [&](const std::string& name, std::vector<double>& wall, double cpu) {
        std::sort(wall.begin(), wall.end());
        double med = wall[wall.size() / 2], p95 = wall[wall.size() * 95 / 100], per = cpu / double(wall.size());
        std::printf("%-32s %9.3f %9.3f %9.3f %9.3f\n", name.c_str(), med, p95, per, cpu / 1e3);
        std::fflush(stdout);
        js << (first ? "\n " : ",\n ") << "{\"block\":" << quote(name) << ",\"median_ms\":" << num(med) << ",\"p95_ms\":" << num(p95) << ",\"cpu_ms\":" << num(per) << "}";
        first = false;
    };
    std::istringstream plan(bench_plan);
    std::string line;
    while (std::getline(plan, line))
    {
        auto c = parse_case(line);
        if (!only.empty() && c.name.find(only) == std::string::npos) continue;
        Chain chain(c.steps);
        size_t from = c.name.compare(0, 5, "chain") == 0 ? 0 : c.steps.size() - 1;
        std::vector<rs2::frame> in;
        for (size_t i = 0; i < n; ++i)
        {
            // Only depth and colour, as in a node that aligns or makes clouds.
            std::vector<rs2::frame> parts{ bag.sets[i].depth };
            if (bag.sets[i].color) parts.push_back(bag.sets[i].color);
            if (bag.sets[i].infra1 && (c.name == "align_to_infrared" || c.name == "hdr_merge")) parts.push_back(bag.sets[i].infra1);
            rs2::filter bundle([&](rs2::frame, rs2::frame_source& src) { src.frame_ready(src.allocate_composite_frame(parts)); });
            rs2::frame f = bundle.process(parts[0]);
            f = chain.run(f, 0, from);
            if (auto set = f.as<rs2::frameset>()) set.keep();
            in.push_back(f);
        }
        std::vector<double> wall;
        for (int i = 0; i < 5; ++i) chain.run(in[i % n], from, c.steps.size());
        double cpu0 = now_ms(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < count; ++i)
        {
            double t0 = now_ms(CLOCK_MONOTONIC);
            { auto r = chain.run(in[i % n], from, c.steps.size()); }
            wall.push_back(now_ms(CLOCK_MONOTONIC) - t0);
        }
        report(c.name, wall, now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu0);
        if (c.name == "cloud_uv" || c.name == "aligned_cloud_uv")
        {
            std::vector<uint8_t> out;
            std::vector<rs2::frame> clouds;
            for (size_t i = 0; i < std::min<size_t>(n, 6); ++i) clouds.push_back(outputs(c.steps.back(), chain.run(in[i], from, c.steps.size()))[0].second);
            wall.clear();
            size_t k = 0;
            for (int i = 0; i < 5; ++i) pack_cloud(clouds[i % clouds.size()].as<rs2::points>(), bag.sets[i % clouds.size()].color, out);
            cpu0 = now_ms(CLOCK_PROCESS_CPUTIME_ID);
            for (int i = 0; i < count; ++i)
            {
                double t0 = now_ms(CLOCK_MONOTONIC);
                k += pack_cloud(clouds[i % clouds.size()].as<rs2::points>(), bag.sets[i % clouds.size()].color, out);
                wall.push_back(now_ms(CLOCK_MONOTONIC) - t0);
            }
            report(c.name + "_packing", wall, now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu0);
            if (!k) std::printf("  (no point had a texture)\n");
        }
    }
    js << "\n]}\n";
    if (!json.empty()) std::ofstream(json) << js.str();
    return 0;
}

// ---------------------------------------------------------------- a bag of unpleasant frames

struct Random
{
    uint32_t x;
    explicit Random(uint32_t seed) : x(seed ? seed : 1) {}
    uint32_t next() { x ^= x << 13; x ^= x >> 17; x ^= x << 5; return x; }
    int below(int n) { return int((next() >> 8) % uint32_t(n)); }
};

int make_bag(const std::string& path, const std::map<std::string, std::string>& o)
{
    auto text = [&](const char* k, const char* d) { auto it = o.find(k); return it == o.end() ? std::string(d) : it->second; };
    auto real = [&](const char* k, float d) { auto it = o.find(k); return it == o.end() ? d : std::stof(it->second); };
    auto whole = [&](const char* k, int d) { return int(real(k, float(d))); };
    auto coeffs = [&](const char* k, float* c) {
        auto it = o.find(k);
        if (it == o.end()) return;
        auto v = split(it->second, ',');
        for (size_t i = 0; i < v.size() && i < 5; ++i) c[i] = std::stof(v[i]);
    };
    auto model = [&](const char* k, rs2_distortion d) {
        auto s = text(k, "");
        if (s == "none") return RS2_DISTORTION_NONE;
        if (s == "brown") return RS2_DISTORTION_BROWN_CONRADY;
        if (s == "inverse") return RS2_DISTORTION_INVERSE_BROWN_CONRADY;
        if (s == "modified") return RS2_DISTORTION_MODIFIED_BROWN_CONRADY;
        return d;
    };
    uint32_t seed = uint32_t(whole("seed", 1));
    int w = whole("width", 160), h = whole("height", 120), cw = whole("color_width", 160), ch = whole("color_height", 120);
    int frames = whole("frames", 16);
    float units = real("units", 0.001f), baseline = real("baseline", 50.f);

    rs2_intrinsics di{}, ci{};
    di.width = w; di.height = h; di.fx = real("fx", 0.6f * w); di.fy = real("fy", 0.601f * w); di.ppx = real("ppx", w / 2.f + 0.31f); di.ppy = real("ppy", h / 2.f - 0.77f);
    di.model = model("model", RS2_DISTORTION_BROWN_CONRADY);
    coeffs("coeffs", di.coeffs);
    ci.width = cw; ci.height = ch; ci.fx = real("color_fx", 0.72f * cw); ci.fy = real("color_fy", 0.722f * cw);
    ci.ppx = real("color_ppx", cw / 2.f - 1.63f); ci.ppy = real("color_ppy", ch / 2.f + 0.42f);
    ci.model = model("color_model", RS2_DISTORTION_INVERSE_BROWN_CONRADY);
    coeffs("color_coeffs", ci.coeffs);

    rs2::software_device dev;
    dev.register_info(RS2_CAMERA_INFO_NAME, "Unpleasant Frames");
    dev.register_info(RS2_CAMERA_INFO_SERIAL_NUMBER, "000000000001");
    dev.register_info(RS2_CAMERA_INFO_FIRMWARE_VERSION, "5.16.0.1");
    dev.register_info(RS2_CAMERA_INFO_PHYSICAL_PORT, "none");
    dev.register_info(RS2_CAMERA_INFO_PRODUCT_ID, "0B3A");
    dev.register_info(RS2_CAMERA_INFO_PRODUCT_LINE, "D400");
    auto stereo = dev.add_sensor("Stereo Module");
    auto rgb = dev.add_sensor("RGB Camera");
    stereo.add_read_only_option(RS2_OPTION_DEPTH_UNITS, units);
    stereo.add_read_only_option(RS2_OPTION_STEREO_BASELINE, baseline);
    auto dp = stereo.add_video_stream({ RS2_STREAM_DEPTH, 0, 1, w, h, 30, 2, RS2_FORMAT_Z16, di }, true);
    auto ip = stereo.add_video_stream({ RS2_STREAM_INFRARED, 1, 2, w, h, 30, 1, RS2_FORMAT_Y8, di }, true);
    auto cp = rgb.add_video_stream({ RS2_STREAM_COLOR, 0, 3, cw, ch, 30, 3, RS2_FORMAT_RGB8, ci }, true);
    rs2_extrinsics same{ { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, { 0, 0, 0 } }, e = same;
    {
        // A small turn about each axis, in librealsense's column order, and a shift.
        double ax = real("turn_x", 0.004f), ay = real("turn_y", -0.011f), az = real("turn_z", 0.007f);
        double cx = std::cos(ax), sx = std::sin(ax), cy = std::cos(ay), sy = std::sin(ay), cz = std::cos(az), sz = std::sin(az);
        double m[3][3] = { { cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx }, { sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx }, { -sy, cy * sx, cy * cx } };
        for (int c = 0; c < 3; ++c) for (int r = 0; r < 3; ++r) e.rotation[c * 3 + r] = float(m[r][c]);
        e.translation[0] = real("shift_x", 0.0147f); e.translation[1] = real("shift_y", 0.0003f); e.translation[2] = real("shift_z", -0.0004f);
    }
    dp.register_extrinsics_to(ip, same);
    dp.register_extrinsics_to(cp, e);

    // The constant part of the image: planes and steps between 0.3 and 6 m, tiny and huge values, holes of every width.
    std::vector<double> scene(size_t(w) * h);
    std::vector<uint8_t> flicker(size_t(w) * h, 0);   // bit k: a hole in frames with index % 8 == k
    Random rs(seed * 2654435761u + 17);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
        {
            double m = 0.8 + 1.2 * x / w + 0.5 * std::sin(y * 9.0 / h);           // a curved wall
            if ((x * 5 / w + y * 4 / h) & 1) m += 0.9;                           // steps
            if (x > w * 3 / 4 && y > h / 2) m = 0.3 + 0.02 * (y % 7);            // near, rough
            if (y >= h * 7 / 8) m = (1 + (x * 30 / w)) * units;                 // 1 to 30 units
            if (y < h / 16) m = x < w / 2 ? 65535.0 * units : (65000 + x) * units;   // the largest values
            scene[size_t(y) * w + x] = m / units;
        }
    for (int y = 0; y < h; ++y)
    {
        int x = rs.below(20);
        while (x < w)
        {
            int len = 1 + rs.below(y % 5 == 0 ? 40 : 4);
            uint8_t mask = rs.below(3) ? uint8_t(rs.next() >> 11) : 255;
            for (int k = 0; k < len && x < w; ++k, ++x) flicker[size_t(y) * w + x] = mask;
            x += 3 + rs.below(30);
        }
    }

    {
        rs2::recorder rec(path, dev, true);
        stereo.open({ dp, ip });
        rgb.open(cp);
        stereo.start([](rs2::frame) {});
        rgb.start([](rs2::frame) {});
        auto push = [&](rs2::software_sensor& s, const rs2::stream_profile& p, const std::vector<uint8_t>& px, int stride, int bpp, int i) {
            auto b = new uint8_t[px.size()];
            std::memcpy(b, px.data(), px.size());
            rs2_software_video_frame f{};
            f.pixels = b;
            f.deleter = [](void* d) { delete[] static_cast<uint8_t*>(d); };
            f.stride = stride; f.bpp = bpp;
            f.timestamp = 1700000000000.0 + i * 1000.0 / 30;
            f.domain = RS2_TIMESTAMP_DOMAIN_HARDWARE_CLOCK;
            f.frame_number = 100 + i;
            f.profile = p.get();
            f.depth_units = units;
            s.on_video_frame(f);
        };
        for (int i = 0; i < frames; ++i)
        {
            Random r(seed * 7919u + uint32_t(i) * 104729u + 3);
            std::vector<uint8_t> z(size_t(w) * h * 2), y8(size_t(w) * h), c8(size_t(cw) * ch * 3);
            int id = i & 1;
            for (int y = 0; y < h; ++y)
                for (int x = 0; x < w; ++x)
                {
                    size_t k = size_t(y) * w + x;
                    int mx = (x + i) % w;                                   // steps move by a pixel a frame
                    double v = scene[size_t(y) * w + (y % 3 ? x : mx)];
                    if (v > 40 && v < 60000) v += (r.below(2001) - 1000) * 1e-3 * v * v * 4e-6 * (units / 0.001) + (r.below(200) == 0 ? 25 : 0);
                    int d = v < 0 ? 0 : v > 65535 ? 65535 : int(v);
                    if (flicker[k] >> (i % 8) & 1) d = 0;
                    if (r.below(97) == 0) d = 0;
                    z[k * 2] = uint8_t(d); z[k * 2 + 1] = uint8_t(d >> 8);
                    int light = 20 + 215 * x / w + r.below(21) - 10;
                    light = id ? light / 3 - 4 : light * 5 / 4;             // the second exposure is dark on the left, the first too bright on the right
                    y8[k] = uint8_t(light < 0 ? 0 : light > 255 ? 255 : light);
                }
            for (int y = 0; y < ch; ++y)
                for (int x = 0; x < cw; ++x)
                {
                    auto p = &c8[(size_t(y) * cw + x) * 3];
                    p[0] = uint8_t(x * 255 / cw); p[1] = uint8_t(y * 255 / ch); p[2] = uint8_t((x ^ y) * 3 + i * 16);
                }
            stereo.set_metadata(RS2_FRAME_METADATA_FRAME_COUNTER, 100 + i);
            stereo.set_metadata(RS2_FRAME_METADATA_FRAME_TIMESTAMP, 4000000 + i * 33333);
            stereo.set_metadata(RS2_FRAME_METADATA_SEQUENCE_SIZE, 2);
            stereo.set_metadata(RS2_FRAME_METADATA_SEQUENCE_ID, id);
            rgb.set_metadata(RS2_FRAME_METADATA_FRAME_COUNTER, 100 + i);
            push(stereo, dp, z, w * 2, 2, i);
            push(stereo, ip, y8, w, 1, i);
            push(rgb, cp, c8, cw * 3, 3, i);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        stereo.stop(); stereo.close();
        rgb.stop(); rgb.close();
    }
    return 0;
}

int usage()
{
    std::cerr << "usage: rs_process BAG --plan PLAN --out DIR | BAG --bench [--only WORD] [--count N] [--json FILE] | BAG --show | --make-bag OUT.bag [key=value ...]\n";
    return 2;
}

}  // namespace

int main(int argc, char** argv)
{
    std::string bag, plan, out, only, json, make;
    bool bench_mode = false, show = false;
    int count = 60;
    std::map<std::string, std::string> keys;
    for (int i = 1; i < argc; ++i)
    {
        std::string a = argv[i];
        if (a == "--plan" && i + 1 < argc) plan = argv[++i];
        else if (a == "--out" && i + 1 < argc) out = argv[++i];
        else if (a == "--only" && i + 1 < argc) only = argv[++i];
        else if (a == "--json" && i + 1 < argc) json = argv[++i];
        else if (a == "--count" && i + 1 < argc) count = std::stoi(argv[++i]);
        else if (a == "--make-bag" && i + 1 < argc) make = argv[++i];
        else if (a == "--bench") bench_mode = true;
        else if (a == "--show") show = true;
        else if (!make.empty() && a.find('=') != std::string::npos) keys[a.substr(0, a.find('='))] = a.substr(a.find('=') + 1);
        else if (a[0] == '-' || !bag.empty()) return usage();
        else bag = a;
    }
    try
    {
        rs2::log_to_callback(RS2_LOG_SEVERITY_ERROR, [](rs2_log_severity, const rs2::log_message& m) { std::cerr << "librealsense: " << m.raw() << "\n"; });
        if (!make.empty()) return make_bag(make, keys);
        if (bag.empty()) return usage();
        if (!plan.empty() && !out.empty()) return dump(bag, plan, out);
        if (bench_mode) return bench(bag, only, count, json);
        if (show)
        {
            Bag b(bag);
            std::cout << "depth units " << b.depth_scale << ", baseline " << b.baseline_mm << " mm\n" << b.json() << "\n";
            for (size_t i = 0; i < b.sets.size(); ++i)
                std::cout << i << ": depth " << number_of(b.sets[i].depth) << " colour " << number_of(b.sets[i].color) << " infrared " << number_of(b.sets[i].infra1) << "\n";
            return 0;
        }
        return usage();
    }
    catch (const rs2::error& e)
    {
        std::cerr << "librealsense error in " << e.get_failed_function() << "(" << e.get_failed_args() << "): " << e.what() << "\n";
        return 1;
    }
    catch (const std::exception& e)
    {
        std::cerr << "error: " << e.what() << "\n";
        return 1;
    }
}
