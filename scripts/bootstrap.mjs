// Makes a fresh clone ready and then does what was asked. Plain JavaScript on purpose: it is the only file that
// runs before anything is installed, on whatever Node (20 or newer) the machine has.
//   node scripts/bootstrap.mjs start [flags for the service]
//   node scripts/bootstrap.mjs suite [flags for the reference siblings]
//   node scripts/bootstrap.mjs test [test files]
//   node scripts/bootstrap.mjs check [--fix]
//   node scripts/bootstrap.mjs package [folder]
//   node scripts/bootstrap.mjs run <script.ts> [arguments]
//   node scripts/bootstrap.mjs bench <script.ts> [arguments]
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, "node_modules", ".bin", name);
const node24 = bin("node");

if (Number(process.versions.node.split(".")[0]) < 20) {
  console.error(`Workflow-UI needs Node 20 or newer to set itself up; this is ${process.version}.`);
  process.exit(2);
}

const [task, ...args] = process.argv.slice(2);
switch (task) {
  case "start":
    // Answered by the program itself, before anything is installed or built.
    if (args.some((arg) => ["--help", "-h", "--version", "-v"].includes(arg))) {
      await import("../bin/workflow-ui.mjs");
      break;
    }
    install("production");
    if (args.includes("--with-suite") || process.env.SVC_WITH_SUITE === "true") installPackage("suite");
    buildWeb();
    packServer();
    // Why a pack and not the sources: docs/adr/0002.
    become([join(root, "bin/workflow-ui.mjs"), ...args]);
    break;
  case "suite":
    install("production");
    installPackage("suite");
    become([join(root, "suite/src/main.ts"), ...args]);
    break;
  case "test":
    install("full");
    installPackage("suite");
    if (args.some((arg) => ["--all", "--rest"].includes(arg) || arg.includes("generated-client")))
      installPackage("bench/generated-client", true);
    buildWeb();
    provideChromium();
    become([join(root, "scripts/test.ts"), ...args]);
    break;
  case "check":
    install("full");
    installPackage("suite");
    become([join(root, "scripts/check.ts"), ...args]);
    break;
  case "package":
    install("production");
    buildWeb();
    become([join(root, "scripts/package.ts"), ...args]);
    break;
  case "run":
    install("full");
    // The pictures show the reference siblings.
    if (args.some((arg) => arg.includes("screenshots"))) {
      installPackage("suite");
      buildWeb();
    }
    become(args);
    break;
  case "bench":
    install("full");
    installPackage("bench");
    become(args);
    break;
  default:
    console.error("usage: bootstrap.mjs start|suite|test|check|package|run|bench [arguments]");
    process.exit(2);
}

/** Installs the root's packages unless the lock file they came from is the one that is here now. */
function install(mode) {
  const stamp = join(root, "node_modules", ".installed.json");
  const lock = hashOf(join(root, "package-lock.json"));
  const have = readStamp(stamp);
  // Who has everything keeps everything.
  if (have.mode === "full") mode = "full";
  if (have.lock === lock && have.mode === mode && existsSync(node24)) return;
  const what =
    mode === "full" ? "everything, test tools included" : "what the service needs, Node 24 included";
  step(`Installing ${what}`, "npm", ["ci", ...(mode === "full" ? [] : ["--omit=dev"])], root);
  writeFileSync(stamp, JSON.stringify({ lock, mode }));
}

/** Installs a package that is not part of the root's tree: `bench`, `bench/generated-client`, `suite` or `tests/chromium`. */
function installPackage(folder, isOptional = false) {
  const lockFile = join(root, folder, "package-lock.json");
  if (!existsSync(lockFile)) return false;
  const stamp = join(root, folder, "node_modules", ".installed.json");
  const lock = hashOf(lockFile);
  if (readStamp(stamp).lock === lock) return true;
  if (!step(`Installing ${folder}/`, "npm", ["ci"], join(root, folder), isOptional)) return false;
  writeFileSync(stamp, JSON.stringify({ lock }));
  return true;
}

/**
 * A Chromium for the browser tests: one that is here, or npm's (Linux on x64), or Debian's where root may install it.
 * Without any the tests say which of them they skipped.
 */
