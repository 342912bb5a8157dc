import type { ErrorCode } from "../kernel/errors.ts";
import { Histogram, SECONDS } from "../kernel/histogram.ts";
import { CONNECTION_STATES } from "../model/connection-states.ts";
import type { EngineMeasures } from "../ports/engine.ts";
import type { Services } from "../ports/services.ts";
import type { Watchdog } from "./watchdog.ts";

/*
 * Written by hand: counting a request is two map look-ups and an array increment, where a metrics library hashes labels.
 */

/** Ages by which approvals that wait are counted, in seconds. */
const AGES = [3_600, 86_400, 604_800] as const;
const MAX_APPROVALS = 10_000;
const MAX_CONNECTIONS = 500;

interface Series {
  good: number;
  readonly failures: Map<string, number>;
  readonly seconds: Histogram;
}

/** What became of backups on a schedule. */
interface BackupState {
  readonly lastAt: number | null;
  readonly failed: boolean;
}

/** Counts what the gateway does. */
export interface Metrics {
  /** One JSON-RPC item or REST request that ended. */
  observe(label: string, code: ErrorCode | "ok", ms: number): void;
  /** Requests being served now. */
  inFlight: number;
  /** The Prometheus text. */
  render(services: Services): Promise<string>;
}

/** Counters and histograms in memory. Labels come from our own tables, so their number is bounded. */
export function createMetrics(watchdog: Watchdog, backups: BackupState | null = null): Metrics {
  const series = new Map<string, Series>();
  const metrics: Metrics = {
    inFlight: 0,
    observe(label, code, ms) {
      let entry = series.get(label);
      if (entry === undefined) {
        entry = {
          good: 0,
          failures: new Map(),
          seconds: new Histogram(SECONDS),
        };
        series.set(label, entry);
      }
      if (code === "ok") entry.good += 1;
      else entry.failures.set(code, (entry.failures.get(code) ?? 0) + 1);
      entry.seconds.observe(ms / 1_000);
    },
    async render(services) {
      const lines: string[] = [];
      requestLines(series, lines);
      gauge(lines, "svc_requests_in_flight", "Requests being served.", metrics.inFlight);
      loopLines(watchdog, lines);
      await stateLines(services, lines);
      const failed = backups?.failed === true ? 1 : 0;
      gauge(lines, "svc_backup_failed", "1 when the newest scheduled backup failed.", failed);
      if (typeof backups?.lastAt === "number")
        gauge(
          lines,
          "svc_backup_time_seconds",
          "When the newest scheduled backup began.",
          backups.lastAt / 1_000,
        );
      return `${lines.join("\n")}\n`;
    },
  };
  return metrics;
}

function requestLines(series: ReadonlyMap<string, Series>, lines: string[]): void {
  lines.push(
    "# HELP svc_requests_total Requests by operation and outcome.",
    "# TYPE svc_requests_total counter",
  );
  for (const [label, entry] of series) {
    if (entry.good > 0)
      lines.push(`svc_requests_total{operation="${escape(label)}",code="ok"} ${entry.good}`);
    for (const [code, count] of entry.failures) {
      lines.push(`svc_requests_total{operation="${escape(label)}",code="${code}"} ${count}`);
    }
  }
  const times = [...series].map(([label, { seconds }]) => [`operation="${escape(label)}"`, seconds] as const);
  histogram(lines, "svc_request_seconds", "Time to serve a request.", times);
}

