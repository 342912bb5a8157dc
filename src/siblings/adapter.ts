import type { JsonObject } from "../kernel/json.ts";
import type { SiblingName } from "../ports/settings.ts";
import type { Confirmation } from "../ports/siblings.ts";

/** What an answer is checked against: the sibling's own address and what it was sent. */
export interface SentRequest {
  readonly base: URL;
  readonly payload: JsonObject;
}

/** What an answer confirms, or what is wrong with it in words of ours. */
export type Verdict = Pick<Confirmation, "resultRef" | "kind" | "data"> | { readonly problem: string };

/** A capability that is asked for directly: the request and what counts as its confirmation. */
export interface DirectCall {
  readonly method: "GET" | "POST";
  path(payload: JsonObject): string;
  /** Asking again changes nothing, so a failed try may be repeated. */
  readonly safe: boolean;
  confirm(data: JsonObject, asked: SentRequest): Verdict;
}

/**
 * What must be in the result of a packet that asked for a capability, besides a well-formed reference.
 * Gives what is wrong, or null.
 */
type Proof = (result: JsonObject, asked: SentRequest & { readonly resultRef: string }) => string | null;

/** One sibling: how it is spoken to and what is believed of its answers. */
export interface Adapter {
  readonly name: SiblingName;
  readonly title: string;
  /** What it does for this service, in a sentence. */
  readonly purpose: string;
  readonly timeoutMs: number;
  /** Where it takes packets, if not at the usual path under its name. */
  readonly handoffPath?: string;
  /** How it is called; with plain requests without it. */
  readonly transport?: "mcp";
  readonly calls?: Readonly<Record<string, DirectCall>>;
  readonly proofs?: Readonly<Record<string, Proof>>;
}

/** Where a sibling takes packets. */
export function handoffPathOf(sibling: Pick<Adapter, "handoffPath"> & { readonly name: string }): string {
  return sibling.handoffPath ?? `/api/${sibling.name}/receive-handoff`;
}
