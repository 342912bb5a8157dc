/** True when a number is a whole multiple of a step, as their decimal texts say: 19.99 is a multiple of 0.01. */
export function isMultipleOf(value: number | string, step: number): boolean {
  if (!(step > 0)) return true;
  const [left, right] = [decimal(String(value)), decimal(String(step))];
  if (!left || !right) return Number.isInteger(Number(value) / step);
  const exponent = Math.min(left.exponent, right.exponent);
  const scaled = ({ digits, exponent: own }: Decimal): bigint => digits * 10n ** BigInt(own - exponent);
  return scaled(left) % scaled(right) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Exponents beyond those of doubles would make numbers of any size. */
const FARTHEST = 400;

function decimal(text: string): Decimal | null {
  const match = /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return null;
  const [, whole = "0", fraction = "", power = "0"] = match;
  const exponent = Number(power) - fraction.length;
  if (Math.abs(exponent) > FARTHEST || text.length > FARTHEST) return null;
  return { digits: BigInt(whole + fraction), exponent };
}
