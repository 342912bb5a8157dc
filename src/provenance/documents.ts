import { digestOf, sha256Hex } from "../kernel/canonical-json.ts";
import { isObject } from "../kernel/json.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import type { Services } from "../ports/services.ts";
import type { ProvenanceStore } from "../ports/store.ts";

/** The document that describes the log changes with every entry, so it is not an entry itself. */
const ABOUT_THE_LOG = "/.well-known/provenance.json";

/** The digest of a document's content: the time it was generated at is not content. */
function documentDigest(body: string): string {
  if (!body.startsWith("{")) return `sha256:${sha256Hex(body)}`;
  const parsed: unknown = JSON.parse(body);
  if (!isObject(parsed)) return `sha256:${sha256Hex(body)}`;
  const { generatedAt: _time, ...content } = parsed;
  return digestOf(content);
}

/** The digests of the discovery documents as they are served now. */
export async function documentDigests(
  services: Services,
  paths: readonly string[],
): Promise<readonly { readonly path: string; readonly digest: string }[]> {
  const found: { path: string; digest: string }[] = [];
  for (const path of paths) {
    if (path === ABOUT_THE_LOG) continue;
    // All of them at once would delay other requests.
    await new Promise((resolve) => setImmediate(resolve));
    const { status, body } = await services.site.request("GET", path);
    if (status === 200) found.push({ path, digest: documentDigest(body) });
  }
  return found;
}

/** Records every discovery document whose content differs from its newest record. Returns how many did. */
export async function recordDocuments(services: Services, paths: readonly string[]): Promise<number> {
  const { provenance, settings, store } = services;
  const digests = await documentDigests(services, paths);
  const changedIn = async (log: ProvenanceStore): Promise<readonly ProvenanceFact[]> => {
    const changed: ProvenanceFact[] = [];
    for (const { path, digest } of digests) {
      const subjectId = `${settings.baseUrl}${path}`;
      const newest = await log.find({ subjectId, kind: "discovery_document" }, { limit: 1 });
      if (newest.items[0]?.digest === digest) continue;
      changed.push({ kind: "discovery_document", subjectId, digest, privacy: "public", predicate: { path } });
    }
    return changed;
  };
  if ((await changedIn(store.read.provenance)).length === 0) return 0;
  return store.transact(async (tx) => {
    // Another replica that starts now may have recorded them.
    await tx.provenance.lock();
    const changed = await changedIn(tx.provenance);
    if (changed.length > 0) await provenance.append(tx, changed);
    return changed.length;
  });
}

const DELAY_MS = 1_000;

/** Records the documents a moment after the start, so that starting and stopping stay fast. */
export function startDocumentRecorder(
  services: Services,
  paths: readonly string[],
): { readonly done: Promise<void>; stop(): Promise<void> } {
  const { promise: begin, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, DELAY_MS, true);
  const record = async (): Promise<void> => {
    if (!(await begin)) return;
    const count = await recordDocuments(services, paths);
    services.log.debug("provenance.documents", { count });
  };
  const done = record().catch((cause: unknown) =>
    services.log.warn("provenance.documents_failed", {}, cause),
  );
  timer.unref();
  return {
    done,
    stop() {
      clearTimeout(timer);
      resolve(false);
      return done;
    },
  };
}
