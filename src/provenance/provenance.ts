import { recordEntry } from "../audit/record.ts";
import { plainJson, type JsonObject } from "../kernel/json.ts";
import type {
  DisclosureView,
  GrowthView,
  LogView,
  SigningKeyView,
  VerificationView,
} from "../model/provenance.ts";
import { isoTime } from "../kernel/time.ts";
import type { Clock } from "../ports/platform.ts";
import type { Provenance, ProvenanceFact, ProvenanceQuery } from "../ports/provenance.ts";
import type { CheckpointRecord, ProvenanceRecord, SigningKeyRecord } from "../ports/records.ts";
import type { Page, PageRequest, Store, StoreTx } from "../ports/store.ts";
import { sealed, verifyBundle } from "./bundle.ts";
import { isSalted, lookupCommitment, privateLookupKey, saltOf } from "./leaf.ts";
import { KEYS_KNOWN_MS, LogWriter, originOf, readerOf } from "./log-writer.ts";
import { consistencyPath, inclusionPath } from "./merkle.ts";
import { predicateIn, type ProofBundle, type Verdicts } from "./proof.ts";
import { newSigningKey, signerOf } from "./signing.ts";
import { signsDecision } from "./step-up.ts";

/** A retired key may sign for this time: other processes find out about its successor within a third of that. */
const GRACE_MS = 3 * KEYS_KNOWN_MS;

/** Records that are put into the log in one transaction at most. */
const BATCH = 1_000;

/** The provenance log over a store. */
export function createProvenance(parts: { readonly store: Store; readonly clock: Clock }): Provenance {
  return new ProvenanceLog(parts.store, parts.clock);
}

