import type { DecidedVia } from "../../ports/approvals.ts";
import type { Caller } from "../../ports/caller.ts";
import type { Records } from "../../ports/store.ts";

type Credentials = Pick<Records, "keys" | "tokens">;

/** Who acts: a person, or a program behind which no person is known. */
export interface Actor {
  /** The id of the person, or of the program. */
  readonly id: string;
  readonly isPerson: boolean;
  /** The credential that was used; null for a signed-in browser. */
  readonly via: DecidedVia | null;
  /** What counts once: the person, or for a program the person who made its key. */
  readonly root: string;
}

/** Keys that made keys are followed this far. */
const MAX_CHAIN = 16;

/** Who is behind the id of a caller that was stored: the person, or else the program that made the first of its keys. */
export async function behind({ keys, tokens }: Credentials, id: string): Promise<string> {
  let current = id;
  for (let left = MAX_CHAIN; left > 0 && !isPersonId(current); left--) {
    const next = current.startsWith("tok_")
      ? (await tokens.get(current))?.personId
      : (await keys.get(current))?.createdBy;
    if (next === undefined || next === null || next === current) break;
    current = next;
  }
  return current;
}

/** True for the id of a person. */
export function isPersonId(id: string): boolean {
  return id.startsWith("person_");
}

/** Who is calling, whatever credential was shown. People count, not credentials. */
export async function actorOf(records: Credentials, caller: Caller): Promise<Actor> {
  const { id, kind, token } = caller;
  if (caller.person !== undefined) {
    const shown = kind === "oauth" ? ("oauth" as const) : ("token" as const);
    const via = token === undefined ? null : { kind: shown, id: token.id, name: token.name };
    return { id, isPerson: true, via, root: id };
  }
  const root = await behind(records, id);
  const isPerson = isPersonId(root);
  const name = token?.name ?? (await records.keys.get(id))?.name ?? id;
  return { id: isPerson ? root : id, isPerson, via: { kind: "key", id, name }, root };
}
