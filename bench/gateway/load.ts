import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** What one burst of load showed. */
export interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not 2xx, and connections that broke. */
  readonly failures: number;
}

/** A request that is sent again and again. */
export interface LoadRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
}

const run = promisify(execFile);

/** Loads with wrk where it is installed, else with autocannon. */
export async function load(request: LoadRequest): Promise<Load> {
  return (await hasWrk()) ? withWrk(request) : withAutocannon(request);
}

/** The generator's name, for the report. */
export async function generatorName(): Promise<string> {
  return (await hasWrk()) ? "wrk, one thread" : "autocannon";
}

let wrk: Promise<boolean> | undefined;
function hasWrk(): Promise<boolean> {
  return (wrk ??= run("sh", ["-c", "command -v wrk"]).then(
    () => true,
    () => false,
  ));
}

async function withWrk({ url, body, headers, connections, seconds }: LoadRequest): Promise<Load> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  const script = join(folder, "post.lua");
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`);
  await writeFile(
    script,
    `wrk.method = "POST"\nwrk.body = [==[${body}]==]\n${lines.join("\n")}
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %f %f %f %d\\n", summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1000, latency:percentile(99) / 1000, e.connect + e.read + e.write + e.status + e.timeout))
end\n`,
  );
  const { stdout } = await run("wrk", ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", script, url]);
  await rm(folder, { recursive: true, force: true });
  const [perSecond = 0, p50Ms = 0, p99Ms = 0, failures = 0] = (/RESULT (.*)/.exec(stdout)?.[1] ?? "")
    .split(" ")
    .map(Number);
  return { perSecond, p50Ms, p99Ms, failures };
}

async function withAutocannon({ url, body, headers, connections, seconds }: LoadRequest): Promise<Load> {
  const { default: autocannon } = await import("autocannon");
  const result = await autocannon({
    url,
    method: "POST",
    body,
    headers: { ...headers },
    connections,
    duration: seconds,
  });
  return {
    perSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failures: result.errors + result.non2xx,
  };
}