function provideChromium() {
  const unpacked = join(root, "node_modules", ".cache", "chromium");
  const usual = ["chromium", "chromium-browser", "chromium-headless-shell", "google-chrome"];
  const known = [
    process.env.CHROMIUM_PATH ?? "",
    join(unpacked, "run"),
    ...usual.map((name) => `/usr/bin/${name}`),
  ];
  if (process.platform !== "linux" || known.some((path) => path !== "" && existsSync(path))) return;
  if (process.arch === "x64" && installPackage("tests/chromium", true)) {
    const unpack = [join(root, "tests/chromium/unpack.mjs"), unpacked];
    if (step("Unpacking Chromium", node24, unpack, root, true)) return;
  }
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  const command = "apt-get update -qq && apt-get install -y -qq --no-install-recommends";
  step(
    "Installing Debian's Chromium",
    "sh",
    ["-c", `${command} chromium-headless-shell fonts-dejavu-core`],
    root,
    true,
  );
}

/** Builds the web app when one of its sources is newer than the last build. */
function buildWeb() {
  if (!existsSync(join(root, "web", "vite.config.ts"))) return;
  const stamp = join(root, "web", "dist", ".built.json");
  const sources = [
    "web/src",
    "web/build",
    "web/public",
    "web/index.html",
    "web/form.html",
    "web/vite.config.ts",
    "web/package.json",
    // The pages at /docs.
    "docs",
    "bench/results",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    // The parts of the service that the web app shares.
    "packages/client",
    "packages/forms/src",
    "packages/forms-react/src",
    "packages/forms-react/controls.css",
    "packages/forms-react/theme.css",
    "packages/forms-react/tokens.css",
    "src/sources",
    "src/workflows",
    "src/provenance",
    "src/kernel",
    "package-lock.json",
  ];
  const listing = createHash("sha256");
  for (const source of sources) digestTree(join(root, source), listing);
  const digest = listing.digest("hex");
  if (readStamp(stamp).digest === digest) return;
  step("Building the web app", "npm", ["run", "build", "--workspace", "web"], root);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, JSON.stringify({ digest }));
}

/** Packs the server into a few files when one of its sources is newer than the last pack: it starts twice as fast. */
function packServer() {
  const stamp = join(root, "dist", ".packed.json");
  const listing = createHash("sha256");
  for (const source of [
    "src",
    "packages/client",
    "packages/forms/src",
    "scripts/pack-server.ts",
    "package-lock.json",
  ])
    digestTree(join(root, source), listing);
  const digest = listing.digest("hex");
  if (readStamp(stamp).digest === digest && existsSync(join(root, "dist/main.mjs"))) return;
  step("Packing the server", node24, [join(root, "scripts/pack-server.ts")], root);
  writeFileSync(stamp, JSON.stringify({ digest }));
}

/** Names, sizes and times are enough to see a change, and cost a few milliseconds. */
function digestTree(path, hash) {
  if (!existsSync(path)) return;
  const info = statSync(path);
  if (!info.isDirectory()) {
    hash.update(`${path}\0${info.size}\0${info.mtimeMs}\n`);
    return;
  }
  for (const name of readdirSync(path).sort()) digestTree(join(path, name), hash);
}

function hashOf(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

/** Runs one set-up command, says what it is and how long it took, and shows its output only when it fails, which ends all unless it is optional. */
function step(title, command, commandArgs, cwd, isOptional = false) {
  const began = Date.now();
  process.stderr.write(`${title} … `);
  const ticker = process.stderr.isTTY ? spawnTicker() : null;
  const result = spawnSync(command, commandArgs, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}` },
  });
  ticker?.kill();
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  if (result.status === 0) {
    process.stderr.write(`done in ${seconds} s\n`);
    return true;
  }
  process.stderr.write(`failed after ${seconds} s\n${result.stdout ?? ""}${result.stderr ?? ""}`);
  process.stderr.write(`\nThe command was: ${command} ${commandArgs.join(" ")}   (in ${cwd})\n`);
  if (isOptional) return false;
  process.exit(1);
}

/** spawnSync blocks this process, so the sign of life comes from a second one. */
function spawnTicker() {
  const code = `setInterval(() => process.stderr.write("."), 1000)`;
  return spawn(process.execPath, ["-e", code], { stdio: ["ignore", "ignore", "inherit"] });
}

/** Hands over to Node 24: same terminal, same signals, same exit code. */
function become(argv) {
  // A fixed threshold: else the C library keeps the memory of large inputs for good.
  const child = spawn(node24, argv, {
    cwd: root,
    stdio: "inherit",
    env: {
      MALLOC_MMAP_THRESHOLD_: "262144",
      ...process.env,
      PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}`,
    },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
}
