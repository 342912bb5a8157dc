import assert from "node:assert/strict";
import { SESSION_COOKIE } from "../../src/access/people/cookie.ts";
import { createClient, type Client } from "../../packages/client/client.ts";
import type { Role } from "../../src/ports/people.ts";
import type { AnswerAt, AnswerOf, Refused } from "../support/answers.ts";
import { TEST_KEY, type TestService } from "../support/service.ts";

/** An answer of the service. */
export interface Answer<D> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly data: D;
}

/** The answer to a person who calls a tool. */
export type CallAnswer<N extends string> = Answer<
  { readonly ok: boolean; readonly data: AnswerOf<N> } & Refused
>;

/** Passwords of people in tests. */
export const PASSWORD = "correct horse battery";

/** Something that keeps the session cookie and sends the page's header, as the web app does. */
export class Visitor {
  readonly #service: Pick<TestService, "fetch">;
  cookie: string | null = null;
  /** The mark of a browser in which a person has signed in. */
  device: string | null = null;

  /** Calls operations and tools by name, typed; throws when what was asked did not happen. */
  readonly client: Client;

  constructor(service: Pick<TestService, "fetch">) {
    this.#service = service;
    this.client = createClient({
      fetch: (address, init) => {
        assert.ok(typeof address === "string");
        return service.fetch(address, init);
      },
      headers: () => this.headers,
    });
  }

  /** The headers of a request from our own page. */
  get headers(): Record<string, string> {
    return {
      "x-suite-page": "1",
      ...((this.cookie !== null || this.device !== null) && {
        cookie: [this.cookie === null ? null : `${SESSION_COOKIE}=${this.cookie}`, this.device]
          .filter((one) => one !== null)
          .join("; "),
      }),
    };
  }

  async ask<M extends string, P extends string>(
    method: M,
    path: P,
    body?: unknown,
    headers: Readonly<Record<string, string>> = this.headers,
  ): Promise<Answer<AnswerAt<M, P>>> {
    const response = await this.#service.fetch(path, {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const value = new RegExp(`^${SESSION_COOKIE}=([^;]*)`).exec(line)?.[1];
      if (value !== undefined) this.cookie = value === "" ? null : value;
      if (line.startsWith("__Host-suite-device=")) this.device = line.split(";")[0] ?? null;
    }
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, data: JSON.parse(text).data };
  }

  /** Calls a tool as the signed-in person. */
  async call<N extends string>(name: N, args: unknown, meta?: unknown): Promise<CallAnswer<N>> {
    const params = { name, arguments: args, ...(meta !== undefined && { _meta: meta }) };
    const answer = await this.ask("POST", "/api/mcp", {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params,
    });
    const { result, error } = JSON.parse(answer.text);
    return { ...answer, data: result?.structuredContent ?? { error: error?.data } };
  }

  signIn(email: string, password: string = PASSWORD): Promise<Answer<AnswerAt<"POST", "/api/svc/sessions">>> {
    return this.ask("POST", "/api/svc/sessions", { email, password });
  }
}

/** The secret of a link. */
export function tokenIn(url: string): string {
  return new URL(url).hash.slice(1);
}

/** Asks with the operator's key. */
export function asOperator<M extends string, P extends string>(
  service: Pick<TestService, "fetch">,
  method: M,
  path: P,
  body?: unknown,
): Promise<Answer<AnswerAt<M, P>>> {
  return new Visitor(service).ask(method, path, body, { authorization: `Bearer ${TEST_KEY}` });
}

/** A signed-in person. */
export interface Member {
  readonly id: string;
  readonly email: string;
  readonly visitor: Visitor;
}

/** Makes the first owner, as the link of the first start does. */
export async function makeOwner(service: TestService, email = "owner@example.com"): Promise<Member> {
  const link = await service.app.people.ownerLink();
  assert.ok(link !== null);
  const visitor = new Visitor(service);
  const answer = await visitor.ask("POST", "/api/svc/invitations/follow", {
    token: tokenIn(link.url),
    email,
    name: "Olga Owner",
    password: PASSWORD,
  });
  assert.equal(answer.status, 201, answer.text);
  return { id: answer.data.person.id, email, visitor };
}

/** Invites a person and follows the link. */
export async function addMember(
  service: TestService,
  owner: Member,
  role: Role,
  email = `${role}@example.com`,
): Promise<Member> {
  const invited = await owner.visitor.ask("POST", "/api/svc/people", { email, name: `A ${role}`, role });
  assert.equal(invited.status, 201, invited.text);
  const visitor = new Visitor(service);
  const joined = await visitor.ask("POST", "/api/svc/invitations/follow", {
    token: tokenIn(invited.data.invitation.url),
    password: PASSWORD,
  });
  assert.equal(joined.status, 201, joined.text);
  return { id: invited.data.person.id, email, visitor };
}