/** `series` are labels, ready to be written, with what was counted for them. */
function histogram(
  lines: string[],
  name: string,
  help: string,
  series: Iterable<readonly [labels: string, values: Histogram]>,
): void {
  lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} histogram`);
  for (const [labels, { bounds, counts, count, sum }] of series) {
    const before = labels === "" ? "" : `${labels},`;
    let total = 0;
    for (const [i, bound] of bounds.entries()) {
      total += counts[i] ?? 0;
      lines.push(`${name}_bucket{${before}le="${bound}"} ${total}`);
    }
    const braces = labels === "" ? "" : `{${labels}}`;
    lines.push(
      `${name}_bucket{${before}le="+Inf"} ${count}`,
      `${name}_sum${braces} ${sum}`,
      `${name}_count${braces} ${count}`,
    );
  }
}

function loopLines({ delay, blocked }: Watchdog, lines: string[]): void {
  gauge(lines, "svc_event_loop_delay_p99_seconds", "Delay of the event loop, 99 of 100 below.", delay.p99);
  gauge(lines, "svc_event_loop_delay_max_seconds", "Longest delay of the event loop.", delay.max);
  lines.push(
    "# HELP svc_event_loop_blocked_total Pauses of the event loop over 100 ms by their likely cause.",
    "# TYPE svc_event_loop_blocked_total counter",
  );
  for (const [label, { count }] of blocked)
    lines.push(`svc_event_loop_blocked_total{operation="${escape(label)}"} ${count}`);
  lines.push(
    "# HELP svc_event_loop_blocked_seconds_total Seconds of such pauses.",
    "# TYPE svc_event_loop_blocked_seconds_total counter",
  );
  for (const [label, { seconds }] of blocked)
    lines.push(`svc_event_loop_blocked_seconds_total{operation="${escape(label)}"} ${seconds}`);
  const { user, system } = process.threadCpuUsage();
  lines.push(
    "# HELP svc_main_thread_cpu_seconds_total Processor time of the thread that answers.",
    "# TYPE svc_main_thread_cpu_seconds_total counter",
    `svc_main_thread_cpu_seconds_total ${(user + system) / 1e6}`,
  );
}

function engineLines({ steps, checkpointSize, checkpointSeconds }: EngineMeasures, lines: string[]): void {
  const times = [...steps].flatMap(([tool, outcomes]) =>
    [...outcomes].map(
      ([outcome, seconds]) => [`tool="${escape(tool)}",outcome="${outcome}"`, seconds] as const,
    ),
  );
  histogram(lines, "svc_step_seconds", "Time of an attempt at a step.", times);
  histogram(lines, "svc_checkpoint_group_size", "Checkpoints that were written together.", [
    ["", checkpointSize],
  ]);
  histogram(lines, "svc_checkpoint_seconds", "Time to write a group of checkpoints.", [
    ["", checkpointSeconds],
  ]);
}

/** What waits, and for how long. A store that cannot be read says so by `svc_store_ready`. */
async function waitingLines({ store, clock }: Services, lines: string[]): Promise<void> {
  const { runs, approvals, connections } = store.read;
  const age = (since: string | null | undefined): number =>
    typeof since === "string" ? Math.max(0, (clock.now() - Date.parse(since)) / 1_000) : 0;
  const { oldestQueuedAt } = await runs.activeCounts();
  gauge(
    lines,
    "svc_runs_backlog_age_seconds",
    "Age of the oldest run that waits for a worker.",
    age(oldestQueuedAt),
  );
  const since = await approvals.waitingSince(MAX_APPROVALS);
  gauge(lines, "svc_approvals_oldest_seconds", "Age of the oldest approval that waits.", age(since[0]));
  labelled(lines, "svc_approvals_waiting", "Approvals that wait for longer than this.", [
    ['age="0"', since.length],
    ...AGES.map((least) => [`age="${least}"`, since.filter((one) => age(one) >= least).length] as const),
  ]);
  const states = new Map<string, number>();
  for (const { state } of (await connections.list({ limit: MAX_CONNECTIONS })).items)
    states.set(state, (states.get(state) ?? 0) + 1);
  labelled(
    lines,
    "svc_connections",
    "Connections by state.",
    CONNECTION_STATES.map((state) => [`state="${state}"`, states.get(state) ?? 0]),
  );
}

async function stateLines(services: Services, lines: string[]): Promise<void> {
  const store = await services.store.status();
  gauge(lines, "svc_store_ready", "1 when the store can write.", store.ready ? 1 : 0);
  if (store.sizeBytes !== null) gauge(lines, "svc_store_bytes", "Size of the database.", store.sizeBytes);
  const { pool } = services.store;
  if (pool !== undefined) {
    labelled(lines, "svc_database_connections", "Connections to the database server.", [
      ['state="used"', pool.open - pool.idle],
      ['state="idle"', pool.idle],
    ]);
    gauge(lines, "svc_database_waiting", "Transactions that wait for a connection.", pool.waiting);
  }
  engineLines(services.engine.measures, lines);
  const engine = await services.engine.status();
  gauge(lines, "svc_runs_active", "Runs that are being worked on.", engine.active);
  const { waiting, backlog } = engine;
  if (waiting !== null) gauge(lines, "svc_runs_waiting", "Runs that wait for a person or a time.", waiting);
  if (backlog !== null) gauge(lines, "svc_runs_backlog", "Runs that wait for a worker.", backlog);
  if (store.ready) await waitingLines(services, lines);
  const memory = process.memoryUsage();
  gauge(lines, "process_resident_memory_bytes", "Resident memory.", memory.rss);
  gauge(lines, "nodejs_heap_used_bytes", "JavaScript heap in use.", memory.heapUsed);
  const cpu = process.cpuUsage();
  lines.push(
    "# TYPE process_cpu_seconds_total counter",
    `process_cpu_seconds_total ${(cpu.user + cpu.system) / 1e6}`,
  );
  gauge(
    lines,
    "process_start_time_seconds",
    "When the process started.",
    Math.round(Date.now() / 1000 - process.uptime()),
  );
}

function gauge(lines: string[], name: string, help: string, value: number): void {
  lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`);
}

function labelled(
  lines: string[],
  name: string,
  help: string,
  values: readonly (readonly [labels: string, value: number])[],
): void {
  lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`);
  for (const [labels, value] of values) lines.push(`${name}{${labels}} ${value}`);
}

function escape(label: string): string {
  return label.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
