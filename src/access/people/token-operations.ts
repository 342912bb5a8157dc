import { Type } from "typebox";
import { inputOf } from "../../model/common.ts";
import { ScopeName } from "../../model/keys.ts";
import { nameInput, PersonTokenView } from "../../model/people.ts";
import { SCOPES } from "../../ports/caller.ts";
import { operationsWith, type OperationCall } from "../../ports/operations.ts";
import type { PersonRecord } from "../../ports/people.ts";
import { TOKEN_KINDS } from "../../ports/tokens.ts";
import { nameOf } from "./names.ts";
import type { AccountParts } from "./open.ts";
import { noPerson } from "./people.ts";
import { TOKEN_DAYS, tokenView } from "./person-tokens.ts";

const { operation, declared } = operationsWith<AccountParts>();
const END = { effect: "destructive", idempotent: true } as const;
const tokenId = Type.String({ description: "The id of the token." });
const personId = Type.String({ description: "The id of the person, as list_people shows it." });
const TokenList = Type.Object({ tokens: Type.Array(PersonTokenView) });

operation({
  name: "list_tokens",
  title: "List my tokens",
  description: "The signed-in person's tokens and service keys without their secrets, newest first.",
  http: "GET /api/svc/tokens",
  access: "person",
  input: inputOf({}),
  output: TokenList,
  run: async (_input, call, parts) => listed(await self(call), parts),
});

operation({
  name: "create_token",
  title: "Create a token",
  description:
    "Creates a personal token or a service key with scopes of the person's role. The answer shows it this once.",
  http: "POST /api/svc/tokens",
  access: "person",
  effect: "write",
  idempotent: false,
  status: 201,
  input: inputOf({
    name: nameInput("What the token is for."),
    scopes: Type.Array(ScopeName, { minItems: 1, description: "What the token may do." }),
    kind: Type.Optional(
      Type.Enum([...TOKEN_KINDS], {
        default: "personal",
        description: "personal: acts as the person. service: acts as itself.",
      }),
    ),
    days: Type.Optional(
      Type.Integer({
        minimum: TOKEN_DAYS.least,
        maximum: TOKEN_DAYS.most,
        default: TOKEN_DAYS.usual,
        description: "After how many days it ends.",
      }),
    ),
  }),
  output: Type.Object({
    token: Type.String({ description: "The token itself; it is shown this once." }),
    record: PersonTokenView,
  }),
  examples: [{ name: "nightly export", scopes: ["read-private"], days: 30 }],
  async run({ name, scopes, kind = "personal", days = TOKEN_DAYS.usual }, call, { accounts: { tokens } }) {
    const person = await self(call);
    const each = SCOPES.filter((scope) => scopes.includes(scope));
    const { record, token } = await tokens.create(person, { name: nameOf(name), scopes: each, kind, days });
    return { token, record: tokenView(record, person.role) };
  },
});

operation({
  ...END,
  name: "revoke_token",
  title: "Revoke a token of mine",
  description: "Revokes a token of the signed-in person at once.",
  http: "DELETE /api/svc/tokens/{id}",
  access: "person",
  input: inputOf({ id: tokenId }),
  output: Type.Object({ record: PersonTokenView }),
  async run({ id }, call, { accounts: { tokens } }) {
    const person = await self(call);
    return { record: tokenView(await tokens.revoke(person.id, id, call.caller), person.role) };
  },
});

operation({
  name: "list_person_tokens",
  title: "List the tokens of a person",
  description: "The tokens and service keys of a person without their secrets, newest first.",
  http: "GET /api/svc/people/{id}/tokens",
  access: "admin",
  input: inputOf({ id: personId }),
  output: TokenList,
  run: async ({ id }, call, parts) => listed(await personNamed(id, call), parts),
});

operation({
  ...END,
  name: "revoke_person_tokens",
  title: "Revoke all tokens of a person",
  description: "Revokes every token of a person at once.",
  http: "DELETE /api/svc/people/{id}/tokens",
  access: "admin",
  input: inputOf({ id: personId }),
  output: TokenList,
  async run({ id }, call, { accounts: { tokens } }) {
    const person = await personNamed(id, call);
    const ended = await tokens.revokeEvery(person.id, call.caller);
    return { tokens: ended.map((token) => tokenView(token, person.role)) };
  },
});

operation({
  ...END,
  name: "revoke_person_token",
  title: "Revoke a token of a person",
  description: "Revokes a token of a person at once.",
  http: "DELETE /api/svc/people/{id}/tokens/{tokenId}",
  access: "admin",
  input: inputOf({ id: personId, tokenId }),
  output: TokenList,
  async run(input, call, { accounts: { tokens } }) {
    const person = await personNamed(input.id, call);
    const token = await tokens.revoke(person.id, input.tokenId, call.caller);
    return { tokens: [tokenView(token, person.role)] };
  },
});

/** What people do with their tokens, and admins with those of others. */
export const tokenOperations = declared;

async function listed({ id, role }: PersonRecord, { accounts: { tokens } }: AccountParts) {
  return { tokens: (await tokens.list(id)).map((token) => tokenView(token, role)) };
}

const self = (call: OperationCall): Promise<PersonRecord> => personNamed(call.caller.id, call);

async function personNamed(id: string, { services: { store } }: OperationCall): Promise<PersonRecord> {
  const person = await store.read.people.get(id);
  if (person === null) throw noPerson();
  return person;
}
