import { hash } from "node:crypto";
import { bytesOfHex } from "../kernel/bytes.ts";

/*
 * What checks proofs over the tree of `merkle.ts`. The web app runs this file as it is, so it uses no Buffer.
 */

/** The hash of a leaf: SHA-256 over 0x00 and the leaf's bytes. */
export function leafHashOf(body: string): string {
  // NUL is one byte in UTF-8, so the text with it in front has just the bytes that are hashed.
  return hash("sha256", `\0${body}`, "hex");
}

/** The hash of an inner node: SHA-256 over 0x01 and its children's hashes. */
function nodeHashOf(left: string, right: string): string {
  const [a, b] = [bytesOfHex(left), bytesOfHex(right)];
  // A proof from outside may hold anything; what it gives is not the root.
  if (a?.length !== 32 || b?.length !== 32) return hash("sha256", `not two hashes: ${left} ${right}`, "hex");
  const bytes = new Uint8Array(65);
  bytes[0] = 1;
  bytes.set(a, 1);
  bytes.set(b, 33);
  return hash("sha256", bytes, "hex");
}

/** RFC 9162, 2.1.3.2: does this path lead from the leaf to the root? */
export function verifyInclusion(
  leafHash: string,
  index: number,
  size: number,
  path: readonly string[],
  root: string,
): boolean {
  if (index < 0 || index >= size) return false;
  let node = index;
  let last = size - 1;
  let current = leafHash;
  for (const sibling of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      current = nodeHashOf(sibling, current);
      while (node % 2 === 0 && node !== 0) {
        node = Math.floor(node / 2);
        last = Math.floor(last / 2);
      }
    } else {
      current = nodeHashOf(current, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && current === root;
}

/** RFC 9162, 2.1.4.2: is the old tree a prefix of the new one? */
export function verifyConsistency(
  oldSize: number,
  newSize: number,
  oldRoot: string,
  newRoot: string,
  path: readonly string[],
): boolean {
  if (oldSize === newSize) return path.length === 0 && oldRoot === newRoot;
  if (oldSize === 0) return path.length === 0;
  if (oldSize > newSize) return false;
  const proof = Number.isInteger(Math.log2(oldSize)) ? [oldRoot, ...path] : [...path];
  const [first, ...rest] = proof;
  if (first === undefined) return false;
  let node = oldSize - 1;
  let last = newSize - 1;
  while (node % 2 === 1) {
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  let oldHash = first;
  let newHash = first;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      oldHash = nodeHashOf(sibling, oldHash);
      newHash = nodeHashOf(sibling, newHash);
      while (node % 2 === 0 && node !== 0) {
        node = Math.floor(node / 2);
        last = Math.floor(last / 2);
      }
    } else {
      newHash = nodeHashOf(newHash, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && oldHash === oldRoot && newHash === newRoot;
}
