import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse } from "yaml";
import { freePort } from "../support/ports.ts";
import { testPostgres } from "../support/postgres.ts";

/*
 * The image: deploy/Dockerfile is built and started with podman, where there is one, on a base that is made of this
 * machine's files, so that no registry is needed. What the base would bring (Node and a shell) is not under test.
 */

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const folder = await mkdtemp(path.join(tmpdir(), "image-"));
const id = path.basename(folder).toLowerCase();
const [BASE, IMAGE] = [`localhost/${id}-base`, `localhost/${id}`];
/** Lower than what a container asks for by itself, which not every machine may grant. */
const LIMITS = ["--ulimit=nofile=10000:10000", "--ulimit=nproc=5000:5000"];
const LOCKED = ["--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges"];
/** Debian has both; crun cannot start on every arrangement of control groups. */
const RUNTIME = existsSync("/usr/sbin/runc") || existsSync("/usr/bin/runc") ? ["--runtime=runc"] : [];
let missing: string | null = null;

async function podman(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run("podman", [...RUNTIME, ...args], { timeout: 600_000 });
  // The log of a container comes on both.
  return args[0] === "logs" ? stdout + stderr : stdout.trim();
}

before(async () => {
  missing = await prepare().catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    return text.includes("ENOENT")
      ? "no podman"
      : `podman starts no container here: ${text.split("\n").at(-1)}`;
  });
  if (missing !== null) return;
  const context = path.join(folder, "context");
  await run(process.execPath, ["scripts/package.ts", path.join(context, "release")], { cwd: ROOT });
  const file = path.join(ROOT, "deploy/Dockerfile");
  const flags = ["--format=docker", "--isolation=chroot", `--build-arg=BASE=${BASE}`, `--tag=${IMAGE}`];
  await podman("build", ...flags, `--file=${file}`, context);
});
after(async () => {
  await rm(folder, { recursive: true, force: true });
  for (const image of missing === null ? [IMAGE, BASE] : [])
    await podman("rmi", "--force", image).catch(() => undefined);
});

/** Makes the base and starts it once; null when that works. */
async function prepare(): Promise<null> {
  await podman("--version");
  const root = path.join(folder, "root");
  const programs = ["/bin/sh", "/bin/mkdir", "/bin/ln", "/bin/tar", "/bin/gzip", "/usr/bin/env"];
  for (const [file, target] of [
    ...programs.map((each) => [each, each]),
    [process.execPath, "/usr/bin/node"],
  ]) {
    const real = realpathSync(file ?? "");
    const libraries = execFileSync("ldd", [real], { encoding: "utf8" }).match(/\/\S+/g) ?? [];
    for (const [from, to] of [[real, target ?? ""], ...libraries.map((each) => [each, each])]) {
      const place = path.join(root, to ?? "");
      mkdirSync(path.dirname(place), { recursive: true });
      cpSync(realpathSync(from ?? ""), place);
    }
  }
  mkdirSync(path.join(root, "tmp"), { mode: 0o1777 });
  writeFileSync(
    path.join(root, "Dockerfile"),
    "FROM scratch\nCOPY . /\nENV PATH=/usr/local/bin:/usr/bin:/bin\n",
  );
  await podman("build", "--isolation=chroot", "--tag", BASE, root);
  await podman("run", "--rm", ...LIMITS, "--network=host", BASE, "node", "--version");
  return null;
}

test("the image says what an operator relies on", async (t) => {
  if (missing !== null) return t.skip(missing);
  const [image] = JSON.parse(await podman("inspect", IMAGE));
  const { Config: config } = image;
  assert.equal(config.User, "10001:10001");
  assert.deepEqual(Object.keys(config.Volumes), ["/data"]);
  assert.deepEqual(Object.keys(config.ExposedPorts), ["8080/tcp"]);
  assert.equal(config.StopSignal, "SIGTERM");
  assert.ok(image.HealthCheck ?? image.Healthcheck ?? config.Healthcheck);
});

