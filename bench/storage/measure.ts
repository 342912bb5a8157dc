/** One thing to measure; `run` does it `count` times. */
export interface Case {
  readonly name: string;
  /** The case whose rate it is compared with, and the ratio it must reach. */
  readonly against?: string;
  readonly bar?: number;
  run(count: number): Promise<void>;
}

/** A measured case. */
export interface Result {
  readonly name: string;
  readonly perSecond: number;
  readonly ratio: number | null;
  readonly bar: number | null;
}

/** Does something `count` times, `atOnce` at a time. */
export function inParallel(width: number, once: () => Promise<unknown>): (count: number) => Promise<void> {
  return async (count) => {
    let left = count;
    await Promise.all(
      Array.from({ length: width }, async () => {
        while (left-- > 0) await once();
      }),
    );
  };
}

/**
 * Measures the cases in turn, round after round, so that whatever else the machine does hits all of them. The rate
 * is the median of the rounds; a ratio is the median of the ratios within the rounds.
 */
export async function measure(
  cases: readonly Case[],
  rounds: number,
  roundMs: number,
): Promise<readonly Result[]> {
  const counts = new Map<string, number>();
  for (const one of cases) {
    let count = 64;
    for (;;) {
      const began = performance.now();
      await one.run(count);
      const ms = performance.now() - began;
      if (ms > roundMs / 4) {
        counts.set(one.name, Math.max(64, Math.round((count * roundMs) / ms)));
        break;
      }
      count *= 2;
    }
  }
  const rates = new Map<string, number[]>(cases.map((one) => [one.name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const one of cases) {
      const count = counts.get(one.name) ?? 64;
      const began = performance.now();
      await one.run(count);
      rates.get(one.name)?.push((count * 1000) / (performance.now() - began));
    }
  }
  return cases.map((one) => {
    const own = rates.get(one.name) ?? [];
    const other = one.against === undefined ? undefined : rates.get(one.against);
    return {
      name: one.name,
      perSecond: median(own),
      ratio:
        other === undefined ? null : median(own.map((rate, round) => rate / (other[round] ?? Number.NaN))),
      bar: one.bar ?? null,
    };
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
