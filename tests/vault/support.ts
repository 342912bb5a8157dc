import { randomBytes } from "node:crypto";
import type { InputOf, OutputOf } from "../../packages/client/client.ts";
import type { Caller } from "../../src/ports/caller.ts";
import type { Authorization } from "../../src/ports/credentials.ts";
import type { AnswerAt } from "../support/answers.ts";
import type { TestService } from "../support/service.ts";
import { TEST_KEY } from "../support/service.ts";

/** An answer of the REST interface. */
export interface Answer<D> {
  readonly status: number;
  readonly text: string;
  readonly data: D;
}

/** Sends a request with the operator's key. */
export async function ask<M extends string, P extends string>(
  service: Pick<TestService, "fetch">,
  method: M,
  path: P,
  body?: unknown,
  key: string = TEST_KEY,
): Promise<Answer<AnswerAt<M, P>>> {
  const response = await service.fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, data: JSON.parse(text).data };
}

/** Stores a credential and gives what the service shows of it. */
export async function addCredential(
  service: Pick<TestService, "client">,
  body: InputOf<"create_credential">,
): Promise<OutputOf<"create_credential">["credential"]> {
  return (await service.client.call("create_credential", body)).credential;
}

/** Opens the page on which a sign-in begins: where it leads, and the cookie that it leaves. */
export async function openSignIn(page: string): Promise<{ readonly url: URL; readonly cookie: string }> {
  const response = await fetch(page);
  const text = await response.text();
  const href = /<a href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&#38;", "&") ?? "";
  return { url: new URL(href), cookie: (response.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "" };
}

/** The operator as the service knows it. */
const OPERATOR: Caller = { kind: "key", id: "operator", scopes: new Set(["admin"]) };

/** What a request to this address would carry. */
export function authorize(
  service: TestService,
  name: string,
  url: string,
  options: { readonly caller?: Caller; readonly refused?: Authorization; readonly challenge?: string } = {},
): Promise<Authorization> {
  return service.app.services.credentials.authorize(name, new URL(url), {
    caller: OPERATOR,
    signal: AbortSignal.timeout(30_000),
    ...options,
  });
}

/** A new master key as SVC_MASTER_KEY takes it. */
export function masterKey(): string {
  return randomBytes(32).toString("base64");
}
