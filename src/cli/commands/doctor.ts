import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isObject } from "../../kernel/json.ts";
import { SERVICE } from "../../kernel/service.ts";
import type { Cli } from "../command.ts";
import { credentialsFile } from "../credentials.ts";
import { Failure } from "../failure.ts";
import { databaseUrl } from "../database-url.ts";
import { note, table } from "../results.ts";
import { example, group } from "../spec.ts";

/** What one look found: `warning` is worth knowing, `broken` must be fixed. */
interface Finding {
  readonly name: string;
  readonly state: "ok" | "warning" | "broken";
  readonly detail: string;
  readonly fix?: string;
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const CLOCK_SKEW_MS = 5_000;
const LITTLE_DISK = 500 * 1024 * 1024;

/** What is wrong with this set-up, and how to fix it. */
export const doctor = group("", {
  doctor: {
    summary: "Check this machine's set-up and say how to fix what is wrong.",
    about:
      "Looks at Node, the installation, the web build, the database, the port, the service, the key, the siblings, the clock, the disk and Chromium. Changes nothing. Ends with status 1 when something that is needed is broken.",
    access: "offline",
    examples: [example("Check everything", "", ["service", "database"])],
    async run(cli) {
      const findings = [
        node(),
        installation(),
        webBuild(),
        chromium(),
        disk(),
        await database(cli),
        ...(await service(cli)),
      ];
      const isBroken = findings.some(({ state }) => state === "broken");
      const fixes = findings.flatMap(({ name, fix }) => (fix === undefined ? [] : [note(`${name}: ${fix}`)]));
      return {
        envelope: { ok: !isBroken, data: { findings: findings.map(forScripts) } },
        view: [table({ CHECK: "name", STATE: "state", FOUND: "detail" }, findings), ...fixes],
        ...(isBroken && { status: 1 }),
      };
    },
  },
});

/** Scripts know the fix as `mend`. */
const forScripts = ({ fix, ...found }: Finding): object => ({
  ...found,
  ...(fix !== undefined && { mend: fix }),
});

const ok = (name: string, detail: string): Finding => ({ name, state: "ok", detail });
const warning = (name: string, detail: string, fix: string): Finding => ({
  name,
  state: "warning",
  detail,
  fix,
});
const broken = (name: string, detail: string, fix: string): Finding => ({
  name,
  state: "broken",
  detail,
  fix,
});

function node(): Finding {
  const { version } = process;
  const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
  if (major > 24 || (major === 24 && minor >= 7)) return ok("Node", version);
  return broken("Node", `${version} is too old`, "Install Node 24.7 or newer.");
}

function installation(): Finding {
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const wanted =
    isObject(manifest) && isObject(manifest["dependencies"]) ? Object.keys(manifest["dependencies"]) : [];
  const missing = wanted.filter((name) => !existsSync(join(ROOT, "node_modules", name)));
  if (missing.length === 0)
    return ok("Installation", `${wanted.length} packages, ${SERVICE.name} ${SERVICE.build}`);
  return broken("Installation", `${missing.join(", ")} missing`, `npm install in ${ROOT}`);
}

function webBuild(): Finding {
  const page = join(ROOT, "web", "dist", "index.html");
  if (existsSync(page)) return ok("Web app", `built ${statSync(page).mtime.toISOString()}`);
  return warning(
    "Web app",
    "not built",
    "npm start builds it; npm run build --workspace web does only that.",
  );
}

function chromium(): Finding {
  const places = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ];
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return ok("Chromium", found);
  return warning(
    "Chromium",
    "none in the usual places",
    "Only the browser tests need it: npx playwright install chromium",
  );
}

function disk(): Finding {
  const { bavail, bsize } = statfsSync(ROOT);
  const free = bavail * bsize;
  const detail = `${Math.round(free / 1024 / 1024)} MB free`;
  return free > LITTLE_DISK
    ? ok("Disk", detail)
    : broken("Disk", detail, "Make room; a full disk stops every write.");
}

async function database(cli: Cli): Promise<Finding> {
  const url = databaseUrl(cli.variables);
  if (url === "none")
    return warning(
      "Database",
      "DATABASE_URL is none: nothing is kept",
      "Unset DATABASE_URL, or name a database.",
    );
  try {
    const { databaseTarget } = await import("../../storage/open.ts");
    const target = databaseTarget(url);
    if (target.kind === "sqlite" && !existsSync(target.path)) return newDatabase(target.path);
    const { databaseStatus } = await import("../../storage/maintenance/check.ts");
    const { kind, schemaVersion, knownVersion, pending } = await databaseStatus(url);
    const detail = `${kind}, schema ${schemaVersion} of ${knownVersion}`;
    return pending.length === 0
      ? ok("Database", detail)
      : warning("Database", detail, "suitectl db migrate, or start the service.");
  } catch (error) {
    return broken(
      "Database",
      error instanceof Error ? error.message : "cannot be opened",
      "suitectl db check says more; db restore brings a backup back.",
    );
  }
}

