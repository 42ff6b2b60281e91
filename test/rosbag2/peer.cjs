// Reads and writes recordings of ROS 2 with the libraries of Foxglove and Lichtblick.
//
//   node peer.cjs read FILE.db3|FILE.mcap    a line for each message: time, topic, SHA-1
//                                            of its bytes; then what else is in the file
//   node peer.cjs write FILE.mcap            100 messages, an attachment, a metadata record
//
// RS_NODE_MODULES names the folder with the libraries.
"use strict";
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");
const load = (name) => require(path.join(process.env.RS_NODE_MODULES, name));
const { parse } = load("@foxglove/rosmsg");
const { MessageReader, MessageWriter } = load("@foxglove/rosmsg2-serialization");
const { McapIndexedReader, McapWriter, TempBuffer } = load("@mcap/core");
const { loadDecompressHandlers } = load("@mcap/support");

const sha = (data) => crypto.createHash("sha1").update(data).digest("hex");
const line = (time, topic, data) => process.stdout.write(`${time} ${topic} ${sha(data)}\n`);

async function readMcap(file) {
  const bytes = fs.readFileSync(file);
  const readable = {
    size: async () => BigInt(bytes.length),
    read: async (at, n) => new Uint8Array(bytes.buffer, bytes.byteOffset + Number(at), Number(n)),
  };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers: await loadDecompressHandlers() });
  const readers = new Map();
  for await (const m of reader.readMessages()) {
    const channel = reader.channelsById.get(m.channelId);
    if (!readers.has(m.channelId)) {
      const schema = reader.schemasById.get(channel.schemaId);
      readers.set(m.channelId, new MessageReader(parse(new TextDecoder().decode(schema.data), { ros2: true })));
    }
    readers.get(m.channelId).readMessage(m.data);
    line(m.logTime, channel.topic, m.data);
  }
  for await (const a of reader.readAttachments()) process.stdout.write(`attachment ${a.name} ${sha(a.data)}\n`);
  for await (const m of reader.readMetadata()) process.stdout.write(`metadata ${m.name}\n`);
}

async function readDb3(file) {
  const { SqliteSqljs } = load("@foxglove/rosbag2-web");
  const wasmBinary = fs.readFileSync(path.join(process.env.RS_NODE_MODULES, "@foxglove/sql.js/dist/sql-wasm.wasm"));
  await SqliteSqljs.Initialize({ wasmBinary });
  const db = new SqliteSqljs(new Uint8Array(fs.readFileSync(file)));
  await db.open();
  for await (const m of db.readMessages()) line(BigInt(m.timestamp.sec) * 1000000000n + BigInt(m.timestamp.nsec), m.topic.name, m.data);
  await db.close();
}

async function write(file) {
  const definition = "builtin_interfaces/Time stamp\nstring text\nfloat64[] values\nuint8[3] fixed\n" +
    "================================================================================\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n";
  const out = new TempBuffer();
  const writer = new McapWriter({ writable: out, chunkSize: 1000 });
  await writer.start({ profile: "ros2", library: "peer" });
  const schemaId = await writer.registerSchema({ name: "peer_msgs/msg/Own", encoding: "ros2msg", data: new TextEncoder().encode(definition) });
  const channelId = await writer.registerChannel({ topic: "/own", messageEncoding: "cdr", schemaId, metadata: new Map() });
  await writer.addAttachment({ name: "notes.txt", mediaType: "text/plain", logTime: 1n, createTime: 2n, data: new TextEncoder().encode("hello") });
  await writer.addMetadata({ name: "run", metadata: new Map([["place", "yard"]]) });
  const encoder = new MessageWriter(parse(definition, { ros2: true }));
  for (let i = 0; i < 100; i++) {
    const data = encoder.writeMessage({ stamp: { sec: 1700000000, nanosec: i, nsec: i }, text: `text ${i}`, values: [i, i / 2], fixed: [1, 2, i] });
    await writer.addMessage({ channelId, sequence: i, logTime: 1700000000000000000n + BigInt(i), publishTime: 0n, data });
  }
  await writer.end();
  fs.writeFileSync(file, out.get());
}

const [what, file] = process.argv.slice(2);
const job = what === "write" ? write(file) : file.endsWith(".mcap") ? readMcap(file) : readDb3(file);
job.catch((err) => {
  console.error(err);
  process.exit(1);
});
