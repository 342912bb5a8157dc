import type Provider from "oidc-provider";
import { AppError } from "../../kernel/errors.ts";
import { isObject, type JsonObject } from "../../kernel/json.ts";
import type { ClientRequestView } from "../../model/oauth.ts";
import type { Scope } from "../../ports/caller.ts";
import type { OAuthRecord } from "../../ports/oauth.ts";
import type { PersonRecord } from "../../ports/people.ts";
import type { Clock } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { Store } from "../../ports/store.ts";
import { recordClient } from "../people/audit.ts";
import { hostOfRedirect } from "./client-metadata.ts";
import { digestOfUserCode } from "./digests.ts";
import { LIFETIMES } from "./names.ts";
import type { Resources } from "./resources.ts";
import { askedScopes, requestedScopes } from "./scopes.ts";

/** What the consent page works with. */
export interface ConsentParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly provenance: Provenance;
  readonly resources: Resources;
  readonly provider: Provider;
}

/** What a person decided: these scopes, or no. */
export type Decision = { readonly scopes: readonly Scope[] } | "denied";

/** What a client asks for. */
interface ConsentRequest {
  readonly clientId: string;
  readonly name: string;
  readonly host: string;
  readonly resource: string;
  readonly requested: readonly Scope[];
}

/** Lets a person decide about a client that asks: in the browser that came from it, or with the code that it shows. */
export class Consent {
  readonly #parts: ConsentParts;

  constructor(parts: ConsentParts) {
    this.#parts = parts;
  }

  /** What the client behind a request asks for. */
  async look(uid: string, person: PersonRecord): Promise<ClientRequestView> {
    return view(await this.#asked((await this.#request(uid)).params), person);
  }

  /** Decides a request; gives the address at which the browser goes on. */
  async decide(uid: string, person: PersonRecord, decision: Decision): Promise<string> {
    const request = await this.#request(uid);
    if (decision === "denied") {
      request.result = { error: "access_denied", error_description: "The person denied access." };
    } else {
      const grantId = await this.#grant(await this.#asked(request.params), person, decision.scopes);
      request.result = { login: { accountId: person.id, remember: false }, consent: { grantId } };
    }
    await request.save(Math.max(1, request.exp - Math.floor(this.#parts.clock.now() / 1_000)));
    return request.returnTo;
  }

  /** What the program that shows this code asks for. */
  async lookAtCode(code: string, person: PersonRecord): Promise<ClientRequestView> {
    return view(await this.#asked(paramsOf(await this.#device(code))), person);
  }

  /** Decides about the program that shows this code. */
  async decideCode(code: string, person: PersonRecord, decision: Decision): Promise<void> {
    const record = await this.#device(code);
    const { store, clock } = this.#parts;
    if (decision === "denied") {
      await this.#settle(
        record,
        { error: "access_denied", errorDescription: "The person denied access." },
        null,
      );
      return;
    }
    const asked = await this.#asked(paramsOf(record));
    const grantId = await this.#grant(asked, person, decision.scopes);
    const settled = await this.#settle(
      record,
      {
        accountId: person.id,
        grantId,
        scope: decision.scopes.join(" "),
        resource: asked.resource,
        authTime: Math.floor(clock.now() / 1_000),
      },
      { personId: person.id, grantId },
    );
    if (settled) return;
    await store.transact((tx) => tx.oauth.removeGrant(grantId));
    throw noCode();
  }

  async #request(uid: string) {
    const request = await this.#parts.provider.Interaction.find(uid);
    if (request === undefined || request.result !== undefined) throw noRequest();
    return request;
  }

  async #device(code: string): Promise<OAuthRecord> {
    const record = await this.#parts.store.read.oauth.byUserCode(digestOfUserCode(code));
    const isOver = record === null || Date.parse(record.expiresAt) <= this.#parts.clock.now();
    if (isOver || isSettled(record)) throw noCode();
    return record;
  }

  /** Writes the decision into the code; false when another one was there first. */
  async #settle(
    record: OAuthRecord,
    result: JsonObject,
    owner: { readonly personId: string; readonly grantId: string } | null,
  ): Promise<boolean> {
    const { store } = this.#parts;
    return store.transact(async (tx) => {
      const current = await tx.oauth.get("DeviceCode", record.digest);
      if (current === null || isSettled(current)) return false;
      await tx.oauth.put({ ...current, ...owner, payload: { ...current.payload, ...result } });
      return true;
    });
  }