function newDatabase(path: string): Finding {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
    return ok("Database", `${path} is made at the first start`);
  } catch {
    return broken("Database", `${folder} is not writable`, "Let this user write there, or set DATABASE_URL.");
  }
}

async function service(cli: Cli): Promise<readonly Finding[]> {
  const url = cli.url();
  const began = Date.now();
  let live: { readonly status: number; readonly date: string | undefined };
  try {
    const { Client } = await import("../client.ts");
    const response = await new Client(url, null).open({ method: "GET", path: "/livez" });
    live = { status: response.statusCode ?? 0, date: response.headers.date };
    response.resume();
  } catch {
    return [await port(url)];
  }
  const findings: Finding[] = [
    live.status === 200
      ? ok("Service", `answers at ${url}`)
      : broken("Service", `${url} answers ${live.status}`, "Read its log; another program may use the port."),
    clock(live.date, began),
  ];
  if (live.status !== 200) return findings;
  return [...findings, await storage(cli), await key(cli), await siblings(cli)];
}

/** Nothing answered: is the port free for the service to take? */
async function port(url: string): Promise<Finding> {
  const { hostname, port: given } = new URL(url);
  const local = /^(127\.|localhost$|\[::1\]$)/.test(hostname);
  const start =
    "Start it with npx workflow-ui (npm start in a clone), or name its address with --url or SUITE_URL.";
  if (!local) return broken("Service", `nothing answers at ${url}`, start);
  const { createServer } = await import("node:net");
  const free = await new Promise<boolean>((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(Number(given || 80), hostname.replace(/^\[|\]$/g, ""), () =>
      probe.close(() => resolve(true)),
    );
  });
  return free
    ? broken("Service", `not running; port ${given} is free`, start)
    : broken(
        "Service",
        `port ${given} is taken by another program`,
        "Start the service with PORT set to another one.",
      );
}

function clock(date: string | undefined, began: number): Finding {
  const theirs = Date.parse(date ?? "");
  const skew = Math.abs(theirs - began);
  if (Number.isNaN(skew))
    return warning("Clock", "the service does not say what time it has", "Nothing to do.");
  if (skew < CLOCK_SKEW_MS) return ok("Clock", "agrees with the service");
  return warning(
    "Clock",
    `${Math.round(skew / 1000)} s apart from the service`,
    "Set the clock; expiry times and proofs depend on it.",
  );
}

async function storage(cli: Cli): Promise<Finding> {
  try {
    const { data } = await cli.client().run("get_readiness", {});
    return ok("Readiness", `store ${data.store.kind}`);
  } catch (error) {
    return broken(
      "Readiness",
      error instanceof Error ? error.message : "not ready",
      "suitectl db check; is the disk full or read-only?",
    );
  }
}

async function key(cli: Cli): Promise<Finding> {
  try {
    const found = cli.key();
    if (found === null) return warning("Key", "none", "suitectl login, or set SUITE_API_KEY.");
    await cli.client().run("get_liveness", {});
    return ok("Key", `accepted, from ${found.from === "login" ? credentialsFile(cli.folder) : found.from}`);
  } catch (error) {
    const refused = error instanceof Failure ? error : null;
    return broken("Key", refused?.message ?? "cannot be used", refused?.info.next ?? "suitectl login");
  }
}

async function siblings(cli: Cli): Promise<Finding> {
  const { integrations } = (await cli.client().run("list_integrations", {})).data;
  const configured = integrations.filter((sibling) => sibling.configured);
  const failing = configured.filter((sibling) => sibling.observed.lastFailure !== null);
  const detail = `${configured.length} of ${integrations.length} configured`;
  if (failing.length > 0) {
    return warning(
      "Siblings",
      `${detail}; failed last: ${failing.map((sibling) => sibling.slug).join(", ")}`,
      "suitectl tools call get_integration_status --arg slug=NAME says why.",
    );
  }
  return configured.length > 0
    ? ok("Siblings", detail)
    : warning(
        "Siblings",
        detail,
        "What needs them answers degraded; npm start -- --with-suite starts reference siblings.",
      );
}
