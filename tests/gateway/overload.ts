import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "undici";

/** What a service that was asked for far more than it can do answered. */
export interface Overload {
  readonly accepted: number;
  readonly refused: number;
  /** Refusals without `Retry-After`, and answers that are neither. */
  readonly wrong: number;
  readonly acceptedP50Ms: number;
  readonly acceptedP99Ms: number;
  readonly seconds: number;
}

/** A request that is cheap to answer. */
export interface CheapRead {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How long one cheap read took while others were at work. */
export interface ReadTimes {
  readonly name: string;
  readonly asked: number;
  readonly refused: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const JSON_TYPE = { "content-type": "application/json" };

/** Keeps `clients` clients asking without a pause, each on a connection of its own, whatever they are answered. */
export async function overload(
  address: string,
  body: string,
  clients: number,
  seconds: number,
): Promise<Overload> {
  const times: number[] = [];
  let [refused, wrong] = [0, 0];
  const began = performance.now();
  const until = began + seconds * 1_000;
  const client = async (): Promise<void> => {
    const connection = new Client(address);
    while (performance.now() < until) {
      const sent = performance.now();
      const answer = await connection.request({ path: "/api/mcp", method: "POST", headers: JSON_TYPE, body });
      await answer.body.dump();
      if (answer.statusCode === 200) times.push(performance.now() - sent);
      else if (answer.statusCode === 503 && answer.headers["retry-after"] !== undefined) refused += 1;
      else wrong += 1;
    }
    await connection.close();
  };
  await Promise.all(Array.from({ length: clients }, client));
  const spent = (performance.now() - began) / 1_000;
  return {
    accepted: times.length,
    refused,
    wrong,
    acceptedP50Ms: quantile(times, 0.5),
    acceptedP99Ms: quantile(times, 0.99),
    seconds: spent,
  };
}

/** Asks each cheap read again and again until a signal, on connections of their own. */
export async function cheapReads(
  address: string,
  reads: readonly CheapRead[],
  signal: AbortSignal,
): Promise<readonly ReadTimes[]> {
  return Promise.all(
    reads.map(async ({ name, method, path, body, headers }) => {
      const connection = new Client(address);
      const times: number[] = [];
      let refused = 0;
      while (!signal.aborted) {
        const sent = performance.now();
        const answer = await connection.request({
          path,
          method,
          headers: { ...(body !== undefined && JSON_TYPE), ...headers },
          body: body ?? null,
        });
        await answer.body.dump();
        if (answer.statusCode === 200) times.push(performance.now() - sent);
        else refused += 1;
        await sleep(25);
      }
      await connection.close();
      return {
        name,
        asked: times.length + refused,
        refused,
        p50Ms: quantile(times, 0.5),
        p99Ms: quantile(times, 0.99),
      };
    }),
  );
}

/** The value below which this share of the times lies. */
export function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
