import { AppError, invalidValue } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { isSameSource } from "../kernel/same-source.ts";
import type { ProbeView } from "../model/connections.ts";
import type { ConnectionKind } from "../model/connection-states.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { MAX_CONNECTIONS } from "./admin.ts";
import { privateOriginOf } from "./input.ts";
import { listMcp } from "./mcp-call.ts";
import { McpSessions } from "./mcp-sessions.ts";
import type { ReadApi } from "../sources/api-definitions.ts";
import { fetchDescription, readPasted } from "./reading.ts";

/** What is at an address or in a document. */
type ProbeResult = Omit<ProbeView, "existing" | "tried">;

/** What a probe looks at. */
interface ProbeInput {
  readonly url?: string;
  readonly document?: JsonObject | string | null;
  readonly kind?: ConnectionKind;
  readonly credential?: string | null;
  readonly allowPrivateOrigin?: boolean | string;
}

/**
 * Looks at an address or a document and says what it is: an API description, an MCP server, or plain HTTP; and which
 * connections lead there already.
 */
export async function probe(given: ProbeInput, context: CallContext): Promise<ProbeView> {
  const found = await looked(given, context);
  // A description may have been found below the address that was given.
  const asked = given.url ?? null;
  const { items } = await context.services.store.read.connections.list({ limit: MAX_CONNECTIONS });
  return {
    ...found,
    existing: items
      .filter(
        (connection) => isSameSource(connection, found) || isSameSource(connection, { ...found, url: asked }),
      )
      .map(({ name, title, kind, url }) => ({ name, title, kind, url })),
  };
}

async function looked(
  given: ProbeInput,
  context: CallContext,
): Promise<ProbeResult & Pick<ProbeView, "tried">> {
  const { document, allowPrivateOrigin, credential = null } = given;
  if (document !== undefined && document !== null) {
    const text = typeof document === "string" ? document : JSON.stringify(document);
    const { summary } = await readPasted(text, "", null, context);
    return { kind: "openapi", url: null, ...summaryView(summary), title: summary.title ?? "API", tried: [] };
  }
  const url = URL.parse(given.url ?? "");
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw invalidValue("url", "an http or https address; or give the document to look at");
  }
  const reach = { privateOrigin: privateOriginOf(allowPrivateOrigin, url.href), credential };
  const at = new Date(context.services.clock.now()).toISOString();
  const target: ConnectionRecord = {
    name: "probe",
    kind: "mcp",
    title: url.host,
    url: url.href,
    command: null,
    baseUrl: null,
    ...reach,
    state: "unknown",
    problem: null,
    checkedAt: null,
    syncedAt: null,
    owner: context.caller.id,
    createdAt: at,
    updatedAt: at,
  };
  const tried: ProbeView["tried"] = [];
  const api = await attempt(tried, "openapi", () => describedApi(url.href, target, context));
  if (api !== null) return { ...api, tried };
  const isMcpPath = given.kind === "mcp" || /\/(?:mcp|sse)\/?$/.test(url.pathname);
  // Speaking MCP is a POST, which fires a webhook: it is sent only where the caller or the address calls it MCP.
  if (isMcpPath) {
    const address = url.href;
    let refusal: AppError | null = null;
    const server = await attempt(tried, "mcp", async () => {
      try {
        return await mcpServer({ ...target, url: address }, context);
      } catch (error) {
        if (error instanceof AppError && error.info.details?.["wants"] !== undefined) refusal = error;
        throw error;
      }
    });
    if (server !== null) return { ...server, tried };
    const wanted = refusal === null ? null : protectedServer(refusal, address, isMcpPath);
    if (wanted !== null) return { ...wanted, tried };
  }
  return {
    kind: "http",
    url: url.href,
    title: url.host,
    ...(await plainAnswer(url.href, reach, context)),
    ...(!isMcpPath && {
      nextAction:
        'If an MCP server is at this address, probe it again with kind: "mcp"; that sends it a POST.',
    }),
    tried,
  };
}

async function attempt(
  tried: ProbeView["tried"],
  kind: string,
  look: () => Promise<ProbeResult>,
): Promise<ProbeResult | null> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // What may not be reached is not looked at a second time.
    if (error.code === "blocked") throw privateHint(error);
    tried.push({ kind, result: error.message });
    return null;
  }
}

function privateHint(error: AppError): AppError {
  return new AppError("blocked", error.message, {
    nextAction: "An admin can allow exactly this host and port with allowPrivateOrigin: true.",
  });
}

async function describedApi(
  url: string,
  reach: Pick<ConnectionRecord, "privateOrigin" | "credential">,
  context: CallContext,
): Promise<ProbeResult> {
  const { summary, url: found } = await fetchDescription(url, reach, null, context);
  return {
    kind: "openapi",
    url: found,
    ...summaryView(summary),
    title: summary.title ?? new URL(found).host,
  };
}

function summaryView({
  servers,
  security,
  credential,
  ...summary
}: ReadApi["summary"]): Omit<ProbeResult, "kind" | "url"> {
  return {
    ...summary,
    title: summary.title ?? "",
    servers: [...servers],
    security: [...security],
    ...(credential !== null && { credential }),
  };
}

/** An MCP server that asks for credentials before it says anything; null when nothing speaks for one. */
function protectedServer(refusal: AppError, url: string, isMcpPath: boolean): ProbeResult | null {
  const wants = refusal.info.details?.["wants"];
  if (!isMcpPath && wants !== "oauth2") return null;
  return {
    kind: "mcp",
    url,
    title: new URL(url).host,
    needsCredential: true,
    wants: typeof wants === "string" ? wants : "unknown",
    problem: refusal.message,
    nextAction: refusal.info.nextAction ?? null,
  };
}

async function mcpServer(target: ConnectionRecord, context: CallContext): Promise<ProbeResult> {
  const sessions = new McpSessions(null);
  try {
    const { definitions, title } = await listMcp(sessions, target, context);
    return { kind: "mcp", url: target.url, title: title ?? target.title, definitions: definitions.length };
  } finally {
    await sessions.close();
  }
}

async function plainAnswer(
  url: string,
  { privateOrigin }: Pick<ConnectionRecord, "privateOrigin">,
  context: CallContext,
): Promise<Partial<ProbeResult>> {
  const { fetcher } = context.services;
  try {
    const { status, headers } = await fetcher.fetch({
      url,
      trust: "keyed",
      signal: context.signal,
      timeoutMs: 10_000,
      ...(privateOrigin !== null && { privateOrigin }),
    });
    const type = headers["content-type"] ?? null;
    return { status, contentType: type, needsCredential: status === 401 || status === 403 };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "blocked") throw privateHint(error);
    return { status: null, problem: error.message };
  }
}
