import { isoTime } from "../kernel/time.ts";
import type { Clock } from "../ports/platform.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import type { CheckpointRecord, SigningKeyRecord } from "../ports/records.ts";
import type { ProvenanceStore, StoreTx } from "../ports/store.ts";
import { signCheckpoint } from "./checkpoint.ts";
import type { HmacKey } from "./hmac.ts";
import { recordOf } from "./leaf.ts";
import {
  appendLeaves,
  EMPTY_FRONTIER,
  frontierNodes,
  LOWEST_STORED_LEVEL,
  rootOf,
  subtreeHash,
  type Frontier,
  type NodeReader,
} from "./merkle.ts";
import type { Signer } from "./signatures.ts";
import { newSigningKey, saltSecretOf, signerOf } from "./signing.ts";
import { isExchanged } from "./statement.ts";

/** The keys of the log, parsed once. */
export interface LogKeys {
  readonly signer: Signer;
  readonly secret: HmacKey;
  readonly origin: string;
}

type LogHead = Awaited<ReturnType<ProvenanceStore["head"]>>;

/** Keys are looked at again after this time: another process may have rotated them. */
export const KEYS_KNOWN_MS = 20_000;

/** Writes the provenance log inside the transactions of others: leaves, subtree hashes, signed checkpoints. */
export class LogWriter {
  readonly #clock: Clock;
  #keys: LogKeys | null = null;
  /** Until when the keys are taken to be those that they were, in milliseconds. */
  #knownUntil = 0;
  /** The right edge as of the last append here; used only when the stored head is still that one. */
  #edge: { readonly lastLeafHash: string; readonly frontier: Frontier } | null = null;

  readonly #sealShared = async (tx: StoreTx): Promise<void> => {
    await this.seal(tx);
  };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Appends records and gives their ids; see `Provenance.append`. */
  async append(tx: StoreTx, facts: readonly ProvenanceFact[]): Promise<readonly string[]> {
    if (facts.length === 0) return [];
    const { secret } = await this.keys(tx.provenance);
    const at = isoTime(this.#clock.now());
    const records = facts.map((fact) => recordOf(fact, at, secret));
    if (tx.numbersAtOnce) {
      const head = await tx.provenance.head();
      await this.#extend(tx, head, records);
      await tx.provenance.append(records.map((record, nth) => ({ ...record, leafIndex: head.size + nth })));
      if (facts.some(({ kind }) => isExchanged(kind))) await this.#sealOnce(tx);
    } else {
      await tx.provenance.append(records);
    }
    return records.map(({ id }) => id);
  }

  /**
   * Puts committed records that have no place yet into the log, in the order of their insertion, with a signed checkpoint
   * when one of them is a record that people exchange. Gives how many there were.
   */
  async numberPending(tx: StoreTx, limit: number): Promise<number> {
    await tx.provenance.lock();
    const head = await tx.provenance.head();
    const numbered = await tx.provenance.number(head.size, limit);
    if (numbered.length === 0) return 0;
    await this.#extend(tx, head, numbered);
    if (numbered.some(({ kind }) => isExchanged(kind))) await this.#sealOnce(tx);
    return numbered.length;
  }

  /** Signs a checkpoint over everything that the transaction sees in the log. */
  async seal(tx: StoreTx): Promise<CheckpointRecord> {
    const keyring = await this.keys(tx.provenance);
    const frontier = await this.#frontier(tx.provenance, await tx.provenance.head());
    const head = {
      treeSize: frontier.size,
      rootHash: rootOf(frontier),
      createdAt: isoTime(this.#clock.now()),
    };
    const checkpoint = signCheckpoint(keyring.origin, head, keyring.signer);
    await tx.provenance.putCheckpoint(checkpoint);
    return checkpoint;
  }

  /** The keys may have changed: they are read again. */
  forgetKeys(): void {
    this.#knownUntil = 0;
  }

  /** The keys, made on first use inside the transaction that needs them. */
  async keys(log: ProvenanceStore): Promise<LogKeys> {
    if (this.#keys !== null && this.#clock.now() < this.#knownUntil) return this.#keys;
    let keys = await log.keys();
    if (keys.length === 0) {
      await log.lock();
      keys = await log.keys();
      if (keys.length === 0) await log.putKey(newSigningKey(isoTime(this.#clock.now())));
      keys = await log.keys();
    }
    const [first] = keys;
    const now = isoTime(this.#clock.now());
    const active =
      keys.findLast((key) => key.createdAt <= now && (key.retiredAt === null || key.retiredAt > now)) ??
      keys.findLast((key) => key.retiredAt === null);
    if (!first || !active) throw new Error("the provenance log has no active key");
    this.#knownUntil = this.#clock.now() + KEYS_KNOWN_MS;
    if (this.#keys?.signer.keyId === active.id) return this.#keys;
    this.#keys = { signer: signerOf(active), secret: saltSecretOf(first), origin: originOf(keys) };
    return this.#keys;
  }

  /** Extends the tree behind its head by leaves. */
  async #extend(tx: StoreTx, head: LogHead, leaves: readonly { readonly leafHash: string }[]): Promise<void> {
    const hashes = leaves.map(({ leafHash }) => leafHash);
    const { frontier, completed } = appendLeaves(await this.#frontier(tx.provenance, head), hashes);
    if (completed.length > 0) await tx.provenance.putNodes(completed);
    this.#edge = { lastLeafHash: hashes.at(-1) ?? "", frontier };
  }

  /** One checkpoint covers everything of a commit. */
  async #sealOnce(tx: StoreTx): Promise<void> {
    if (tx.beforeCommit === undefined) await this.seal(tx);
    else tx.beforeCommit("provenance checkpoint", this.#sealShared);
  }

  async #frontier(log: ProvenanceStore, head: LogHead): Promise<Frontier> {
    if (head.size === 0) return EMPTY_FRONTIER;
    if (this.#edge?.frontier.size === head.size && this.#edge.lastLeafHash === head.lastLeafHash) {
      return this.#edge.frontier;
    }
    const read = readerOf(log);
    const peaks: (string | null)[] = [];
    for (const { level, index } of frontierNodes(head.size)) peaks[level] = await read(level, index);
    return { size: head.size, peaks: Array.from(peaks, (peak) => peak ?? null) };
  }
}

/** The log is named after its first key, so that its name survives a change of address or of key. */
export function originOf(keys: readonly SigningKeyRecord[]): string {
  return `workflow-ui/log/${keys[0]?.id.replace("ed25519:", "") ?? "empty"}`;
}

/** Reads subtree hashes; those that are not stored are computed from their leaves. */
export function readerOf(log: ProvenanceStore): NodeReader {
  return async (level, index) => {
    if (level < LOWEST_STORED_LEVEL) {
      const width = 2 ** level;
      const leaves = await log.leafHashes(index * width, (index + 1) * width);
      if (leaves.length === width) return subtreeHash(leaves);
    } else {
      const [hash] = await log.nodes([{ level, index }]);
      if (hash !== null && hash !== undefined) return hash;
    }
    throw new Error(`the provenance log lacks node ${level}/${index}`);
  };
}
