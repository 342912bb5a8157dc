import { Type } from "typebox";
import type { Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { randomHex } from "../kernel/ids.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { inputOf } from "../model/common.ts";
import type { CallContext } from "../ports/definitions.ts";
import { defineTool } from "../ports/operations.ts";
import { objectsIn, pick, textOr } from "./answers.ts";
import { linkTo, onSuccess, OPEN } from "./parts.ts";

/** What a person can do where an agent may not. */
const FOR_A_PERSON: ReadonlySet<string> = new Set(["forbidden", "blocked"]);

/** Adds an API or MCP server. */
export const connect = defineTool({
  ...OPEN,
  name: "connect",
  title: "Connect an API or MCP server",
  description:
    "Add an OpenAPI service or MCP server by address; its operations become server:tool. Never send secrets: where a credential is needed the answer has a link for the person.",
  effect: "write",
  idempotent: false,
  openWorld: true,
  input: inputOf({
    url: Type.String({ maxLength: 2_000, description: "e.g. https://api.example.com/openapi.json" }),
    name: Type.Optional(
      Type.String({
        pattern: "^[a-z][a-z0-9-]{0,30}$",
        description: "Short name, e.g. shop; required to add it",
      }),
    ),
    kind: Type.Optional(Type.Enum(["mcp", "openapi", "http"], { description: "When known" })),
    credential: Type.Optional(Type.String({ description: "Name of a stored credential, never its value" })),
  }),
  async run({ url, name, kind, credential }, { context }) {
    const { services } = context;
    const link = linkTo(services, `/connections?add=open&url=${encodeURIComponent(url)}`);
    const more = { ...(credential !== undefined && { credential }) };
    const perform = async (operation: string, input: JsonObject): Promise<Envelope> => {
      try {
        return await services.site.perform(operation, { ...input, ...more }, context);
      } catch (error) {
        if (!(error instanceof AppError) || !FOR_A_PERSON.has(error.code)) throw error;
        const nextAction = `${error.info.nextAction ?? ""} A person with the rights can do it at ${link}`;
        throw new AppError(error.code, error.message, { ...error.info, nextAction: nextAction.trim() });
      }
    };
    const { data: found } = await perform("probe_address", { url, ...(kind !== undefined && { kind }) });
    const existing = objectsIn(found["existing"]);
    const seen = pick(found, ["kind", "title", "definitions", "wants", "problem", "nextAction"]);
    if (existing.length > 0)
      return {
        text: `Connected already as ${existing.map((item) => textOr(item["name"], "")).join(", ")}.`,
        connected: true,
        existing,
      };
    if (found["needsCredential"] === true && credential === undefined) return askPerson(link, seen, context);
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
      url: textOr(found["url"], url),
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
  },
});

/** A secret goes from the person to the service, never through the model. */
async function askPerson(link: string, found: JsonObject, { client }: CallContext): Promise<JsonObject> {
  const message =
    "This server asks for a credential. Add it on the page that opens; the model never sees it.";
  const params = { mode: "url", message, url: link, elicitationId: `connect-${randomHex(8)}` };
  const answers =
    client?.modes.has("url") === true
      ? await client.ask({ credential: { method: "elicitation/create", params } })
      : null;
  const answer = answers?.["credential"] ?? null;
  return {
    text: `A credential is needed. Ask the person to open ${link}, then call connect again with the name of the credential.`,
    connected: false,
    needsCredential: true,
    found,
    link,
    ...(isJsonObject(answer) && { person: textOr(answer["action"], "cancel") }),
  };
}
