import { leafId, leafIdStem } from "../kernel/leaf-ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import { isoTime } from "../kernel/time.ts";
import type { Clock } from "../ports/platform.ts";
import type { Provenance, ProvenanceFact, ProvenanceQuery } from "../ports/provenance.ts";
import type { CheckpointRecord, ProvenanceRecord, SigningKeyRecord } from "../ports/records.ts";
import type { Page, PageRequest, ProvenanceStore, StepLeaf, Store, StoreTx } from "../ports/store.ts";
import { verifyBundle, type ProofBundle, type PublicKeyEntry } from "./bundle.ts";
import { signCheckpoint } from "./checkpoint.ts";
import { isExchanged, isStep, privateLookupKey, recordOf, saltOf, sealFact, stepLeafOf } from "./leaf.ts";
import {
  appendLeaves,
  consistencyPath,
  EMPTY_FRONTIER,
  frontierNodes,
  inclusionPath,
  LOWEST_STORED_LEVEL,
  rootOf,
  subtreeHash,
  type Frontier,
  type NodeReader,
} from "./merkle.ts";
import { newSigningKey, saltSecretOf, signerOf, type Signer } from "./signing.ts";

/** The keys of the log, parsed once. */
interface Keyring {
  readonly signer: Signer;
  readonly secret: Buffer;
  readonly origin: string;
}

/** The provenance log over a store. */
export function createProvenance(parts: { readonly store: Store; readonly clock: Clock }): Provenance {
  return new ProvenanceLog(parts.store, parts.clock);
}

class ProvenanceLog implements Provenance {
  readonly #store: Store;
  readonly #clock: Clock;
  #keyring: Keyring | null = null;
  /** The right edge as of the last append here; used only when the stored head is still that one. */
  #edge: { readonly lastLeafHash: string; readonly frontier: Frontier } | null = null;

