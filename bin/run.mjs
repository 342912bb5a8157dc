// What both programs begin with: plain JavaScript for whatever Node (20 or newer) the machine has. A Node that is too
// old hands over to a newer one, which a clone has among its packages and an installed package gets once from npm.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The first Node with everything that the service uses: SQLite, argon2, type stripping (docs/adr/0004). */
const OLDEST = [24, 7];

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Installed packages have no sources. */
export const isClone = existsSync(join(root, "src"));

/** Whether this Node can run the service; if not, the program has been handed over to one that can. */
export function isNodeNewEnough(program) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return true;
  handOver(isClone ? nodeOfClone() : nodeFromNpm(), [fileURLToPath(program), ...process.argv.slice(2)]);
  return false;
}

function nodeOfClone() {
  const node = join(root, "node_modules", ".bin", "node");
  if (!existsSync(node)) fail(`Run npm install in ${root}, which brings the right Node along.`);
  return node;
}

/** The Node in this user's cache, put there when it is missing; the lock file says which bytes npm may take for it. */
function nodeFromNpm() {
  const lock = join(root, "bin", "node24");
  const wanted = JSON.parse(readFileSync(join(lock, "package.json"), "utf8"));
  const name = `node-${process.platform}-${process.arch}`;
  if (!(name in wanted.optionalDependencies)) fail("Install a newer Node.");
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "workflow-ui");
  const folder = join(cache, `node-${wanted.version}`);
  const node = join(folder, "node_modules", name, "bin", "node");
  if (existsSync(node)) return node;
  process.stderr.write(
    `Workflow-UI needs Node ${OLDEST.join(".")} or newer; this is ${process.version}. Getting Node ${wanted.version} from npm, once, into ${cache} … `,
  );
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  cpSync(lock, unfinished, { recursive: true });
  // npx has set these for the package that it runs.
  const { npm_config_global: _global, npm_config_prefix: _prefix, ...env } = process.env;
  const flags = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = spawnSync("npm", flags, { cwd: unfinished, env, encoding: "utf8" });
  if (npm.status !== 0 || !existsSync(join(unfinished, "node_modules", name))) {
    rmSync(unfinished, { recursive: true, force: true });
    process.stderr.write(`failed\n${npm.stderr ?? npm.error?.message ?? ""}`);
    fail(
      "Install a newer Node, or try again where npm can reach its registry; npm ping says whether it can. Behind a proxy with a certificate of its own: npm config set cafile FILE.",
    );
  }
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another start was quicker, or left something behind that is not whole.
    if (!existsSync(node)) throw error;
    rmSync(unfinished, { recursive: true, force: true });
  }
  process.stderr.write("done\n");
  return node;
}

/** The same terminal, the same signals, the same exit code. */
function handOver(node, argv) {
  const child = spawn(node, argv, { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to both of us; only what comes from elsewhere is passed on.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  child.on("error", (error) => fail(error.message));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
}

function fail(next) {
  process.stderr.write(
    `Workflow-UI needs Node ${OLDEST.join(".")} or newer; this is ${process.version}. ${next}\n`,
  );
  process.exit(1);
}
