import { isObject } from "#kernel/json.ts";
import { lackedFor, OperationError, type Workflow } from "@workflow-ui/client";
import { call, queryClient } from "../../api/operations.ts";
import { rightsKnown, rightsNow } from "../../api/rights.ts";
import { session as keySession } from "../../api/session.ts";
import { external, type External } from "../../lib/external.ts";
import { objectAt, objectsAt, numberAt, textAt, textsAt, type JsonRecord } from "../../lib/read.ts";
import { dropLocal, getLocal, putLocal } from "../../lib/idb.ts";
import { toast } from "../../shell/notices.ts";
import { createGraphStore, type Draft, type GraphStore } from "./graph-store.ts";
import { mergeDrafts, same, takeTheirs, type Clash } from "./merge.ts";
import { graphOf } from "./read-graph.ts";
import { openPins, type Pins } from "./pins.ts";
import { graphCall } from "../use-verdict.ts";

/*
 * An edit session lives as long as the page, not as long as a view of it: leaving the editor loses nothing. Every
 * change is written to this device at once and to the server a moment later, under the revision it was made from.
 */

/** How safe the draft is. */
interface SaveState {
  readonly state: "saved" | "device" | "saving" | "failed" | "refused" | "conflict";
  readonly message: string;
}

/** What the server has: the draft and its revision; null when it is not known as a draft there. */
interface Base {
  readonly revision: number | null;
  readonly draft: Draft;
}

/** Two people changed the same; a person chooses. */
export interface Conflict {
  readonly clashes: readonly Clash[];
  readonly base: Base;
  readonly merged: Draft;
}

/** A workflow being edited. */
export interface EditSession {
  /** Stays the same when the id changes. */
  readonly key: string;
  readonly hasId: (id: string) => boolean;
  /** The id in the address; a draft of this device gets the id of the server when it is saved there. */
  readonly id: External<string>;
  readonly store: GraphStore;
  readonly status: External<SaveState>;
  readonly conflict: External<Conflict | null>;
  readonly pins: Pins;
  /** Writes to the server now. A key is asked for when `interactive`. Gives the id, or nothing when it failed. */
  readonly save: (interactive: boolean) => Promise<string>;
  /** Tells what the server has; a newer revision is taken over or merged. */
  readonly serverHas: (record: Workflow) => void;
  readonly resolve: (theirs: readonly Clash[]) => void;
  /** Forgets the edits of this page. */
  readonly discard: () => void;
}

const SERVER_MS = 1_500;
const RETRY_MS = 8_000;
const KEPT_UNDO = 40;

const sessions = new Map<string, EditSession>();
/** Sessions whose page was left. */
const left = new WeakSet<EditSession>();
const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("workflow-ui-edits");

/** What a record of the server is, as a base. */
function baseOf(record: Workflow): Base {
  const { name, description, tags, revision = null } = record;
  return { revision, draft: { name, description, tags, graph: graphOf(record) } };
}

/**
 * Who may not change workflows, a person or a key, looks at what the server has: edits are never kept over it. Those of
 * a guest wait on this device until a person signs in.
 */
function mayKeep(): boolean {
  const rights = rightsNow();
  return rights === null || rights.kind === "anonymous" || lackedFor("update_workflow", rights) === null;
}

/** Ends a session whose edits cannot be saved, when its page is left. */
export function leave(session: EditSession): void {
  left.add(session);
  if (!mayKeep()) session.discard();
}

/** Opens a workflow of the server: what this device has of it, merged with what the server has now. */
export async function openStored(id: string, record: Workflow): Promise<EditSession> {
  await rightsKnown();
  const known = sessions.get(id);
  // What a guest did is not shown to a person or a key that may not save it.
  if (known !== undefined && left.has(known) && !mayKeep()) known.discard();
  else if (known !== undefined) {
    left.delete(known);
    known.serverHas(record);
    return known;
  }
  const kept = mayKeep() ? keptOf(await getLocal("edits", id).catch(() => undefined)) : null;
  const opened = sessions.get(id);
  if (opened !== undefined) return opened;
  const base = baseOf(record);
  const made = start(id, kept?.draft ?? base.draft, kept?.base ?? base, kept ?? undefined);
  made.serverHas(record);
  return made;
}

/** Opens a draft that only this device has. */
export async function openLocal(
  id: string,
  fallback: () => Promise<Draft | null>,
): Promise<EditSession | null> {
  const known = sessions.get(id);
  if (known !== undefined) return known;
  const kept = keptOf(await getLocal("edits", id).catch(() => undefined));
  const draft = kept?.draft ?? (await fallback());
  if (draft === null) return null;
  return sessions.get(id) ?? start(id, draft, null, kept ?? undefined);
}

/** Begins a draft that is nowhere yet. */
export function openNew(draft: Draft): EditSession {
  return start(`draft_${crypto.randomUUID().slice(0, 13)}`, draft, null);
}