class ProvenanceLog implements Provenance {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #writer: LogWriter;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#writer = new LogWriter(clock);
  }

  append(tx: StoreTx, facts: readonly ProvenanceFact[]): Promise<readonly string[]> {
    return this.#writer.append(tx, facts);
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
    const bare = hash.replace(/^(hmac-)?sha256:/, "");
    const candidates = [
      { lookupKey: `sha256:${bare}` },
      { leafHash: bare },
      { lookupKey: `hmac-sha256:${bare}` },
    ];
    if (includePrivate) {
      const { secret } = await this.#writer.keys(log);
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
    return record === null ? null : plainJson(await this.#bundle(record));
  }

  async verify(record: ProvenanceRecord): Promise<VerificationView> {
    const { secret } = await this.#writer.keys(this.#store.read.provenance);
    const bundle = await this.#bundle(record);
    const salt = isSalted(record) ? saltOf(secret, record.id, factOf(record)) : null;
    const lookup = lookupCommitment(record.lookupKey, record.digest, salt);
    const found = verifyBundle(bundle, { trustedKeys: bundle.keys, lookup });
    const verdicts = { ...found, ...(await this.#saidOtherwise(record)) };
    const all = Object.values(verdicts);
    const failed = all.some((entry) => entry.verdict === "fail");
    return { verified: !failed, verdicts, proof: bundle };
  }

  /** A decision that is stored with another reason or other values than its passkey signed. */
  async #saidOtherwise({ kind, subjectId, body }: ProvenanceRecord): Promise<Pick<Verdicts, "assertion">> {
    const approval = kind === "approval" ? await this.#store.read.approvals.get(subjectId) : null;
    if (approval?.stepUp !== true || approval.decidedBy === null) return {};
    const salt = await this.saidSalt(approval.id, approval.decidedBy);
    if (signsDecision(predicateIn(body), salt, approval)) return {};
    const detail = "The passkey did not sign the reason and the values that are stored.";
    return { assertion: { verdict: "fail", detail } };
  }

  async growthSince(treeSize: number): Promise<GrowthView | null> {
    const log = this.#store.read.provenance;
    const [older, newer] = [await log.checkpoint(treeSize), await log.checkpoint()];
    if (!older || !newer) return null;
    const { origin } = await this.#writer.keys(log);
    const path = await consistencyPath(older.treeSize, newer.treeSize, readerOf(log));
    return { schemaVersion: "svc.provenance-consistency.v1", origin, older, newer, path };
  }

  async disclose(record: ProvenanceRecord): Promise<DisclosureView> {
    if (!isSalted(record)) return { algorithm: "sha256", salt: null };
    const { secret } = await this.#writer.keys(this.#store.read.provenance);
    const [algorithm = ""] = record.digest.split(":");
    return { algorithm, salt: saltOf(secret, record.id, factOf(record)) };
  }

  async saidSalt(approvalId: string, personId: string): Promise<string> {
    const { secret } = await this.#writer.keys(this.#store.read.provenance);
    return secret.hex(`said:${approvalId}:${personId}`);
  }

  async rotateKey(by = "system"): Promise<SigningKeyView> {
    const next = await this.#store.transact(async (tx) => {
      await this.#writer.keys(tx.provenance);
      const keys = await tx.provenance.keys();
      // The first key names the log and makes its salts, so the order of keys must not depend on ties or clocks.
      const newest = Date.parse(keys.at(-1)?.createdAt ?? "") || 0;
      const from = Math.max(this.#clock.now(), newest + 1);
      for (const key of keys) {
        if (key.retiredAt === null)
          await tx.provenance.putKey({ ...key, retiredAt: isoTime(from + GRACE_MS) });
      }
      const made = newSigningKey(isoTime(from));
      await tx.provenance.putKey(made);
      await recordEntry(tx, {
        action: "signing_key.rotated",
        by,
        subject: `signing-keys/${made.id}`,
        detail: { id: made.id },
        provenanceId: null,
      });
      return made;
    });
    this.#writer.forgetKeys();
    return published(next);
  }

  async describe(): Promise<LogView> {
    const log = this.#store.read.provenance;
    const keys = await log.keys();
    const checkpoint = await log.checkpoint();
    const head = await log.head();
    return {
      origin: keys.length === 0 ? null : originOf(keys),
      size: head.size,
      keys: keys.map(published),
      checkpoint,
      anchoring: "No external anchor is configured; nothing is called anchored without an external receipt.",
    };
  }

  /** The proof of a record under the newest checkpoint, made now if none covers the record yet. */
  async #bundle(record: ProvenanceRecord): Promise<ProofBundle> {
    const log = this.#store.read.provenance;
    const leafIndex = record.leafIndex ?? (await this.#placeOf(record.id));
    let checkpoint = await log.checkpoint();
    if (!checkpoint || checkpoint.treeSize <= leafIndex) checkpoint = await this.#seal();
    const { origin } = await this.#writer.keys(log);
    const keys = await log.keys();
    const { lookupKey: _private, ...shown } = record;
    const bundle: ProofBundle = {
      schemaVersion: "svc.provenance-proof.v1",
      origin,
      record: { ...shown, leafIndex, envelope: null },
      checkpoint,
      inclusionPath:
        leafIndex < checkpoint.treeSize
          ? await inclusionPath(leafIndex, checkpoint.treeSize, readerOf(log))
          : [],
      keys: keys.map(published),
    };
    const key = keyAt(keys, record.createdAt);
    return key === null ? bundle : sealed(bundle, signerOf(key));
  }

  /** Puts what waits for its place into the log instead of waiting for the sequencer, and gives the record's place. */
  async #placeOf(recordId: string): Promise<number> {
    for (;;) {
      const numbered = await this.#store.transact((tx) => this.#writer.numberPending(tx, BATCH));
      const record = await this.#store.read.provenance.get(recordId);
      if (record?.leafIndex !== null && record?.leafIndex !== undefined) return record.leafIndex;
      if (numbered === 0) throw new Error(`the record ${recordId} is not stored`);
    }
  }

  /** Signs a checkpoint over everything that is in the log now, unless there is one. */
  #seal(): Promise<CheckpointRecord> {
    return this.#store.transact(async (tx) => {
      await tx.provenance.lock();
      const { size } = await tx.provenance.head();
      return (await tx.provenance.checkpoint(size)) ?? this.#writer.seal(tx);
    });
  }
}

/** The key of a time. */
function keyAt(keys: readonly SigningKeyRecord[], at: string): SigningKeyRecord | null {
  return keys.findLast(({ createdAt }) => createdAt <= at) ?? keys[0] ?? null;
}

function published(key: SigningKeyRecord): SigningKeyView {
  return { id: key.id, publicKey: key.publicKey, createdAt: key.createdAt, retiredAt: key.retiredAt };
}

function factOf(record: ProvenanceRecord): { kind: string; runId?: string } {
  return { kind: record.kind, ...(record.runId !== null && { runId: record.runId }) };
}
