import { ok } from "../kernel/envelope.ts";
import type { JsonObject } from "../kernel/json.ts";
import { requireScope, SCOPES } from "../ports/caller.ts";
import type { HttpRequest, HttpRoute } from "../ports/http.ts";
import type { PersonRecord } from "../ports/people.ts";
import type { Store } from "../ports/store.ts";
import { TOKEN_KINDS } from "../ports/tokens.ts";
import { BodyReader } from "./input.ts";
import { noPerson } from "./people.ts";
import { TOKEN_DAYS, tokenView, type PersonTokens } from "./person-tokens.ts";

const TOKENS = "/api/svc/tokens";
const OF_PERSON = "/api/svc/people/{id}/tokens";
const text: JsonObject = { type: "string" };

/** The paths with which people manage their tokens, and admins those of others. */
export function tokenRoutes(tokens: PersonTokens, store: Store): readonly HttpRoute[] {
  const listed = async (person: PersonRecord): Promise<JsonObject[]> =>
    (await tokens.list(person.id)).map((token) => tokenView(token, person.role));
  const named = async (id: string): Promise<PersonRecord> => {
    const person = await store.read.people.get(id);
    if (person === null) throw noPerson();
    return person;
  };
  const self = ({ context }: HttpRequest): Promise<PersonRecord> => named(context.caller.id);
  return [
    {
      method: "GET",
      path: TOKENS,
      summary: "The signed-in person's tokens and service keys without their secrets, newest first.",
      access: "person",
      handle: async (request) => ({ status: 200, body: ok({ tokens: await listed(await self(request)) }) }),
    },
    {
      method: "POST",
      path: TOKENS,
      summary:
        "Makes a personal token or a service key {name, scopes, kind?, days?} with scopes of the maker's role; shown this once.",
      access: "person",
      status: 201,
      body: {
        type: "object",
        required: ["name", "scopes"],
        properties: {
          name: text,
          kind: { type: "string", enum: [...TOKEN_KINDS], default: "personal" },
          scopes: { type: "array", minItems: 1, items: { type: "string", enum: [...SCOPES] } },
          days: {
            type: "integer",
            minimum: TOKEN_DAYS.least,
            maximum: TOKEN_DAYS.most,
            default: TOKEN_DAYS.usual,
          },
        },
      },
      async handle(request) {
        const body = new BodyReader(request.body, ["name", "scopes", "kind", "days"]);
        const name = body.personName();
        const scopes = body.scopes();
        const kind = body.oneOf("kind", TOKEN_KINDS) ?? "personal";
        const days = body.integer("days", TOKEN_DAYS.least, TOKEN_DAYS.most) ?? TOKEN_DAYS.usual;
        body.done();
        const person = await self(request);
        const { record, token } = await tokens.create(person, { name, scopes, kind, days });
        return { status: 201, body: ok({ token, record: tokenView(record, person.role) }) };
      },
    },
    {
      method: "DELETE",
      path: `${TOKENS}/{id}`,
      summary: "Revokes a token of the signed-in person at once.",
      access: "person",
      async handle(request) {
        const person = await self(request);
        const record = await tokens.revoke(person.id, request.params["id"] ?? "", request.context.caller);
        return { status: 200, body: ok({ record: tokenView(record, person.role) }) };
      },
    },
    {
      method: "GET",
      path: OF_PERSON,
      summary: "The tokens and service keys of a person without their secrets, newest first.",
      access: "key",
      async handle({ params, context }) {
        requireScope(context.caller, "admin");
        return { status: 200, body: ok({ tokens: await listed(await named(params["id"] ?? "")) }) };
      },
    },
    {
      method: "DELETE",
      path: OF_PERSON,
      summary: "Revokes every token of a person at once.",
      access: "key",
      async handle({ params, context: { caller } }) {
        requireScope(caller, "admin");
        const person = await named(params["id"] ?? "");
        const ended = await tokens.revokeEvery(person.id, caller);
        return { status: 200, body: ok({ tokens: ended.map((token) => tokenView(token, person.role)) }) };
      },
    },
    {
      method: "DELETE",
      path: `${OF_PERSON}/{tokenId}`,
      summary: "Revokes a token of a person at once.",
      access: "key",
      async handle({ params, context: { caller } }) {
        requireScope(caller, "admin");
        const person = await named(params["id"] ?? "");
        const token = await tokens.revoke(person.id, params["tokenId"] ?? "", caller);
        return { status: 200, body: ok({ tokens: [tokenView(token, person.role)] }) };
      },
    },
  ];
}
