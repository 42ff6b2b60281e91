// Connects to a server with the client that Lichtblick uses, subscribes to all topics
// of a list, and prints what came as JSON:
//   node client.cjs URL TOPIC,… MESSAGES SERVICE PARAMETER
// It ends after that many messages, with the answer of a call of the service, what the
// parameter is after it was set to 2.5, and the connection graph.
const { createHash } = require("crypto");
const path = require("path");
const modules = process.env.RS_NODE_MODULES;
const { FoxgloveClient } = require(path.join(modules, "@foxglove/ws-protocol"));
const { WebSocket } = require(path.join(modules, "ws"));

const [url, topics, count, service, parameter] = process.argv.slice(2);
const wanted = new Set(topics.split(","));
const result = { subprotocol: "", messages: {}, channels: {}, errors: [] };
const socket = new WebSocket(url, ["foxglove.websocket.v1", "foxglove.sdk.v1"]);
const client = new FoxgloveClient({ ws: socket });
const ids = new Map();
let left = Number(count);

function finish() {
  if (left > 0 || result.response === undefined || result.parameter === undefined || result.graph === undefined) return;
  result.subprotocol = socket.protocol;
  console.log(JSON.stringify(result));
  process.exit(0);
}

client.on("error", (e) => result.errors.push(String(e.message ?? e)));
client.on("serverInfo", (info) => {
  result.serverInfo = info;
  client.subscribeConnectionGraph();
  client.setParameters([{ name: parameter, value: 2.5, type: "float64" }], "set");
});
client.on("parameterValues", ({ parameters, id }) => {
  if (id === "set") {
    result.parameter = parameters[0];
    finish();
  }
});
client.on("connectionGraphUpdate", (graph) => {
  result.graph ??= graph;
  finish();
});
client.on("advertise", (channels) => {
  for (const c of channels) {
    if (!wanted.has(c.topic)) continue;
    result.channels[c.topic] = c;
    result.messages[c.topic] = [];
    ids.set(client.subscribe(c.id), c.topic);
  }
});
client.on("message", ({ subscriptionId, timestamp, data }) => {
  const hash = createHash("sha256").update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)).digest("hex");
  result.messages[ids.get(subscriptionId)].push(`${timestamp} ${hash}`);
  left--;
  finish();
});
client.on("advertiseServices", (services) => {
  for (const s of services) {
    if (s.name !== service) continue;
    client.sendServiceCallRequest({ serviceId: s.id, callId: 1, encoding: "ros1", data: new DataView(new Uint8Array([0]).buffer) });
  }
});
client.on("serviceCallResponse", (r) => {
  result.response = Buffer.from(r.data.buffer, r.data.byteOffset, r.data.byteLength).toString("hex");
  finish();
});
