import { Type } from "typebox";
import type { Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { randomHex } from "../kernel/ids.ts";
import { textOr, type JsonObject } from "../kernel/json.ts";
import { isSameSource } from "../kernel/same-source.ts";
import { withoutTrailing } from "../kernel/text.ts";
import { inputOf } from "../model/common.ts";
import { CONNECTION_KINDS } from "../model/connection-states.ts";
import type { CallContext } from "../ports/definitions.ts";
import { defineTool } from "../ports/operations.ts";
import { objectsIn, pick } from "./answers.ts";
import { forAPerson, linkTo, onSuccess, OPEN } from "./parts.ts";

/** What a person can do where an agent may not. */
const FOR_A_PERSON: ReadonlySet<string> = new Set(["forbidden", "blocked"]);

/** Adds an API or MCP server. */
export const connect = defineTool({
  ...OPEN,
  name: "connect",
  title: "Connect an API or MCP server",
  description:
    "Add an OpenAPI service or MCP server by address or description; its operations become server:tool. Never send secrets: where a credential is needed the answer has a link for the person.",
  effect: "write",
  idempotent: false,
  openWorld: true,
  examples: [{ url: "https://api.example.com/openapi.json", name: "shop" }],
  input: inputOf({
    url: Type.Optional(
      Type.String({ maxLength: 2_000, description: "e.g. https://api.example.com/openapi.json" }),
    ),
    document: Type.Optional(
      Type.String({ description: "Or the OpenAPI description itself, as JSON or YAML" }),
    ),
    name: Type.Optional(
      Type.String({
        pattern: "^[a-z][a-z0-9-]{0,30}$",
        description: "Short name: a-z, 0-9 and -, e.g. shop; required to add it",
      }),
    ),
    kind: Type.Optional(Type.Enum([...CONNECTION_KINDS], { description: "When known" })),
    credential: Type.Optional(Type.String({ description: "Name of a stored credential, never its value" })),
  }),
  rules: ({ url, document }) =>
    (url === undefined) === (document === undefined)
      ? [
          {
            pointer: "",
            message: "Give either url or document.",
            expected: "url or document",
            fix: 'Add "url" or "document", not both.',
          },
        ]
      : [],
  async run({ url = "", document, name, kind, credential }, { context }) {
    const { services } = context;
    const known = await connectedAt(url, context);
    if (known !== null) return known;
    const address = url === "" ? "" : `&url=${encodeURIComponent(url)}`;
    const link = linkTo(services, `/connections?add=open${address}`);
    const perform = (operation: string, input: JsonObject): Promise<Envelope> =>
      services.site.perform(
        operation,
        {
          ...input,
          ...(document !== undefined && { document }),
          ...(credential !== undefined && { credential }),
        },
        context,
      );
    try {
      const { data: found } = await perform("probe_address", {
        ...(url !== "" && { url }),
        ...(kind !== undefined && { kind }),
      });
      const existing = objectsIn(found["existing"]);
      if (existing.length > 0) return connectedAs(existing);
      const seen = pick(found, ["kind", "title", "definitions", "wants", "problem", "nextAction"]);
      if (found["needsCredential"] === true && credential === undefined)
        return (
          (await atThePage(url, link, context)) ?? {
            text: `A credential is needed. Ask the person to open ${link}, then call connect again.`,
            connected: false,
            needsCredential: true,
            found: seen,
            link,
          }
        );
      if (found["kind"] === "http")
        return {
          text: `Neither an API description nor an MCP server was found at ${url}. ${textOr(found["problem"], textOr(found["nextAction"], ""))}`,
          connected: false,
          found: seen,
          link,
        };
      if (name === undefined)
        return {
          text: `Found: ${textOr(found["title"], url)}. Call connect again with a short name to add it.`,
          connected: false,
          found: seen,
        };
      const made = await perform("create_connection", {
        name,
        kind: kind ?? textOr(found["kind"], "openapi"),
        ...(document === undefined && { url: textOr(found["url"], url) }),
      });
      return onSuccess(made, (data) => {
        const tools = objectsIn(data["definitions"]).map((head) => `${name}:${textOr(head["name"], "")}`);
        return {
          text: `Connected ${name} with ${tools.length} tools: ${tools.slice(0, 10).join(", ")}`,
          connected: true,
          name,
          tools: tools.slice(0, 50),
          total: tools.length,
          link: linkTo(services, `/connections/${name}`),
        };
      });
    } catch (error) {
      if (!(error instanceof AppError) || !FOR_A_PERSON.has(error.code)) throw error;
      const made = await atThePage(url, link, context);
      if (made !== null) return made;
      throw forAPerson(error, link, ", then call connect again with the same arguments");
    }
  },
});

function connectedAs(existing: readonly JsonObject[]): JsonObject {
  const names = existing.map((item) => textOr(item["name"], ""));
  return {
    text: `Connected as ${names.join(", ")}.`,
    connected: true,
    existing: existing.map((item) => pick(item, ["name", "title", "kind", "url"])),
  };
}

async function connectedAt(url: string, context: CallContext): Promise<JsonObject | null> {
  const { data } = await context.services.site.perform("list_connections", {}, context);
  const existing = objectsIn(data["connections"]).filter((item) => {
    const known = textOr(item["url"], "");
    return isSameSource({ kind: "", url: known }, { kind: "", url }) || isBelow(known, url);
  });
  return existing.length === 0 ? null : connectedAs(existing);
}

/** A description is mostly found below the address that was asked for: at `/openapi.json`, for example. */
function isBelow(known: string, url: string): boolean {
  const asked = URL.parse(url);
  if (asked === null || asked.search !== "") return false;
  return (URL.parse(known)?.href ?? "").startsWith(`${withoutTrailing(asked.href, "/")}/`);
}

/**
 * Has the person open the page, where their client can do that: a secret goes from them to the service, never through the
 * model. Gives the connection that they made there; null while there is none.
 */
async function atThePage(url: string, link: string, context: CallContext): Promise<JsonObject | null> {
  const { client } = context;
  if (client?.modes.has("url") !== true) return null;
  const message =
    "Connect it on the page that opens, with its credential if it needs one; the model never sees it.";
  const params = { mode: "url", message, url: link, elicitationId: `connect-${randomHex(8)}` };
  await client.ask({ connection: { method: "elicitation/create", params } });
  return connectedAt(url, context);
}
