import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { randomHex } from "../../src/kernel/ids.ts";
import { startSuite, SUITE_NAMES } from "./suite.ts";

/*
 * Starts the reference siblings, all in this process unless --only names some.
 *   npm run suite                          all of them, on ports 9101 to 9114
 *   npm run suite -- --only docs --port 0  one of them, on a free port
 * The key comes from SUITE_KEY, or is the first line of standard input with --key-from-stdin (the suite then ends
 * with that pipe); without either a new one is made and printed. The last line of the start is JSON.
 */

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    port: { type: "string", default: "9101" },
    "or-free": { type: "boolean", default: false },
    data: { type: "string", default: join(import.meta.dirname, "..", "data") },
    svc: { type: "string" },
    peers: { type: "string" },
    "key-from-stdin": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log(
    "npm run suite -- [--only name,name] [--port first-port|0] [--or-free] [--data folder] [--svc URL] [--peers JSON]",
  );
  process.exit(0);
}

const names = values.only === undefined ? SUITE_NAMES : values.only.split(",").map((name) => name.trim());
const unknown = names.filter((name) => !SUITE_NAMES.includes(name));
const firstPort = Number(values.port);
if (unknown.length > 0 || !Number.isInteger(firstPort) || firstPort < 0 || firstPort > 65_500) {
  console.error(
    `suite: unknown ${unknown.length > 0 ? `sibling ${unknown.join(", ")}` : `port ${values.port}`}.`,
  );
  process.exit(2);
}

const given = values["key-from-stdin"] ? await firstLine() : (process.env["SUITE_KEY"] ?? "");
const key = given === "" ? `suite_${randomHex(24)}` : given;
const peers: unknown = values.peers === undefined ? {} : JSON.parse(values.peers);
const suite = await startSuite({
  names,
  firstPort,
  orFree: values["or-free"],
  key,
  folder: values.data,
  peers: {
    ...(typeof peers === "object" && peers !== null
      ? Object.fromEntries(
          Object.entries(peers).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
        )
      : {}),
    ...(values.svc !== undefined && { svc: values.svc }),
  },
});

if (given === "") {
  for (const [name, url] of Object.entries(suite.urls)) {
    console.log(`SUITE_${name.toUpperCase()}_URL=${url}`);
    console.log(`SUITE_${name.toUpperCase()}_KEY=${key}`);
  }
}
console.log(JSON.stringify({ ready: true, urls: suite.urls }));

const stop = (): void => {
  suite.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
// Started by the service, the suite ends with it: the pipe closes also when the parent was killed.
if (values["key-from-stdin"]) process.stdin.on("end", stop).resume();

function firstLine(): Promise<string> {
  return new Promise((done) => {
    createInterface({ input: process.stdin }).once("line", (line) => done(line.trim()));
  });
}
