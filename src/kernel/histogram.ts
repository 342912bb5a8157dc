/** Counts values by size, for a Prometheus histogram. */
export class Histogram {
  readonly bounds: readonly number[];
  /** How many values were at most the bound of the same place, and above the one before. */
  readonly counts: number[];
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.sum += value;
    this.count += 1;
    let i = 0;
    while (i < this.bounds.length && value > (this.bounds[i] ?? 0)) i++;
    if (i < this.bounds.length) this.counts[i] = (this.counts[i] ?? 0) + 1;
  }
}

/** Bounds for times in seconds. */
export const SECONDS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
