import type { ServiceProcess } from "../support/service.ts";

/** What work cost the thread that answers, and what it did to others. */
export interface Cost {
  /** Processor time of the main thread, without what reading the figure costs. */
  readonly cpuMs: number;
  /** How long `/livez` had to wait while the work was done. */
  readonly livezMs: number;
}

const CPU = /^svc_main_thread_cpu_seconds_total (\S+)$/m;

/** Processor time of the service's main thread so far. */
async function cpuMs(service: Pick<ServiceProcess, "fetch">): Promise<number> {
  const text = await (await service.fetch("/metrics")).text();
  return Number(CPU.exec(text)?.[1] ?? Number.NaN) * 1_000;
}

/**
 * Measures work on a service in a process of its own. Processor time is compared, not time on the clock: a machine that
 * is busy with others does not make it longer.
 */
export async function costOf<T>(
  service: Pick<ServiceProcess, "fetch">,
  work: () => Promise<T>,
): Promise<Cost & { readonly result: T }> {
  const idle = await cpuMs(service);
  const before = await cpuMs(service);
  const running = work();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const asked = performance.now();
  await (await service.fetch("/livez")).arrayBuffer();
  const livezMs = performance.now() - asked;
  const result = await running;
  const after = await cpuMs(service);
  return { cpuMs: Math.max(0, after - before - (before - idle)), livezMs, result };
}
