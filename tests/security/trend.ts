/** One look at a process under load. */
export interface Sample {
  readonly residentMb: number;
  readonly heapMb: number;
  readonly descriptors: number;
  readonly walMb: number;
  /** How long `/livez` had to wait. */
  readonly livezMs: number;
  readonly requests: number;
}

/** What is watched, how it is summed up, and how far the last third may be above the middle one. */
interface Watched {
  readonly name: string;
  readonly of: (sample: Sample) => number;
  /** Which value of a third counts: the middle one, or a low one where garbage comes and goes. */
  readonly share: number;
  readonly factor: number;
  readonly plus: number;
}

/** One line of the table. */
export interface Trend {
  readonly name: string;
  readonly first: number;
  readonly middle: number;
  readonly last: number;
  readonly most: number;
  readonly bound: number;
  readonly flat: boolean;
}

const WATCHED: readonly Watched[] = [
  { name: "resident MB", of: (sample) => sample.residentMb, share: 0.5, factor: 1.08, plus: 8 },
  { name: "heap MB", of: (sample) => sample.heapMb, share: 0.25, factor: 1.1, plus: 6 },
  { name: "descriptors", of: (sample) => sample.descriptors, share: 0.5, factor: 1.1, plus: 10 },
  { name: "WAL MB", of: (sample) => sample.walMb, share: 0.5, factor: 1.1, plus: 4 },
  { name: "livez ms", of: (sample) => sample.livezMs, share: 0.5, factor: 3, plus: 10 },
];

/** The thirds of what came after the warm-up, and whether the last is within the bound that the middle one sets. */
export function trendsOf(samples: readonly Sample[], warmUp = 0.2): readonly Trend[] {
  const warm = samples.slice(Math.floor(samples.length * warmUp));
  const size = Math.floor(warm.length / 3);
  if (size < 3) throw new Error(`${samples.length} samples are too few for a trend`);
  const thirds = [warm.slice(0, size), warm.slice(size, 2 * size), warm.slice(2 * size)] as const;
  return WATCHED.map(({ name, of, share, factor, plus }) => {
    const [first, middle, last] = thirds.map((third) => quantile(third.map(of), share));
    const bound = (middle ?? 0) * factor + plus;
    return {
      name,
      first: first ?? 0,
      middle: middle ?? 0,
      last: last ?? 0,
      most: Math.max(...samples.map(of)),
      bound,
      flat: (last ?? 0) <= bound,
    };
  });
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
