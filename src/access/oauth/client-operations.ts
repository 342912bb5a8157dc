import { Type } from "typebox";
import { AppError, problemAt, type Problem } from "../../kernel/errors.ts";
import { isObject } from "../../kernel/json.ts";
import { inputOf } from "../../model/common.ts";
import { ScopeName } from "../../model/keys.ts";
import { ClientRequestView, ConnectedClientView } from "../../model/oauth.ts";
import { recordDisconnected } from "../people/audit.ts";
import { allows, type Caller, type Scope } from "../../ports/caller.ts";
import type { RequestFacts } from "../../ports/http.ts";
import { grantedScopes, type ConnectedClient } from "../../ports/oauth.ts";
import { operationsWith, type OperationCall } from "../../ports/operations.ts";
import type { PersonRecord } from "../../ports/people.ts";
import type { Decision } from "./consent.ts";
import { COOKIES, PATHS } from "./names.ts";
import type { OAuthParts } from "./open.ts";
import { serving } from "./operations.ts";

const CLIENTS = "/api/svc/oauth/clients";

const { operation, declared } = operationsWith<OAuthParts>();
const PERSON = {
  access: "person",
  effect: "write",
  idempotent: false,
  isServed: ({ oauth: { server } }: OAuthParts): boolean => server !== null,
} as const;
const READ = { effect: "none", idempotent: true } as const;

const uid = Type.String({ description: "The request to connect." });
const code = Type.String({
  maxLength: 40,
  description: "The code that the program shows, such as BCDF-GHJK.",
});
const decision = {
  scopes: Type.Optional(Type.Array(ScopeName, { description: "Connects the client with these." })),
  denied: Type.Optional(Type.Literal(true, { description: "Does not connect it." })),
};

operation({
  ...PERSON,
  ...READ,
  name: "get_client_request",
  title: "See what a client asks for",
  description: "What the client that began this sign-in asks for.",
  http: `GET ${PATHS.requests}/{uid}/details`,
  input: inputOf({ uid }),
  output: ClientRequestView,
  async run(input, call, { oauth: { server } }) {
    checkBound(input.uid, call.request);
    return (await serving(server).consent()).look(input.uid, await load(call));
  },
});

operation({
  ...PERSON,
  name: "decide_client_request",
  title: "Decide about a client",
  description: "Decides about a client: `scopes` connect it, `denied` does not.",
  http: `POST ${PATHS.requests}/{uid}/decision`,
  input: inputOf({ uid, ...decision }),
  output: Type.Object({ continueAt: Type.String({ description: "Where the browser continues." }) }),
  rules: decisionProblems,
  async run(input, call, { oauth: { server } }) {
    checkBound(input.uid, call.request);
    const consent = await serving(server).consent();
    return { continueAt: await consent.decide(input.uid, await load(call), decided(input)) };
  },
});

operation({
  ...PERSON,
  ...READ,
  name: "look_at_device_code",
  title: "See what the program with a code asks for",
  description: "What the program that shows this code asks for.",
  http: "POST /api/svc/oauth/codes/look",
  input: inputOf({ code }),
  output: ClientRequestView,
  run: async (input, call, parts) => {
    const consent = await serving(parts.oauth.server).consent();
    return guarded(call, parts, (person) => consent.lookAtCode(input.code, person));
  },
});

operation({
  ...PERSON,
  name: "decide_device_code",
  title: "Decide about the program with a code",
  description: "Decides about the program that shows a code: `scopes` connect it, `denied` does not.",
  http: "POST /api/svc/oauth/codes/decide",
  input: inputOf({ code, ...decision }),
  output: Type.Object({ connected: Type.Boolean() }),
  rules: decisionProblems,
  async run(input, call, parts) {
    const consent = await serving(parts.oauth.server).consent();
    await guarded(call, parts, (person) => consent.decideCode(input.code, person, decided(input)));
    return { connected: input.denied === undefined };
  },
});

