import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { Caller } from "../ports/caller.ts";
import type { RunRecord } from "../ports/records.ts";
import type { Records } from "../ports/store.ts";
import type { Services } from "../ports/services.ts";
import { timeFacts, type Facts } from "./rules.ts";

const MOST_PAST = 500;

type CallerFacts = Pick<Facts, "caller" | "person">;

/** What rules see of a caller. */
export function callerFacts(id: string, { kind, token, person }: Caller): CallerFacts {
  return {
    caller: { id, kind, name: token?.name ?? "" },
    person: { email: person?.email ?? "", role: person?.role ?? "" },
  };
}

/** The same of the caller that a run acts for: a workflow is no way around a rule about callers. */
export async function starterFacts(
  id: string,
  { actsFor, actsVia }: Pick<RunRecord, "actsFor" | "actsVia">,
  { people, tokens, oauth }: Pick<Records, "people" | "tokens" | "oauth">,
): Promise<CallerFacts> {
  const person = await people.get(actsFor);
  const token = actsVia === null ? null : await tokens.get(actsVia);
  const client = actsVia === null || token !== null ? null : await oauth.client(actsVia);
  const kind = actsVia === null ? (person === null ? "key" : "person") : token === null ? "oauth" : "token";
  return {
    caller: { id, kind, name: token?.name ?? client?.name ?? "" },
    person: { email: person?.email ?? "", role: person?.role ?? "" },
  };
}

/** A call of the past, with what rules look at. */
export interface PastCall {
  readonly at: string;
  readonly by: string;
  readonly leaves: boolean;
  readonly facts: Facts;
}

/** The last calls that were made over connections, and the last that were held, newest first. */
export async function pastCalls(
  { store, connections }: Pick<Services, "store" | "connections">,
  isAgent: (id: string) => boolean,
): Promise<readonly PastCall[]> {
  const { read } = store;
  const found: PastCall[] = [];
  const starters = new Map<string, CallerFacts>();
  const { items } = await read.connections.calls({}, { limit: MOST_PAST });
  for (const { at, connection, definition, by, arguments: args } of items) {
    const tool = `${connection}:${definition}`;
    const effect = connections.head(tool)?.effect ?? "destructive";
    const starter = starters.get(by) ?? (await starterFacts(by, { actsFor: by, actsVia: null }, read));
    starters.set(by, starter);
    const time = timeFacts(Date.parse(at));
    const facts = {
      tool,
      server: connection,
      effect,
      agent: isAgent(by),
      args: args ?? {},
      ...starter,
      time,
    };
    found.push({ at, by, leaves: true, facts });
  }
  for (const action of ["guard.asked", "guard.denied", "guard.dry_run"]) {
    for (const { createdAt: at, actor: by, detail } of (
      await read.audit.list({ limit: MOST_PAST }, { action })
    ).items) {
      const facts = factsIn(detail, at);
      if (facts !== null) found.push({ at, by, leaves: detail["leaves"] === true, facts });
    }
  }
  return found.sort((a, b) => b.at.localeCompare(a.at)).slice(0, MOST_PAST);
}

/** What an entry of the audit list kept of a call; null where it is of an earlier build, or of a stop. */
function factsIn(detail: JsonObject, at: string): Facts | null {
  const { tool, server, effect, agent, arguments: args = {}, caller, person } = detail;
  if (typeof tool !== "string" || typeof server !== "string" || typeof agent !== "boolean") return null;
  if (effect !== "read" && effect !== "write" && effect !== "destructive") return null;
  if (!isJsonObject(args) || !isJsonObject(caller) || !isJsonObject(person)) return null;
  return { tool, server, effect, agent, args, caller, person, time: timeFacts(Date.parse(at)) };
}
