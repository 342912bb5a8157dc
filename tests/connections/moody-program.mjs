import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { createInterface } from "node:readline";

/* An MCP server over stdio that sleeps, dies, changes its list, remembers its callers and answers with too much. */

const tools = [
  "sleep",
  "echo",
  "die",
  "grow",
  "flood",
  "values",
  "remember",
  "picture",
  "ids",
  "listed",
  "surroundings",
];
const remembered = [];
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (id, value) => send({ id, result: { content: [{ type: "text", text: String(value) }] } });
const OBJECT = { type: "object", properties: { value: {} } };

const calls = {
  sleep: (id) => void setTimeout(() => text(id, "awake"), 60_000),
  echo: (id, { value, ms = 0 }) => void setTimeout(() => text(id, `${value} of ${process.pid}`), ms),
  die() {
    process.stderr.write("fatal: the licence key sk-hidden-value-1 is not valid\n");
    process.exit(3);
  },
  grow(id) {
    tools.push("grown");
    send({ method: "notifications/tools/list_changed" });
    text(id, "grown");
  },
  flood(id) {
    const line = `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })}\n`;
    for (let at = 0; at < 20; at++) process.stdout.write(line.repeat(1_000));
    text(id, "flooded");
  },
  values(id, { value }) {
    const items = Array.from({ length: Number(value) }, (_, at) => ({ at }));
    send({ id, result: { content: [], structuredContent: { items } } });
  },
  remember(id, { value }) {
    remembered.push(value);
    text(id, remembered.join(","));
  },
  picture: (id) =>
    send({
      id,
      result: { content: [{ type: "image", mimeType: "image/png", data: "A".repeat(5_000_000) }] },
    }),
  ids: (id) =>
    // As a program with 64-bit integers writes it.
    process.stdout.write(
      `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"id":9007199254740993,"ids":[-9223372036854775807],"even":9007199254740994,"small":1}}}\n`,
    ),
  surroundings(id) {
    const { HOME, API_TOKEN = "", REGION } = process.env;
    const mode = (statSync(process.cwd()).mode & 0o777).toString(8);
    // Digests: what repeats a secret is taken out of an answer.
    const digest = (value) => createHash("sha256").update(value).digest("hex");
    const args = process.argv.slice(2);
    text(
      id,
      JSON.stringify({
        home: HOME,
        cwd: process.cwd(),
        mode,
        region: REGION,
        token: digest(API_TOKEN),
        args: digest(args.join(" ")),
        echo: `${API_TOKEN} ${btoa(API_TOKEN)} ${args.join(" ")}`,
      }),
    );
  },
  listed(id, { value }) {
    for (let at = 0; at < Number(value); at++) tools.push(`tool${at}`);
    text(id, tools.length);
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: "moody", version: "1" };
    send({ id, result: { protocolVersion: "2025-11-25", capabilities, serverInfo } });
  } else if (method === "tools/list")
    send({
      id,
      result: {
        tools: tools.map((name) => ({
          name,
          inputSchema: OBJECT,
          ...(name === "ids" && {
            outputSchema: { type: "object", properties: { id: { type: "integer" } } },
          }),
          annotations: { readOnlyHint: true },
        })),
      },
    });
  else if (method === "tools/call") calls[params.name](id, params.arguments);
  else if (method === "ping") send({ id, result: {} });
  else if (id !== undefined) send({ id, error: { code: -32601, message: "unknown" } });
});
