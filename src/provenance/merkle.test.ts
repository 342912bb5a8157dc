import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  appendLeaves,
  consistencyPath,
  EMPTY_FRONTIER,
  EMPTY_ROOT,
  frontierNodes,
  inclusionPath,
  LOWEST_STORED_LEVEL,
  rootOf,
  subtreeHash,
  type Frontier,
} from "./merkle.ts";
import { leafHashOf, verifyConsistency, verifyInclusion } from "./merkle-proof.ts";

/** A log in memory, keeping the nodes the way the store does. */
function logOf(bodies: readonly string[]) {
  const leaves = bodies.map(leafHashOf);
  const nodes = new Map<string, string>();
  const roots = [EMPTY_ROOT];
  let frontier: Frontier = EMPTY_FRONTIER;
  leaves.forEach((leaf) => {
    const next = appendLeaves(frontier, [leaf]);
    for (const node of next.completed) nodes.set(`${node.level}:${node.index}`, node.hash);
    frontier = next.frontier;
    roots.push(rootOf(frontier));
  });
  const read = (level: number, index: number): Promise<string> => {
    const width = 2 ** level;
    const found =
      level < LOWEST_STORED_LEVEL
        ? subtreeHash(leaves.slice(index * width, (index + 1) * width))
        : nodes.get(`${level}:${index}`);
    assert.ok(found !== undefined, `node ${level}:${index} is stored`);
    return Promise.resolve(found);
  };
  return { leaves, roots, read, frontier };
}

test("the roots are those of the published test vectors of RFC 6962 implementations", () => {
  const inputs = [
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
  ];
  const log = logOf(inputs.map((hex) => Buffer.from(hex, "hex").toString("latin1")));
  assert.equal(log.roots[0], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.equal(log.roots[1], "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
  assert.equal(log.roots[2], "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125");
  assert.equal(log.roots[5], "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4");
  assert.equal(log.roots[8], "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
});

test("every leaf of every size is proved, and no other index or root is", async () => {
  const log = logOf(Array.from({ length: 140 }, (_, i) => `leaf ${i}`));
  for (let size = 1; size <= 140; size += size < 40 ? 1 : 11) {
    for (let index = 0; index < size; index++) {
      const path = await inclusionPath(index, size, log.read);
      const leaf = log.leaves[index] ?? "";
      const root = log.roots[size] ?? "";
      assert.ok(verifyInclusion(leaf, index, size, path, root));
      assert.ok(!verifyInclusion(leaf, (index + 1) % size, size, path, root) || size === 1);
      assert.ok(!verifyInclusion(leaf, index, size, path, log.roots[size - 1] ?? ""));
    }
  }
});

test("every prefix is proved consistent, and a changed root is not", async () => {
  const log = logOf(Array.from({ length: 140 }, (_, i) => `leaf ${i}`));
  for (let newSize = 1; newSize <= 140; newSize += newSize < 40 ? 1 : 11) {
    for (let oldSize = 0; oldSize <= newSize; oldSize++) {
      const path = await consistencyPath(oldSize, newSize, log.read);
      const [oldRoot = "", newRoot = ""] = [log.roots[oldSize], log.roots[newSize]];
      assert.ok(verifyConsistency(oldSize, newSize, oldRoot, newRoot, path), `${oldSize} → ${newSize}`);
      if (oldSize > 0) assert.ok(!verifyConsistency(oldSize, newSize, leafHashOf("x"), newRoot, path));
      if (oldSize > 0) assert.ok(!verifyConsistency(oldSize, newSize, oldRoot, leafHashOf("x"), path));
    }
  }
});

test("appending in any batches gives the same root, and the frontier can be read back from its nodes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 }), async (batches) => {
      let frontier: Frontier = EMPTY_FRONTIER;
      let count = 0;
      for (const batch of batches) {
        const leaves = Array.from({ length: batch }, () => leafHashOf(String(count++)));
        frontier = appendLeaves(frontier, leaves).frontier;
      }
      const log = logOf(Array.from({ length: count }, (_, i) => String(i)));
      assert.equal(rootOf(frontier), log.roots[count]);
      for (const { level, index } of frontierNodes(count)) {
        assert.equal(frontier.peaks[level], await log.read(level, index));
      }
    }),
  );
});
