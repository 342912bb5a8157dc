import { createHash } from "node:crypto";

/*
 * A second Merkle verifier, written from the definitions in RFC 9162, 2.1.1 and 2.1.3, and sharing nothing with the
 * first: it recomputes the root recursively from the position of the leaf instead of walking bits.
 */

/** The root that an audit path leads to, by the recursive definition of PATH(m, D[n]). */
export function rootFromPath(leaf: Buffer, m: number, n: number, path: readonly Buffer[]): Buffer {
  if (n === 1) {
    if (path.length > 0) throw new Error("path too long");
    return leaf;
  }
  const sibling = path.at(-1);
  if (!sibling) throw new Error("path too short");
  const rest = path.slice(0, -1);
  let k = 1;
  while (k * 2 < n) k *= 2;
  return m < k
    ? node(rootFromPath(leaf, m, k, rest), sibling)
    : node(sibling, rootFromPath(leaf, m - k, n - k, rest));
}

/** HASH(0x01 || left || right). */
function node(left: Buffer, right: Buffer): Buffer {
  return createHash("sha256").update(Buffer.of(1)).update(left).update(right).digest();
}

/** HASH(0x00 || entry). */
export function leafOf(entry: string): Buffer {
  return createHash("sha256").update(Buffer.of(0)).update(entry, "utf8").digest();
}
