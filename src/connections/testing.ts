import { AppError } from "../kernel/errors.ts";
import { traceparentOf } from "../kernel/trace.ts";
import type { ConnectionTestView } from "../model/connections.ts";
import { runOfCall } from "../ports/meta-keys.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { existing } from "./admin.ts";
import { connectedTool } from "./definition.ts";
import { theirWords } from "./http-answer.ts";
import { baseOf, buildMessage, templateOf } from "./http-message.ts";
import type { ListedDefinition } from "../sources/api-definitions.ts";
import { readOffer } from "./reading.ts";
import { refusedByServer } from "./refusal.ts";
import { RequestCredential } from "./request-credential.ts";
import { withoutSecrets } from "./secrets.ts";
import type { ManagedConnections } from "./service.ts";

const ASK_MS = 15_000;
const MAX_NAMED = 50;
const MAX_WORDS = 2_000;

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
): Promise<ConnectionTestView> {
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
        madeIn: runOfCall(context.meta),
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
    if (connection.kind === "mcp") return { checked: "tools/list", listed: definitions };
    // A description that can be read says nothing about the API itself and its credential.
    const { checked } = await askedApi(connection, context);
    return { checked: `the API description; ${checked}`, listed: definitions };
  }
  return askedApi(connection, context);
}

async function askedApi(connection: ConnectionRecord, context: CallContext): Promise<Finding> {
  const url = await addressOf(connection, context);
  const { services, signal } = context;
  const { authorize, secrets } = new RequestCredential(connection.credential, context);
  const answer = await services.fetcher.fetch({
    url: url.href,
    authorize,
    trust: "keyed",
    signal,
    timeoutMs: ASK_MS,
    ...(connection.privateOrigin !== null && { privateOrigin: connection.privateOrigin }),
  });
  const words = withoutSecrets(answer.text.slice(0, MAX_WORDS), secrets);
  const refusal = refusedByServer(connection, { ...answer, words });
  if (refusal !== null) throw refusal;
  const checked = `GET ${url.origin}${url.pathname} answered ${answer.status}`;
  if (answer.status >= 500)
    throw new AppError("unavailable", `${connection.title} fails: ${checked}.`, {
      status: answer.status,
      details: { upstream: theirWords(connection.name, words) },
    });
  // Any other answer, even 404, shows that the server is there; which paths it has is what its operations say.
  return { checked, listed: null };
}

async function addressOf(connection: ConnectionRecord, context: CallContext): Promise<URL> {
  const { connections } = context.services.store.read;
  const heads = await connections.heads(connection.name);
  const [head] = heads;
  // An operation that reads and needs nothing shows whether the credential is taken; a base address often does not.
  const reads = heads.filter(({ effect, state }) => effect === "read" && state === "active");
  for (const { name } of reads.slice(0, MAX_NAMED)) {
    const record = await connections.definition(connection.name, name);
    if (record === null) continue;
    const template = templateOf(record.definition);
    const { required } = connectedTool(record, connection).inputSchema;
    const isPlain = !Array.isArray(required) || required.length === 0;
    if (template.method === "GET" && isPlain)
      return new URL(buildMessage(template, {}, baseOf(template, connection.baseUrl)).url);
  }
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
): Promise<NonNullable<ConnectionTestView["drift"]>> {
  const records = await context.services.store.read.connections.heads(name);
  const pinned = new Map(
    records.filter(({ state }) => state !== "removed").map((one) => [one.sourceName, one.digest]),
  );
  const now = new Map(listed.map((one) => [one.name, one.digest]));
  const named = (names: readonly string[]): string[] => names.slice(0, MAX_NAMED);
  return {
    added: named([...now.keys()].filter((one) => !pinned.has(one))),
    changed: named(
      [...now].filter(([one, digest]) => (pinned.get(one) ?? digest) !== digest).map(([one]) => one),
    ),
    removed: named([...pinned.keys()].filter((one) => !now.has(one))),
  };
}
