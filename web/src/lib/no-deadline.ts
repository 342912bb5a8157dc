/*
 * The browser's stand-in for `kernel/deadline.ts`. A page evaluates only what its own person typed, so nobody else has to
 * be protected: the computation runs to its end.
 */

/** Runs a computation; it is never stopped. */
export function runWithin(_ms: number, compute: () => void): boolean {
  compute();
  return true;
}