  readonly #sealShared = async (tx: StoreTx): Promise<void> => {
    await this.#sealIn(tx);
  };

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async sign(facts: readonly ProvenanceFact[]): Promise<readonly ProvenanceFact[]> {
    if (!facts.some((fact) => isExchanged(fact.kind))) return facts;
    const { signer, secret } =
      this.#keyring ?? (await this.#store.transact((tx) => this.#keys(tx.provenance)));
    const at = this.#now();
    return Promise.all(facts.map((fact) => sealFact(fact, at, signer, secret)));
  }

  async append(tx: StoreTx, facts: readonly ProvenanceFact[]): Promise<readonly string[]> {
    if (facts.length === 0) return [];
    await tx.provenance.lock();
    const keyring = await this.#keys(tx.provenance);
    const head = await tx.provenance.head();
    const before = await this.#frontier(tx.provenance, head);
    const at = this.#now();
    const stem = leafIdStem("prov");
    const ids: string[] = [];
    const hashes: string[] = [];
    const records: ProvenanceRecord[] = [];
    const steps: StepLeaf[] = [];
    for (const fact of facts) {
      const leafIndex = head.size + ids.length;
      if (isStep(fact)) {
        const id = leafId(stem, leafIndex);
        const leaf = stepLeafOf(fact, leafIndex, id, at, keyring.secret);
        steps.push(leaf);
        hashes.push(leaf.leafHash);
        ids.push(id);
      } else {
        const record = recordOf(fact, leafIndex, at, keyring.signer, keyring.secret);
        records.push(record);
        hashes.push(record.leafHash);
        ids.push(record.id);
      }
    }
    const { frontier, completed } = appendLeaves(before, hashes);
    if (steps.length > 0) await tx.provenance.appendSteps(steps);
    if (records.length > 0) await tx.provenance.append(records);
    if (completed.length > 0) await tx.provenance.putNodes(completed);
    this.#edge = { lastLeafHash: hashes.at(-1) ?? "", frontier };
    if (facts.some((fact) => isExchanged(fact.kind))) {
      if (tx.beforeCommit === undefined) await this.#sealIn(tx);
      else tx.beforeCommit("provenance checkpoint", this.#sealShared);
    }
    return ids;
  }

  async lookup(
    query: ProvenanceQuery,
    page: PageRequest,
    includePrivate: boolean,
  ): Promise<Page<ProvenanceRecord>> {
    const log = this.#store.read.provenance;
    const { recordId, hash, ...rest } = query;
    if (recordId !== undefined) {
      const record = await log.get(recordId);
      return { items: record ? [record] : [], nextCursor: null };
    }
    if (hash === undefined) return log.find(rest, page);
    const bare = hash.replace(/^(sha256|hmac-sha256):/, "");
    const candidates = [
      { lookupKey: `sha256:${bare}` },
      { leafHash: bare },
      { lookupKey: `hmac-sha256:${bare}` },
    ];
    if (includePrivate) {
      const { secret } = await this.#keys(log);
      candidates.push({ lookupKey: privateLookupKey(secret, `sha256:${bare}`) });
    }
    for (const candidate of candidates) {
      const found = await log.find({ ...rest, ...candidate }, page);
      if (found.items.length > 0) return found;
    }
    return { items: [], nextCursor: null };
  }

  async prove(recordId: string): Promise<JsonObject | null> {
    const record = await this.#store.read.provenance.get(recordId);
    return record === null ? null : asJson(await this.#bundle(record));
  }

  async verify(record: ProvenanceRecord): Promise<JsonObject> {
    const { secret } = await this.#keys(this.#store.read.provenance);
    const bundle = await this.#bundle(record);
    const salt = record.privacy === "public" ? null : saltOf(secret, record.id, factOf(record));
    const lookup = { lookupKey: record.lookupKey, salt };
    const verdicts = verifyBundle(bundle, { trustedKeys: bundle.keys, lookup });
    const all = Object.values(verdicts);
    const failed = all.some((entry) => entry.verdict === "fail");
    return asJson({ verified: !failed, verdicts, proof: bundle });
  }

  async consistency(oldSize: number, newSize: number): Promise<JsonObject | null> {
    const log = this.#store.read.provenance;
    const [older, newer] = [await log.checkpoint(oldSize), await log.checkpoint(newSize)];
    if (!older || !newer || oldSize > newSize) return null;
    const { origin } = await this.#keys(log);
    const path = await consistencyPath(oldSize, newSize, readerOf(log));
    return asJson({ schemaVersion: "svc.provenance-consistency.v1", origin, older, newer, path });
  }

  async disclose(record: ProvenanceRecord): Promise<JsonObject> {
    if (record.privacy === "public") return { algorithm: "sha256", salt: null };
    const { secret } = await this.#keys(this.#store.read.provenance);
    return { algorithm: "hmac-sha256", salt: saltOf(secret, record.id, factOf(record)) };
  }

  async rotateKey(): Promise<JsonObject> {
    const at = this.#now();
    const next = newSigningKey(at);
    await this.#store.transact(async (tx) => {
      await this.#keys(tx.provenance);
      for (const key of await tx.provenance.keys()) {
        if (key.retiredAt === null) await tx.provenance.putKey({ ...key, retiredAt: at });
      }
      await tx.provenance.putKey(next);
    });
    this.#keyring = null;
    return asJson(published(next));
  }

  async describe(): Promise<JsonObject> {
    const log = this.#store.read.provenance;
    const keys = await log.keys();
    const checkpoint = await log.checkpoint();
    const head = await log.head();
    return asJson({
      origin: keys.length === 0 ? null : originOf(keys),
      size: head.size,
      keys: keys.map(published),
      checkpoint,
      anchoring: "No external anchor is configured; nothing is called anchored without an external receipt.",
    });
  }

  /** The proof of a record under the newest checkpoint, made now if none covers the record yet. */
  async #bundle(record: ProvenanceRecord): Promise<ProofBundle> {
    const log = this.#store.read.provenance;
    let checkpoint = await log.checkpoint();
    if (!checkpoint || checkpoint.treeSize <= record.leafIndex) checkpoint = await this.#seal();
    const { origin } = await this.#keys(log);
    const keys = await log.keys();
    const { lookupKey: _private, ...shown } = record;
    return {
      schemaVersion: "svc.provenance-proof.v1",
      origin,
      record: shown,
      checkpoint,
      inclusionPath:
        record.leafIndex < checkpoint.treeSize
          ? await inclusionPath(record.leafIndex, checkpoint.treeSize, readerOf(log))
          : [],
      keys: keys.map(published),
    };
  }

  /** Signs a checkpoint over everything that is in the log now, unless there is one. */
  #seal(): Promise<CheckpointRecord> {
    return this.#store.transact(async (tx) => {
      await tx.provenance.lock();
      const { size } = await tx.provenance.head();
      return (await tx.provenance.checkpoint(size)) ?? this.#sealIn(tx);
    });
  }

  /** Signs a checkpoint over everything that the transaction sees; one for all that share its commit is enough. */
  async #sealIn(tx: StoreTx): Promise<CheckpointRecord> {
    const keyring = await this.#keys(tx.provenance);
    const frontier = await this.#frontier(tx.provenance, await tx.provenance.head());
    const head = { treeSize: frontier.size, rootHash: rootOf(frontier), createdAt: this.#now() };
    const checkpoint = signCheckpoint(keyring.origin, head, keyring.signer);
    await tx.provenance.putCheckpoint(checkpoint);
    return checkpoint;
  }

  async #frontier(
    log: ProvenanceStore,
    head: { readonly size: number; readonly lastLeafHash: string | null },
  ): Promise<Frontier> {
    if (head.size === 0) return EMPTY_FRONTIER;
    if (this.#edge?.frontier.size === head.size && this.#edge.lastLeafHash === head.lastLeafHash) {
      return this.#edge.frontier;
    }
    const read = readerOf(log);
    const peaks: (string | null)[] = [];
    for (const { level, index } of frontierNodes(head.size)) peaks[level] = await read(level, index);
    return { size: head.size, peaks: Array.from(peaks, (peak) => peak ?? null) };
  }

  /** The keys, made on first use inside the transaction that needs them. */
  async #keys(log: ProvenanceStore): Promise<Keyring> {
    if (this.#keyring) return this.#keyring;
    let keys = await log.keys();
    if (keys.length === 0) {
      await log.putKey(newSigningKey(this.#now()));
      keys = await log.keys();
    }
    const [first] = keys;
    const active = keys.findLast((key) => key.retiredAt === null);
    if (!first || !active) throw new Error("the provenance log has no active key");
    const keyring = { signer: signerOf(active), secret: saltSecretOf(first), origin: originOf(keys) };
    this.#keyring = keyring;
    return keyring;
  }

  #now(): string {
    return isoTime(this.#clock.now());
  }
}

/** The log is named after its first key, so that its name survives a change of address or of key. */
function originOf(keys: readonly SigningKeyRecord[]): string {
  return `workflow-ui/log/${keys[0]?.id.replace("ed25519:", "") ?? "empty"}`;
}

function published(key: SigningKeyRecord): PublicKeyEntry {
  return { id: key.id, publicKey: key.publicKey, createdAt: key.createdAt, retiredAt: key.retiredAt };
}

function factOf(record: ProvenanceRecord): { kind: string; runId?: string } {
  return { kind: record.kind, ...(record.runId !== null && { runId: record.runId }) };
}

/** Reads subtree hashes; those that are not stored are computed from their leaves. */
function readerOf(log: ProvenanceStore): NodeReader {
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

/** Interfaces of plain data are JSON, but have no index signature; a round trip makes them so. */
function asJson(value: object): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(value));
  return copy;
}