interface StoredSession {
  readonly draft: Draft;
  readonly base: Base | null;
  /** What was sent to the server while no answer has come. */
  readonly sent: Draft | null;
  readonly past: readonly Draft[];
  readonly future: readonly Draft[];
}

function start(firstId: string, draft: Draft, firstBase: Base | null, kept?: StoredSession): EditSession {
  const id = external(firstId);
  const store = createGraphStore(draft, kept);
  const status = external<SaveState>({ state: firstBase === null ? "device" : "saved", message: "" });
  const conflict = external<Conflict | null>(null);
  const pins = openPins(firstId);
  let base = firstBase;
  let sent = kept?.sent ?? null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let saving: Promise<string> | null = null;
  let fromElsewhere = false;
  let isDiscarded = false;

  const isSaved = () => base !== null && base.revision !== null && same(store.get(), base.draft);
  const isLocal = () => id.get().startsWith("draft_");
  const plan = (ms: number) => {
    clearTimeout(timer);
    if (isDiscarded || conflict.get() !== null || isSaved()) return;
    if (!keySession.get().keyed || !mayKeep()) return;
    if (isLocal() && store.get().graph.nodes.length === 0) return;
    timer = setTimeout(() => void save(false), ms);
  };

  const keepHere = keeper(() => ({ id: id.get(), draft: store.get(), base, sent, ...store.history() }));
  store.subscribe(() => {
    // Undone back to what the server has, a draft is saved again.
    if (conflict.get() === null) status.set({ state: isSaved() ? "saved" : "device", message: "" });
    if (mayKeep()) keepHere();
    if (!fromElsewhere && mayKeep()) channel?.postMessage({ id: id.get(), draft: store.get(), base });
    plan(SERVER_MS);
  });
  keySession.subscribe(() => plan(200));

  const take = (next: Base) => {
    if (base !== null && base.revision === next.revision) return;
    if (base?.revision !== null && next.revision !== null && (base?.revision ?? 0) > next.revision) return;
    // What strangers see of the workflow, asked for after the session had ended, is nobody's change of it.
    const { keyed, ended } = keySession.get();
    if ((keyed || ended) && next.revision === null && typeof base?.revision === "number") return;
    const mine = store.get();
    // The page went away before the answer to its own save came.
    if (sent !== null && same(sent, next.draft)) {
      base = next;
      status.set({ state: isSaved() ? "saved" : "device", message: "" });
      plan(50);
      return;
    }
    const before = base?.draft ?? next.draft;
    if (base === null || same(mine, before)) {
      base = next;
      if (!same(mine, next.draft)) store.change("changed elsewhere", () => next.draft);
      status.set({ state: next.revision === null ? "device" : "saved", message: "" });
      return;
    }
    const merged = mergeDrafts(before, mine, next.draft);
    if (merged.clashes.length > 0) {
      conflict.set({ clashes: merged.clashes, base: next, merged: merged.draft });
      status.set({ state: "conflict", message: "" });
      return;
    }
    base = next;
    if (!same(mine, next.draft)) {
      store.change("merged", () => merged.draft);
      toast("info", "Changes made elsewhere were merged", "Your own changes are kept.");
    }
    plan(50);
  };

  const save = (interactive: boolean): Promise<string> => {
    saving ??= write(interactive).finally(() => {
      saving = null;
      if (!isSaved() && status.get().state === "saved") plan(SERVER_MS);
    });
    return saving;
  };

  const write = async (interactive: boolean): Promise<string> => {
    clearTimeout(timer);
    if (conflict.get() !== null) return "";
    if (isSaved()) return id.get();
    const draft = store.get();
    sent = draft;
    keepHere();
    status.set({ state: "saving", message: "" });
    const { args, meta } = graphCall(draft.graph);
    const fields = { name: draft.name, description: draft.description, tags: draft.tags, ...args };
    try {
      const saved = isLocal()
        ? await call(
            "create_workflow",
            fields,
            // The same draft saved twice, by two tabs or after a lost answer, makes one workflow.
            { meta: { ...meta, "svc/idempotencyKey": id.get() }, interactive },
          )
        : await call(
            "update_workflow",
            { id: id.get(), ...fields },
            { meta: { ...meta, "svc/expectedRevision": base?.revision ?? undefined }, interactive },
          );
      const { id: made, revision = null } = saved.workflow;
      base = { revision, draft };
      sent = null;
      status.set({ state: isSaved() ? "saved" : "device", message: "" });
      if (made !== id.get()) moved(made);
      keepHere();
      channel?.postMessage({ id: id.get(), draft: store.get(), base });
      void queryClient.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] === "list_workflows" || queryKey[0] === "get_workflow",
      });
      return made;
    } catch (error) {
      return failed(error, interactive);
    }
  };

  const failed = async (problem: unknown, interactive: boolean): Promise<string> => {
    const code = problem instanceof OperationError ? problem.code : "";
    const message = problem instanceof Error ? problem.message : "It was not saved.";
    if (code === "conflict" && !isLocal()) {
      const now = await call("get_workflow", { id: id.get() }, { interactive: false }).catch(() => null);
      if (now !== null) {
        take(baseOf(now.workflow));
        return conflict.get() === null ? write(interactive) : "";
      }
    }
    const denied = problem instanceof OperationError && (problem.status === 401 || problem.status === 403);
    // What the server refuses as it is would be refused again; the next change is sent.
    const refused = problem instanceof OperationError && [400, 413, 422].includes(problem.status);
    status.set({ state: denied && !interactive ? "device" : refused ? "refused" : "failed", message });
    if (!denied && !refused) timer = setTimeout(() => void save(false), RETRY_MS);
    return "";
  };

  const moved = (made: string) => {
    const before = id.get();
    sessions.set(made, session);
    id.set(made);
    pins.moved(before, made);
    void dropLocal("edits", before).catch(() => undefined);
    void dropLocal("drafts", before)
      .then(() => queryClient.invalidateQueries({ queryKey: ["drafts"] }))
      .catch(() => undefined);
  };

  channel?.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (textAt(data, "id") !== id.get()) return;
    const theirs = keptOf(data);
    if (theirs === null || same(theirs.draft, store.get())) return;
    fromElsewhere = true;
    const merged = mergeDrafts(base?.draft ?? theirs.draft, store.get(), theirs.draft);
    store.change("other tab", () => (merged.clashes.length === 0 ? merged.draft : theirs.draft));
    if (theirs.base !== null && (theirs.base.revision ?? 0) > (base?.revision ?? 0)) base = theirs.base;
    fromElsewhere = false;
  });

  const session: EditSession = {
    key: firstId,
    hasId: (wanted) => wanted === firstId || wanted === id.get(),
    id,
    store,
    status,
    conflict,
    pins,
    save,
    serverHas: (record) => take(baseOf(record)),
    resolve: (theirs) => {
      const open = conflict.get();
      if (open === null) return;
      const chosen = theirs.reduce(takeTheirs, open.merged);
      base = open.base;
      conflict.set(null);
      store.change("merged by hand", () => chosen);
      status.set({ state: isSaved() ? "saved" : "device", message: "" });
      plan(50);
    },
    discard: () => {
      isDiscarded = true;
      clearTimeout(timer);
      sessions.delete(id.get());
    },
  };
  sessions.set(firstId, session);
  // A draft that begins with steps, of a form or an import, is kept before its first change.
  if (kept === undefined && firstBase === null && draft.graph.nodes.length > 0) keepHere();
  if (kept !== undefined || firstBase === null) plan(SERVER_MS);
  return session;
}

