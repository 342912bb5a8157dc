import type { ErrorCode } from "../kernel/errors.ts";
import type { Services } from "../ports/services.ts";
import type { Watchdog } from "./watchdog.ts";

/*
 * Written by hand: counting a request is two map look-ups and an array increment, where a metrics library hashes labels.
 */

const BUCKETS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

interface Series {
  good: number;
  readonly failures: Map<string, number>;
  readonly buckets: number[];
  sumMs: number;
  count: number;
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
export function createMetrics(watchdog: Watchdog): Metrics {
  const series = new Map<string, Series>();
  const metrics: Metrics = {
    inFlight: 0,
    observe(label, code, ms) {
      let entry = series.get(label);
      if (entry === undefined) {
        entry = {
          good: 0,
          failures: new Map(),
          buckets: Array.from(BUCKETS_MS, () => 0),
          sumMs: 0,
          count: 0,
        };
        series.set(label, entry);
      }
      if (code === "ok") entry.good += 1;
      else entry.failures.set(code, (entry.failures.get(code) ?? 0) + 1);
      entry.sumMs += ms;
      entry.count += 1;
      let i = 0;
      while (i < BUCKETS_MS.length && ms > (BUCKETS_MS[i] ?? 0)) i++;
      if (i < BUCKETS_MS.length) entry.buckets[i] = (entry.buckets[i] ?? 0) + 1;
    },
    async render(services) {
      const lines: string[] = [];
      requestLines(series, lines);
      gauge(lines, "svc_requests_in_flight", "Requests being served.", metrics.inFlight);
      loopLines(watchdog, lines);
      await stateLines(services, lines);
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
  lines.push("# HELP svc_request_seconds Time to serve a request.", "# TYPE svc_request_seconds histogram");
  for (const [label, entry] of series) {
    const operation = escape(label);
    let total = 0;
    entry.buckets.forEach((count, i) => {
      total += count;
      const le = (BUCKETS_MS[i] ?? 0) / 1000;
      lines.push(`svc_request_seconds_bucket{operation="${operation}",le="${le}"} ${total}`);
    });
    lines.push(`svc_request_seconds_bucket{operation="${operation}",le="+Inf"} ${entry.count}`);
    lines.push(`svc_request_seconds_sum{operation="${operation}"} ${entry.sumMs / 1000}`);
    lines.push(`svc_request_seconds_count{operation="${operation}"} ${entry.count}`);
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

async function stateLines(services: Services, lines: string[]): Promise<void> {
  const store = await services.store.status();
  gauge(lines, "svc_store_ready", "1 when the store can write.", store.ready ? 1 : 0);
  if (store.sizeBytes !== null) gauge(lines, "svc_store_bytes", "Size of the database.", store.sizeBytes);
  const engine = await services.engine.status();
  gauge(lines, "svc_runs_active", "Runs that are being worked on.", engine.active);
  const { waiting, backlog } = engine;
  if (waiting !== null) gauge(lines, "svc_runs_waiting", "Runs that wait for a person or a time.", waiting);
  if (backlog !== null) gauge(lines, "svc_runs_backlog", "Runs that wait for a worker.", backlog);
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

function escape(label: string): string {
  return label.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