test("it serves as a user without rights from a read-only root, and keeps its data on the volume", async (t) => {
  if (missing !== null) return t.skip(missing);
  const port = String(await freePort());
  const settings = [`--env=PORT=${port}`, "--env=HOST=127.0.0.1", `--volume=${id}:/data`, "--network=host"];
  const begin = (): Promise<string> => podman("run", "--detach", ...LIMITS, ...LOCKED, ...settings, IMAGE);
  let container = await begin();
  t.after(async () => {
    await podman("rm", "--force", container);
    await podman("volume", "rm", "--force", id);
  });
  const url = `http://127.0.0.1:${port}`;
  await answers(url);
  const log = await podman("logs", container);
  assert.match(log, /\/join#/);
  assert.match(log, /Data: \/data\/workflow-ui\.db/);
  const key = /once: (suite_live_\S+)/.exec(log)?.[1] ?? "";
  // The health check of the image and suitectl, inside of it.
  await podman("healthcheck", "run", container);
  const status = await podman("exec", `--env=SUITE_URL=${url}`, container, "suitectl", "status", "--json");
  assert.equal(JSON.parse(status).ok, true);
  const whoami = `console.log(process.getuid()); try { require("fs").writeFileSync("/app/x", ""); } catch (e) { console.log(e.code); }`;
  assert.match(await podman("exec", container, "node", "-e", whoami), /^10001\n(EROFS|EACCES)$/);

  await podman("stop", "--time=40", container);
  assert.equal(await podman("inspect", container, "--format={{.State.ExitCode}}"), "0");
  await podman("rm", container);
  container = await begin();
  await answers(url);
  const kept = await fetch(`${url}/api/svc/keys`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(kept.status, 200);
});

/** The flags of podman that say the same as the compose file about its service `app`. */
function flagsOfCompose(values: Readonly<Record<string, string>>): readonly string[] {
  const { app } = parse(readFileSync(path.join(ROOT, "deploy/compose.yaml"), "utf8")).services;
  assert.equal(app.image, "workflow-ui");
  const filled = (text: string): string =>
    text.replaceAll(/\$\{(\w+):[?-]([^}]*)\}/g, (_, name: string, other: string) => values[name] ?? other);
  return [
    ...Object.entries(app.environment).map(([name, value]) => `--env=${name}=${filled(String(value))}`),
    ...(app.read_only === true ? ["--read-only"] : []),
    ...app.tmpfs.map((each: string) => `--tmpfs=${each}`),
    ...app.cap_drop.map((each: string) => `--cap-drop=${each}`),
    ...app.security_opt.map((each: string) => `--security-opt=${each.replace(":true", "")}`),
  ];
}

test("as the compose file starts it, it keeps everything in PostgreSQL", async (t) => {
  if (missing !== null) return t.skip(missing);
  const server = await testPostgres();
  t.after(() => server.stop());
  const database = new URL(await server.createDatabase());
  const port = String(await freePort());
  const flags = flagsOfCompose({ POSTGRES_PASSWORD: "of-the-test", SVC_MASTER_KEY: "ab".repeat(32) }).map(
    // In compose the database is the service `db`; here it is the server of the tests on this machine.
    (flag) => (flag.startsWith("--env=DATABASE_URL=") ? `--env=DATABASE_URL=${database.href}` : flag),
  );
  const settings = [`--env=PORT=${port}`, "--env=HOST=127.0.0.1", "--network=host"];
  const begin = (): Promise<string> => podman("run", "--detach", ...LIMITS, ...flags, ...settings, IMAGE);
  let container = await begin();
  t.after(() => podman("rm", "--force", container));
  const url = `http://127.0.0.1:${port}`;
  await answers(url);
  const key = /once: (suite_live_\S+)/.exec(await podman("logs", container))?.[1] ?? "";
  await podman("rm", "--force", container);
  // Nothing but the database is left of the first one.
  container = await begin();
  await answers(url);
  const kept = await fetch(`${url}/api/svc/keys`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(kept.status, 200);
});

async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    if (response?.status === 200) return;
    await sleep(200);
  }
  assert.fail("the container does not answer");
}
