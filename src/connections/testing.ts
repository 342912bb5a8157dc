import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { traceparentOf } from "../kernel/trace.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { existing } from "./admin.ts";
import { baseOf, templateOf } from "./http-message.ts";
import type { ListedDefinition } from "./pinning.ts";
import { readOffer } from "./reading.ts";
import { refusedByServer } from "./refusal.ts";
import { RequestCredential } from "./request-credential.ts";
import type { ManagedConnections } from "./service.ts";

const ASK_MS = 15_000;
const MAX_NAMED = 50;

/** What a test found, before it is noted. */
interface Finding {
  /** What was asked of the server. */
  readonly checked: string;
  readonly listed: readonly ListedDefinition[] | null;
}

/**
 * Asks a server whether it answers and takes the credential, and what differs from the accepted definitions. Nothing
 * of the connection changes but its noted state.
 */
export async function testConnection(
  connections: ManagedConnections,
  name: string,
  context: CallContext,
): Promise<JsonObject> {
  const connection = await existing(connections, name);
  const begun = performance.now();
  let finding: Finding | null = null;
  let problem: AppError | null = null;
  try {
    finding = await asked(connections, connection, context);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    problem = error;
  }
  const { store, clock } = context.services;
  const state = problem === null ? "reachable" : "failing";
  const seen = {
    state,
    problem: problem?.message ?? null,
    checkedAt: new Date(clock.now()).toISOString(),
  } as const;
  await store.transact(async (tx) => {
    await tx.connections.observe(name, seen);
    await tx.events.append([
      {
        type: "svc.connection.tested",
        subject: name,
        traceparent: traceparentOf(context.trace),
        data: { name, kind: connection.kind, by: context.caller.id, action: state },
        publicData: null,
      },
    ]);
  });
  connections.index.observed(name, state, seen.problem);
  const listed = finding?.listed ?? null;
  return {
    name,
    ...seen,
    elapsedMs: Math.round(performance.now() - begun),
    ...(finding !== null && { checked: finding.checked }),
    ...(problem !== null && {
      error: {
        code: problem.code,
        nextAction: problem.info.nextAction ?? null,
        details: problem.info.details ?? null,
      },
    }),
    ...(listed !== null && { definitions: listed.length, drift: await driftOf(name, listed, context) }),
  };
}

async function asked(
  connections: ManagedConnections,
  connection: ConnectionRecord,
  context: CallContext,
): Promise<Finding> {
  const isPasted =
    connection.kind === "openapi" &&
    (await context.services.store.read.connections.hasDocument(connection.name));
  if (connection.kind === "mcp" || (connection.kind === "openapi" && !isPasted)) {
    const { definitions } = await readOffer(connection, null, connections, context);
    return { checked: connection.kind === "mcp" ? "tools/list" : "the API description", listed: definitions };
  }
  const base = await addressOf(connection, context);
  const { services, signal } = context;
  const { authorize } = new RequestCredential(connection.credential, context);
  const answer = await services.fetcher.fetch({
    url: base.href,
    authorize,
    trust: "keyed",
    signal,
    timeoutMs: ASK_MS,
    ...(connection.privateOrigin !== null && { privateOrigin: connection.privateOrigin }),
  });
  const refusal = refusedByServer(connection, answer);
  if (refusal !== null) throw refusal;
  // Any other answer, even 404, shows that the server is there; which paths it has is what its operations say.
  return { checked: `GET ${base.origin}${base.pathname} answered ${answer.status}`, listed: null };
}

async function addressOf(connection: ConnectionRecord, context: CallContext): Promise<URL> {
  const { connections } = context.services.store.read;
  const [head] = await connections.heads(connection.name);
  const first = head === undefined ? null : await connections.definition(connection.name, head.name);
  if (first !== null) return baseOf(templateOf(first.definition), connection.baseUrl);
  const url = URL.parse(connection.baseUrl ?? connection.url ?? "");
  if (url !== null) return url;
  throw new AppError("invalid_input", `${connection.title} has no address that can be asked.`, {
    nextAction: "Set baseUrl of the connection to the address of the API.",
  });
}

/** Names of what a sync would find added, changed or gone. */
async function driftOf(
  name: string,
  listed: readonly ListedDefinition[],
  context: CallContext,
): Promise<JsonObject> {
  const records = await context.services.store.read.connections.heads(name);
  const pinned = new Map(
    records.filter(({ state }) => state !== "removed").map((one) => [one.sourceName, one.digest]),
  );
  const now = new Map(listed.map((one) => [one.name, one.digest]));
  const named = (names: readonly string[]): readonly string[] => names.slice(0, MAX_NAMED);
  return {
    added: named([...now.keys()].filter((one) => !pinned.has(one))),
    changed: named(
      [...now].filter(([one, digest]) => (pinned.get(one) ?? digest) !== digest).map(([one]) => one),
    ),
    removed: named([...pinned.keys()].filter((one) => !now.has(one))),
  };
}
