// Prints the rows of a Parquet file as JSON, one in each line, read by hyparquet. Instants become nanoseconds as far as
// it tells them, bytes base64.
//
//   node peer.mjs FILE.parquet
//
// RS_NODE_MODULES names the folder with the libraries.
import path from "node:path";
import { pathToFileURL } from "node:url";

const load = (name, file) => import(pathToFileURL(path.join(process.env.RS_NODE_MODULES, name, "src", file)).href);
const { parquetReadObjects } = await load("hyparquet", "index.js");
const { asyncBufferFromFile } = await load("hyparquet", "node.js");
const { compressors } = await load("hyparquet-compressors", "index.js");

const plain = (v) => {
  if (typeof v === "bigint") return Number(v);
  if (v instanceof Date) return v.getTime();
  if (v instanceof Uint8Array) return Buffer.from(v).toString("base64");
  if (Array.isArray(v)) return v.map(plain);
  if (v && typeof v === "object") return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, plain(x)]));
  return v;
};
const rows = await parquetReadObjects({ file: await asyncBufferFromFile(process.argv[2]), compressors, utf8: false });
for (const row of rows) console.log(JSON.stringify(plain(row)));
