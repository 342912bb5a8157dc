import { Client } from "undici";

/** What a service that was asked for far more than it can do answered. */
export interface Overload {
  readonly accepted: number;
  readonly refused: number;
  /** Refusals without `Retry-After`, and answers that are neither. */
  readonly wrong: number;
  readonly acceptedP99Ms: number;
  readonly seconds: number;
}

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
      const answer = await connection.request({
        path: "/api/mcp",
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      await answer.body.dump();
      if (answer.statusCode === 200) times.push(performance.now() - sent);
      else if (answer.statusCode === 503 && answer.headers["retry-after"] !== undefined) refused += 1;
      else wrong += 1;
    }
    await connection.close();
  };
  await Promise.all(Array.from({ length: clients }, client));
  const spent = (performance.now() - began) / 1_000;
  times.sort((a, b) => a - b);
  return {
    accepted: times.length,
    refused,
    wrong,
    acceptedP99Ms: times[Math.floor((times.length - 1) * 0.99)] ?? 0,
    seconds: spent,
  };
}