operation({
  ...PERSON,
  ...READ,
  name: "list_connected_clients",
  title: "List connected clients",
  description: "The clients that the signed-in person connected; an admin sees those of all people.",
  http: `GET ${CLIENTS}`,
  input: inputOf({
    people: Type.Optional(Type.Literal("all", { description: "For an admin: the clients of all people." })),
  }),
  output: Type.Object({ clients: Type.Array(ConnectedClientView) }),
  async run({ people }, { caller, services: { store } }) {
    const clients = await store.read.oauth.clients(ownerOf(caller, people === "all"));
    return { clients: clients.map(clientView) };
  },
});

operation({
  ...PERSON,
  name: "disconnect_client",
  title: "Disconnect a client",
  description: "Disconnects a client: its tokens stop working at once.",
  http: `DELETE ${CLIENTS}/{id}`,
  effect: "destructive",
  idempotent: true,
  input: inputOf({ id: Type.String({ description: "The id, as list_connected_clients shows it." }) }),
  output: Type.Object({ disconnected: Type.Literal(1) }),
  async run({ id }, { caller, services: { store, provenance } }) {
    await store.transact(async (tx) => {
      const client = await tx.oauth.client(id);
      const owner = ownerOf(caller, allows(caller, "admin"));
      if (client === null || (owner !== null && client.personId !== owner)) throw noClient();
      await tx.oauth.removeGrant(id);
      await recordDisconnected(tx, provenance, client, caller.id);
    });
    return { disconnected: 1 as const };
  },
});

/** What people decide about clients that want to act for them. */
export const clientOperations = declared;

type Given = { readonly scopes?: readonly Scope[]; readonly denied?: true };

function decisionProblems({ scopes, denied }: Given): readonly Problem[] {
  return (scopes === undefined) === (denied === undefined)
    ? [problemAt("scopes", "a list of scopes to connect the client; or leave it out and send denied: true")]
    : [];
}

function decided({ scopes }: Given): Decision {
  return scopes === undefined ? "denied" : { scopes: [...new Set(scopes)] };
}

/** A code is short: wrong ones are counted. */
async function guarded<T>(
  call: OperationCall,
  { oauth: { guesses } }: OAuthParts,
  work: (person: PersonRecord) => Promise<T>,
): Promise<T> {
  const person = await load(call);
  guesses.check(person.id);
  try {
    return await work(person);
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") guesses.count(person.id);
    throw error;
  }
}

/** Whose clients a person sees: the own ones, or those of all (null) for an admin who asks for them. */
function ownerOf(caller: Caller, wantsAll: boolean): string | null {
  if (!wantsAll) return caller.id;
  if (allows(caller, "admin")) return null;
  throw new AppError("forbidden", "Only an admin sees the connected clients of other people.", {
    nextAction: "Leave people=all out to see your own.",
  });
}

function clientView(client: ConnectedClient): ConnectedClientView {
  const { grantId, personId, clientId, name, host, payload, createdAt, lastUsedAt, expiresAt } = client;
  const { resources } = payload;
  return {
    id: grantId,
    personId,
    clientId,
    name,
    host,
    scopes: [...grantedScopes(client)],
    resources: isObject(resources) ? Object.keys(resources) : [],
    createdAt,
    lastUsedAt,
    expiresAt,
  };
}

/** Only the browser that came from the client may decide: a link that is sent to another person decides nothing. */
function checkBound(wanted: string, { headers }: RequestFacts): void {
  const cookies = (headers["cookie"] ?? "").split(";").map((part) => part.trim());
  if (cookies.includes(`${COOKIES.interaction}=${wanted}`)) return;
  throw new AppError("not_found", "This request to connect did not begin in this browser, or it is over.", {
    nextAction: "Start again in the program that you want to connect.",
  });
}

async function load({ caller, services: { store } }: OperationCall): Promise<PersonRecord> {
  const person = await store.read.people.get(caller.id);
  if (person === null) throw new AppError("not_found", "The account does not exist any more.");
  return person;
}

function noClient(): AppError {
  return new AppError("not_found", "There is no connected client with this id among yours.", {
    nextAction: `GET ${CLIENTS} lists them.`,
  });
}
