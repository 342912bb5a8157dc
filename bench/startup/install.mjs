// npm run bench:install [-- TARBALL] [--rounds N] [--clone REPOSITORY] [--page FILE]: what a person waits for after
// `npx <tarball>`, in an empty folder, with the Node and npm of the machine. Without a tarball it packs one. With --clone
// also after `npm start` and `npm test` in a clone in an empty folder (--tests="--quick" runs a part of them). Plain
// JavaScript without packages, so that it also runs on a system that has nothing but its own Node 20, npm and git:
//   debootstrap --variant=minbase --include=ca-certificates,git,nodejs,npm trixie FOLDER
//   chroot FOLDER node install.mjs TARBALL --clone REPOSITORY --page install.md
// Round 0 fills npm's cache and does not count. Each round begins without an installed package, without the Node that
// the first start gets, and without data. Writes bench/results/install.md, or the file that --page names.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const FIRST_S = 30;
const SECOND_S = 2;
const GIVE_UP_MS = 900_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "3" },
    clone: { type: "string" },
    tests: { type: "string", default: "" },
    page: { type: "string" },
  },
});
const root = fileURLToPath(new URL("../../", import.meta.url));
const pageFile = resolve(values.page ?? join(root, "bench/results/install.md"));
const scratch = mkdtempSync(join(tmpdir(), "workflow-ui-install-"));
const home = join(scratch, "home");

function packed() {
  execFileSync("npm", ["run", "package", "--", scratch], { cwd: root, stdio: ["ignore", 2, 2] });
  return readdirSync(scratch)
    .filter((name) => name.endsWith(".tgz"))
    .map((name) => join(scratch, name))[0];
}