  async #asked(params: Readonly<Record<string, unknown>>): Promise<ConsentRequest> {
    const { provider, resources } = this.#parts;
    const clientId = String(params["client_id"]);
    const client = await provider.Client.find(clientId);
    if (client === undefined) throw noRequest();
    const { resource, redirect_uri: redirect } = params;
    const [wanted] = Array.isArray(resource) ? resource : [resource];
    const fallback = clientId.startsWith("https:") ? new URL(clientId).host : "an unnamed client";
    return {
      clientId,
      name: client.clientName ?? fallback,
      host: typeof redirect === "string" ? hostOfRedirect(redirect) : "signed in with a code",
      resource: typeof wanted === "string" ? wanted : resources.base,
      requested: requestedScopes(params["scope"]),
    };
  }

  async #grant(asked: ConsentRequest, person: PersonRecord, scopes: readonly Scope[]): Promise<string> {
    const { provider, store, provenance, clock } = this.#parts;
    const { clientId, name, host, resource, requested } = asked;
    checkScopes(scopes, askedScopes(requested, person.role));
    const grant = new provider.Grant({ accountId: person.id, clientId });
    grant.addResourceScope(resource, scopes.join(" "));
    // What was asked for and not given is written down too, or the provider would ask again.
    const refused = requested.filter((scope) => !scopes.includes(scope));
    if (refused.length > 0) grant.rejectResourceScope(resource, refused.join(" "));
    const grantId = await grant.save();
    const until = new Date(clock.now() + LIFETIMES.grantSeconds * 1_000).toISOString();
    await store.transact(async (tx) => {
      await tx.oauth.nameGrant(grantId, name, host);
      await tx.oauth.keepClient(clientId, until);
      const what = { grantId, personId: person.id, clientId, name, scopes, by: person.id };
      await recordClient(tx, provenance, { change: "connected", ...what });
    });
    return grantId;
  }
}

function view(asked: ConsentRequest, person: PersonRecord): ClientRequestView {
  const { clientId, name, host, resource, requested } = asked;
  return {
    client: { id: clientId, name, host },
    resource,
    scopes: askedScopes(requested, person.role).map((scope) => ({ ...scope })),
  };
}

function checkScopes(chosen: readonly Scope[], asked: ReturnType<typeof askedScopes>): void {
  const allowed = asked.filter((scope) => scope.allowed).map(({ name }) => name);
  const wrong = chosen.filter((scope) => !allowed.includes(scope));
  if (chosen.length > 0 && wrong.length === 0) return;
  const expected = `one or more of ${allowed.join(", ")}`;
  throw new AppError(
    "invalid_input",
    chosen.length === 0
      ? "Choose at least one thing that the client may do, or say no."
      : `The client cannot get ${wrong.join(", ")}: it did not ask for it, or your role does not hold it.`,
    { problems: [{ pointer: "/scopes", message: "is not what can be given", expected }] },
  );
}

function paramsOf({ payload }: OAuthRecord): Readonly<Record<string, unknown>> {
  return isObject(payload["params"]) ? payload["params"] : {};
}

function isSettled({ payload }: OAuthRecord): boolean {
  return payload["accountId"] !== undefined || payload["error"] !== undefined;
}

function noRequest(): AppError {
  return new AppError("not_found", "This request to connect is over or was decided already.", {
    nextAction: "Start again in the program that you want to connect.",
  });
}

function noCode(): AppError {
  return new AppError("not_found", "There is no program waiting with this code.", {
    nextAction:
      "Check the code; it works for ten minutes and once. Start again in the program for a new one.",
  });
}
