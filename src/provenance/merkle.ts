import { hash } from "node:crypto";

/*
 * The Merkle tree of RFC 9162, section 2.1, kept append-only: hashes of complete subtrees are stored as they come
 * into being, so that appending and proving cost O(log n) whatever the size of the log. Hashes are lower-case hex.
 */

/** Where the bytes of an inner node are put together; nothing else runs in between. */
const node = Buffer.alloc(65, 1);

/** The hash of an inner node: SHA-256 over 0x01 and its children's hashes. */
function nodeHashOf(left: string, right: string): string {
  const fits = left.length === 64 && right.length === 64;
  if (fits && node.write(left, 1, "hex") === 32 && node.write(right, 33, "hex") === 32) {
    return hash("sha256", node, "hex");
  }
  // A proof from outside may hold anything; what it gives is not the root.
  return hash("sha256", `not two hashes: ${left} ${right}`, "hex");
}

/** Subtrees with fewer than 2^6 leaves are not stored: to compute one again costs less than to write it. */
export const LOWEST_STORED_LEVEL = 6;

/** The hash of a complete subtree, from its leaves. */
export function subtreeHash(leafHashes: readonly string[]): string {
  let level = leafHashes;
  while (level.length > 1) {
    const above: string[] = [];
    for (let i = 0; i + 1 < level.length; i += 2) above.push(nodeHashOf(level[i] ?? "", level[i + 1] ?? ""));
    level = above;
  }
  return level[0] ?? EMPTY_ROOT;
}

/** The root of the empty tree: the hash of nothing. */
export const EMPTY_ROOT = hash("sha256", "", "hex");

/** The complete subtrees at the right edge: `peaks[level]` is set when bit `level` of `size` is. */
export interface Frontier {
  readonly size: number;
  readonly peaks: readonly (string | null)[];
}

/** A complete subtree: `index` counts subtrees of that level from the left. */
export interface TreeNode {
  readonly level: number;
  readonly index: number;
  readonly hash: string;
}

/** The frontier of an empty tree. */
export const EMPTY_FRONTIER: Frontier = { size: 0, peaks: [] };

/** Adds leaves at the right edge: the new frontier, and the inner nodes to store that became complete. */
export function appendLeaves(
  frontier: Frontier,
  leafHashes: readonly string[],
): { frontier: Frontier; completed: TreeNode[] } {
  const peaks = [...frontier.peaks];
  const completed: TreeNode[] = [];
  let size = frontier.size;
  for (const leaf of leafHashes) {
    let carried = leaf;
    let level = 0;
    for (let peak = peaks[level] ?? null; peak !== null; peak = peaks[level] ?? null) {
      carried = nodeHashOf(peak, carried);
      peaks[level] = null;
      level += 1;
      if (level >= LOWEST_STORED_LEVEL) {
        completed.push({ level, index: Math.floor(size / 2 ** level), hash: carried });
      }
    }
    peaks[level] = carried;
    size += 1;
  }
  return { frontier: { size, peaks }, completed };
}

/** The root hash of the tree whose right edge this is. */
export function rootOf(frontier: Frontier): string {
  let root: string | null = null;
  for (const peak of frontier.peaks) {
    if (peak !== null) root = root === null ? peak : nodeHashOf(peak, root);
  }
  return root ?? EMPTY_ROOT;
}

/** The complete subtrees whose hashes make up the frontier of a tree of this size. */
export function frontierNodes(size: number): { level: number; index: number }[] {
  const nodes: { level: number; index: number }[] = [];
  let start = 0;
  for (let level = Math.floor(Math.log2(Math.max(size, 1))); level >= 0; level--) {
    const width = 2 ** level;
    if (Math.floor(size / width) % 2 === 1) {
      nodes.push({ level, index: start / width });
      start += width;
    }
  }
  return nodes;
}

/** Reads the hash of a complete subtree; level 0 is a leaf. */
export type NodeReader = (level: number, index: number) => Promise<string>;

/** The hash of the leaves from `start` up to, not including, `end`: MTH(D[start:end]). */
async function rangeHash(start: number, end: number, read: NodeReader): Promise<string> {
  const width = end - start;
  const level = Math.log2(width);
  if (Number.isInteger(level) && start % width === 0) return read(level, start / width);
  const split = splitOf(width);
  const left = await rangeHash(start, start + split, read);
  return nodeHashOf(left, await rangeHash(start + split, end, read));
}

/** The largest power of two smaller than `width`. */
function splitOf(width: number): number {
  return 2 ** Math.floor(Math.log2(width - 1));
}

/** The audit path of a leaf in the tree of `size` leaves, from the leaf's sibling up. */
export async function inclusionPath(index: number, size: number, read: NodeReader): Promise<string[]> {
  const path: string[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    if (index < middle) {
      path.push(await rangeHash(middle, end, read));
      end = middle;
    } else {
      path.push(await rangeHash(start, middle, read));
      start = middle;
    }
  }
  return path.reverse();
}

/** The proof that the tree of `oldSize` leaves is a prefix of the tree of `newSize`. */
export async function consistencyPath(oldSize: number, newSize: number, read: NodeReader): Promise<string[]> {
  if (oldSize === 0 || oldSize === newSize) return [];
  const path: string[] = [];
  let start = 0;
  let end = newSize;
  let whole = true;
  while (oldSize !== end) {
    const middle = start + splitOf(end - start);
    if (oldSize <= middle) {
      path.push(await rangeHash(middle, end, read));
      end = middle;
    } else {
      path.push(await rangeHash(start, middle, read));
      start = middle;
      whole = false;
    }
  }
  if (!whole) path.push(await rangeHash(start, end, read));
  return path.reverse();
}