/** A package of one program that does nothing: what npm itself takes. */
function emptyPackage() {
  const folder = join(scratch, "nothing");
  mkdirSync(folder);
  writeFileSync(join(folder, "nothing.mjs"), "#!/usr/bin/env node\n");
  const manifest = { name: "nothing", version: "1.0.0", bin: "nothing.mjs" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  execFileSync("npm", ["pack"], { cwd: folder, stdio: "ignore" });
  return join(folder, "nothing-1.0.0.tgz");
}

/** A registry on loopback that has this one package, so that npm treats it as one that was published. */
async function registryOf(tarball) {
  const bytes = readFileSync(tarball);
  const manifest = JSON.parse(
    execFileSync("tar", ["-xOzf", tarball, "package/package.json"], { encoding: "utf8" }),
  );
  const { name, version } = manifest;
  const server = createServer((request, response) => {
    const tarballPath = `/${name}/-/${name}-${version}.tgz`;
    if (request.url === tarballPath) {
      response.end(bytes);
      return;
    }
    response.statusCode = request.url === `/${name}` ? 200 : 404;
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    const dist = { tarball: `http://${request.headers.host}${tarballPath}`, integrity };
    const versions = { [version]: { ...manifest, dist } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return { args: ["--yes", `--registry=http://127.0.0.1:${server.address().port}`, name] };
}

const env = {
  ...process.env,
  XDG_CACHE_HOME: join(home, ".cache"),
  npm_config_cache: join(scratch, "npm-cache"),
};

/** Seconds of processor time in the fields of a line in /proc: of the process, and from 13 on of children that ended. */
function processorOf(fields, from = 11) {
  return fields.slice(from, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

const fieldsOf = (id) => readFileSync(`/proc/${id}/stat`, "utf8").split(") ").at(-1).split(" ");

/** Seconds of processor time that a group of processes has had so far; others on the machine do not make it longer. */
function processorOfGroup(leader) {
  let sum = 0;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = fieldsOf(id);
      if (Number(fields[2]) === leader) sum += processorOf(fields);
    } catch {
      // It has ended; its parent has counted it.
    }
  }
  return sum;
}

/** Seconds from the command to the first page, and the processor time of all that it started until then. */
async function start(command, args, folder) {
  const began = performance.now();
  // A group of its own: npx starts a shell, which starts the program.
  const child = spawn(command, [...args, "--port", "0", "--no-open"], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  const ended = new Promise((done) => child.once("exit", done));
  const end = (signal) => child.pid !== undefined && process.kill(-child.pid, signal);
  const timer = setTimeout(() => end("SIGKILL"), GIVE_UP_MS);
  try {
    const url = await new Promise((done, fail) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        const found = / serves (http\S+)/.exec(line)?.[1];
        if (found !== undefined) done(found);
      });
      child.once("exit", (status) => fail(new Error(`${command} ended with ${status}`)));
    });
    const page = await (await fetch(url)).text();
    if (!page.includes("<title>")) throw new Error(`not the page: ${page.slice(0, 200)}`);
    const seconds = (performance.now() - began) / 1_000;
    return { seconds, processor: processorOfGroup(child.pid) };
  } finally {
    clearTimeout(timer);
    end("SIGTERM");
    await ended;
  }
}

/** Seconds of a command that ends, and the last line that it prints. */
function timed(command, args, folder = scratch) {
  const before = processorOf(fieldsOf("self"), 13);
  const began = performance.now();
  const { stdout, status } = spawnSync(command, args, {
    cwd: folder,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 28,
  });
  const seconds = (performance.now() - began) / 1_000;
  process.stderr.write(`${[command, ...args].join(" ")}: ${seconds.toFixed(2)} s\n`);
  return {
    seconds,
    processor: processorOf(fieldsOf("self"), 13) - before,
    status,
    last: stdout.trimEnd().split("\n").at(-1),
  };
}

/** What a clone in an empty folder needs until it serves, and until its tests have run. */
async function fromClone(repository) {
  const folder = join(scratch, "clone");
  execFileSync("git", ["clone", "--quiet", repository, folder], { stdio: ["ignore", 2, 2] });
  const first = await start("npm", ["start", "--"], folder);
  const second = await start("npm", ["start", "--"], folder);
  const tests = timed("npm", ["test", ...(values.tests === "" ? [] : ["--", values.tests])], folder);
  return { first, second, tests };
}

const median = (list) => [...list].sort((a, b) => a.seconds - b.seconds)[Math.floor(list.length / 2)];
const osName = () => /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];

/** Rows about the clone. */
function clonedRows({ first, second, tests }, row) {
  const command = `npm test${values.tests === "" ? "" : ` -- ${values.tests}`}`;
  return `${row("in a clone, `npm start`: installs, builds, serves", first)}
${row("in a clone, `npm start` again", second)}
${row(`in a clone, \`${command}\`: "${tests.last}"`, tests)}
`;
}

try {
  const tarball = resolve(positionals[0] ?? packed());
  const npx = ["--yes", "--package", tarball, "workflow-ui"];
  const nothing = emptyPackage();
  const published = await registryOf(tarball);
  const times = { first: [], second: [], again: [], alone: [], npm: [], node: [], version: [] };
  for (let round = 0; round <= Number(values.rounds); round++) {
    rmSync(home, { recursive: true, force: true });
    rmSync(join(scratch, "npm-cache", "_npx"), { recursive: true, force: true });
    const folder = mkdtempSync(join(scratch, "empty-"));
    const first = await start("npx", npx, folder);
    const second = await start("npx", npx, folder);
    const [installed] = readdirSync(join(scratch, "npm-cache", "_npx"));
    const npm = timed("npx", ["--yes", "--package", nothing, "nothing"], folder);
    const bin = join(scratch, "npm-cache", "_npx", installed, "node_modules", ".bin", "workflow-ui");
    const alone = await start(bin, [], folder);
    await start("npx", published.args, folder);
    const again = await start("npx", published.args, folder);
    process.stderr.write(
      `round ${round}: ${[first, second, again, alone, npm].map(({ seconds }) => seconds.toFixed(2)).join(", ")} s\n`,
    );
    if (round === 0) continue;
    times.first.push(first);
    times.second.push(second);
    times.again.push(again);
    times.alone.push(alone);
    times.npm.push(npm);
    times.node.push(timed("node", ["-e", "0"]));
    times.version.push(timed("npm", ["--version"]));
  }
  const load = loadavg()[0].toFixed(1);
  const cloned = values.clone === undefined ? undefined : await fromClone(values.clone);
  const npm = execFileSync("npm", ["--version"], { encoding: "utf8" }).trim();
  const row = (what, { seconds, processor }, wanted) =>
    `| ${what} | ${processor.toFixed(2)} | ${seconds.toFixed(2)} | ${wanted === undefined ? "" : `< ${wanted}`} | ${wanted === undefined ? "" : seconds < wanted ? "met" : "missed"} |`;
  const text = `# Install: from the npm package to the first page

\`npm run bench:install\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${osName()}, Node ${process.version}, npm ${npm}, load ${load}; medians of ${values.rounds} rounds in an empty folder, without data. npm's cache has what the first start downloads; the Node that runs the service is installed from it where the machine's is too old. npm unpacks a package that is a file at each start; one from a registry (here one on loopback that has this package) only when it is new. Processor time is that of the command and all that it starts: what others do on the machine makes the measured time longer, and that one hardly.

| what, in seconds | processor time | measured | wanted | |
|---|--:|--:|---|---|
${row("`npx <tarball>`, first start", median(times.first), FIRST_S)}
${row("`npx <tarball>`, second start", median(times.second), SECOND_S)}
${row("`npx workflow-ui` from a registry, second start", median(times.again), SECOND_S)}
${row("`workflow-ui`, installed before", median(times.alone), SECOND_S)}
${row("`npx` with a package that does nothing: npm itself", median(times.npm))}
${row("`npm --version`", median(times.version))}
${row("`node -e 0`", median(times.node))}
${cloned === undefined ? "" : clonedRows(cloned, row)}`;
  process.stdout.write(text);
  writeFileSync(pageFile, text);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