/** Writes to this device: one write at a time, and always one more after the last change. */
function keeper(read: () => StoredSession & { readonly id: string }): () => void {
  let writing = false;
  let again = false;
  const put = async ({ id, draft, base, sent, past, future }: ReturnType<typeof read>) =>
    putLocal("edits", {
      id,
      draft,
      base,
      sent,
      past: past.slice(-KEPT_UNDO),
      future: future.slice(-KEPT_UNDO),
      at: Date.now(),
    }).catch(() => undefined);
  const run = async () => {
    writing = true;
    do {
      again = false;
      const kept = read();
      await put(kept);
      if (kept.id.startsWith("draft_")) await keepDraft(kept.id, kept.draft).catch(() => undefined);
    } while (again);
    writing = false;
  };
  // A page that goes away does not wait for the write before.
  globalThis.addEventListener("pagehide", () => {
    if (again) void put(read());
  });
  return () => {
    again = true;
    if (!writing) void run();
  };
}

/** A draft of this device also stands in the list of drafts. */
async function keepDraft(id: string, { name, description, tags, graph }: Draft): Promise<void> {
  const before = await getLocal("drafts", id);
  const now = new Date().toISOString();
  await putLocal("drafts", {
    id,
    title: name,
    type: "workflow",
    content: { ...graph, description, tags },
    createdAt: textAt(before, "createdAt", now),
    updatedAt: now,
    of: null,
    versions: [],
  });
  if (before === undefined) void queryClient.invalidateQueries({ queryKey: ["drafts"] });
}

function keptOf(record: unknown): StoredSession | null {
  const draft = draftIn(objectAt(record, "draft"));
  if (draft === null) return null;
  const base = draftIn(objectAt(record, "base", "draft"));
  return {
    draft,
    base: base === null ? null : { revision: numberAt(record, "base", "revision"), draft: base },
    sent: draftIn(objectAt(record, "sent")),
    past: objectsAt(record, "past").flatMap((item) => draftIn(item) ?? []),
    future: objectsAt(record, "future").flatMap((item) => draftIn(item) ?? []),
  };
}

function draftIn(bag: JsonRecord): Draft | null {
  const { graph } = bag;
  if (!isObject(graph)) return null;
  return {
    name: textAt(bag, "name"),
    description: textAt(bag, "description"),
    tags: textsAt(bag, "tags"),
    graph: graphOf(graph),
  };
}
