import { LRUCache } from "lru-cache";
import type { GuardView } from "../model/guard.ts";
import type { Caller } from "../ports/caller.ts";
import type { RunRecord } from "../ports/records.ts";
import type { Records } from "../ports/store.ts";
import { authorNames, clientIn } from "../workflows/authors.ts";

type Reads = Pick<Records, "runs" | "workflows">;
type Settings = Pick<GuardView, "agents" | "trusted">;

const MAX_KNOWN = 2_000;

/** The ids that a caller is known by, the one that decisions are noted under first. */
export function idsOf({ id, token }: Caller): readonly string[] {
  return token === undefined || token.id === id ? [id] : [token.id, id];
}

/** The same of the caller that a run acts for. */
export function idsOfRun({ startedBy, actsFor, actsVia }: RunRecord): readonly string[] {
  return [...(actsVia === null ? [] : [actsVia]), actsFor, startedBy];
}

/**
 * True for a key or a personal token that nobody trusts: what it destroys elsewhere, a person decides. Who administers
 * the service could change the guard, so a key with `admin` is trusted.
 */
export function isUntrustedProgram(caller: Caller, run: RunRecord | null, { trusted }: Settings): boolean {
  if (caller.scopes.has("admin")) return false;
  const isProgram =
    run === null
      ? caller.kind === "key" || caller.kind === "token"
      : !run.actsFor.startsWith("person_") || run.actsVia !== null;
  return isProgram && !(run === null ? idsOf(caller) : idsOfRun(run)).some((id) => trusted.includes(id));
}

/** OAuth clients act through a grant, and steps write through their run; personal tokens have an id of their own kind. */
function isClient(id: string | null): boolean {
  return id !== null && !id.startsWith("tok_");
}

/** Knows whether an agent is behind a run: as the one that started it, or as an author of what it runs. */
export class AgentRuns {
  /** Who published a version; it never changes. */
  readonly #publishers = new LRUCache<string, readonly string[]>({ max: MAX_KNOWN });

  /** `starter`: an agent started it. `author`: a person did, and an agent published what it runs, or changed the draft. */
  async agentBehind(run: RunRecord, read: Reads, { agents }: Settings): Promise<"starter" | "author" | null> {
    if (isClient(run.actsVia) || idsOfRun(run).some((id) => agents.includes(id))) return "starter";
    const isAgent = (name: string): boolean =>
      isClient(clientIn(name)) || agents.includes(clientIn(name) ?? name);
    let at: RunRecord | null = run;
    while (at !== null) {
      if ((await this.#authors(at, read)).some(isAgent)) return "author";
      at = at.parentRunId === null ? null : await read.runs.get(at.parentRunId);
    }
    return null;
  }

  async #authors(
    { workflowId, workflowVersion, createdAt }: RunRecord,
    { workflows }: Reads,
  ): Promise<readonly string[]> {
    if (workflowId === null) return [];
    if (workflowVersion !== null) return this.#publishersOf(workflowId, workflowVersion, workflows);
    // The draft is what the version before it was, with the changes since. Versions of after the start do not count.
    const newest = (await workflows.head(workflowId))?.publishedVersion ?? 0;
    let base = newest;
    while (base > 0 && ((await workflows.version(workflowId, base))?.publishedAt ?? "") > createdAt)
      base -= 1;
    return [
      ...(base === 0 ? [] : await this.#publishersOf(workflowId, base, workflows)),
      ...(await workflows.editors(workflowId, [base + 1, newest + 1])),
    ];
  }

  async #publishersOf(
    workflowId: string,
    number: number,
    workflows: Reads["workflows"],
  ): Promise<readonly string[]> {
    const key = `${workflowId} ${number}`;
    const known = this.#publishers.get(key);
    if (known !== undefined) return known;
    const version = await workflows.version(workflowId, number);
    const found = version === null ? [] : authorNames(version.publishedBy, version.publishedVia);
    this.#publishers.set(key, found);
    return found;
  }
}
