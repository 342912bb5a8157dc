import process from "node:process";

/** What one engine did: runs of ten durable steps. */
export interface Result {
  readonly engine: string;
  readonly concurrency: number;
  readonly stepsPerSecond: number;
  readonly p50: number | null;
  readonly p99: number | null;
}

/** Steps of a run. */
export const STEPS = 10;

/** What an engine is asked to do, from the command line. */
export interface Order {
  readonly concurrency: number;
  readonly runs: number;
  /** A file for SQLite, a URL for PostgreSQL. */
  readonly database: string;
}

/** Reads the order. */
export function order(): Order {
  const [concurrency, runs, database] = process.argv.slice(2);
  return { concurrency: Number(concurrency), runs: Number(runs), database: database ?? "" };
}

/** Keeps `concurrency` runs going until all are done and `settled`, and says how it went. */
export async function keepGoing(
  engine: string,
  { concurrency, runs }: Order,
  run: (index: number) => Promise<unknown>,
  settled: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  for (let i = 0; i < Math.min(100, runs); i++) await run(-1 - i);
  const times: number[] = [];
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < runs) {
        const index = next++;
        const start = performance.now();
        await run(index);
        times.push(performance.now() - start);
      }
    }),
  );
  await settled();
  const ms = performance.now() - began;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? 0;
  tell({ engine, concurrency, stepsPerSecond: rate(runs, ms), p50: at(0.5), p99: at(0.99) });
}

/** Works through runs that were queued before, and says how it went. */
export async function drain(
  engine: string,
  { concurrency, runs }: Order,
  begin: () => Promise<void>,
  done: () => Promise<number> | number,
): Promise<void> {
  const began = performance.now();
  await begin();
  while ((await done()) < runs) await new Promise((resolve) => setTimeout(resolve, 5));
  const ms = performance.now() - began;
  tell({ engine, concurrency, stepsPerSecond: rate(runs, ms), p50: null, p99: null });
}

function rate(runs: number, ms: number): number {
  return Math.round((runs * STEPS * 1_000) / ms);
}

/** What an engine says that could not be measured. */
export interface Declined {
  readonly engine: string;
  readonly why: string;
}

/** Says why there is no result. */
export function decline(engine: string, why: string): void {
  const declined: Declined = { engine, why };
  console.log(JSON.stringify(declined));
}

/** Gives a result to the parent. */
export function tell(result: Result): void {
  console.log(JSON.stringify(result));
}
