// Reads Parquet files with hyparquet and with parquet-wasm, and fails unless both read the same. Prints the rows of each
// file as JSON in one line, in which bytes are base64, and before them the file's metadata.
//
//   node peer.mjs FILE.parquet …
//
// RS_NODE_MODULES names the folder with the libraries.
import assert from "node:assert";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const load = (...file) => import(pathToFileURL(path.join(process.env.RS_NODE_MODULES, ...file)).href);
const { parquetReadObjects, parquetMetadataAsync } = await load("hyparquet", "src", "index.js");
const { asyncBufferFromFile } = await load("hyparquet", "src", "node.js");
const { compressors } = await load("hyparquet-compressors", "src", "index.js");
const { readParquet } = await load("parquet-wasm", "node", "parquet_wasm.js");
const { tableFromIPC } = await load("apache-arrow", "Arrow.node.mjs");

const plain = (v) => {
  if (typeof v === "bigint") return Number(v);
  if (v instanceof Uint8Array) return Buffer.from(v).toString("base64");
  if (ArrayBuffer.isView(v)) return Array.from(v, plain);
  if (typeof v?.toJSON === "function") return plain(v.toJSON());
  if (Array.isArray(v)) return v.map(plain);
  if (v && typeof v === "object") return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, plain(x)]));
  return v;
};
for (const name of process.argv.slice(2)) {
  const file = await asyncBufferFromFile(name);
  const rows = plain(await parquetReadObjects({ file, compressors, utf8: false }));
  const table = tableFromIPC(readParquet(new Uint8Array(readFileSync(name))).intoIPCStream());
  assert.deepStrictEqual(plain(table.toArray().map((row) => row.toJSON())), rows);
  const { key_value_metadata: metadata = [] } = await parquetMetadataAsync(file);
  console.log(JSON.stringify({ metadata: Object.fromEntries(metadata.map(({ key, value }) => [key, value])), rows }));
}
