import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Firing, OutputOf } from "../../packages/client/client.ts";
import type { AnswerAt } from "../support/answers.ts";
import { TEST_KEY, type TestService } from "../support/service.ts";

/** An answer of the REST interface. */
export interface RestAnswer<D> {
  readonly status: number;
  readonly ok: boolean;
  readonly data: D;
}

type Asks = Pick<TestService, "fetch" | "call">;

/** Asks with the key that has every right. */
export async function ask<M extends string, P extends string>(
  service: Pick<TestService, "fetch">,
  method: M,
  path: P,
  body?: unknown,
  key: string = TEST_KEY,
): Promise<RestAnswer<AnswerAt<M, P>>> {
  const answer = await service.fetch(path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const envelope: Pick<RestAnswer<AnswerAt<M, P>>, "ok" | "data"> = JSON.parse(await answer.text());
  return { status: answer.status, ok: envelope.ok, data: envelope.data };
}

/** A published workflow; without a step of its own it only passes on its inputs. */
export async function publish(
  service: Asks,
  inputs: unknown = { type: "object" },
  nodes: readonly unknown[] = [{ id: "echo", type: "transform", value: { seen: true } }],
  more: Record<string, unknown> = {},
): Promise<string> {
  const made = await service.call(
    "create_workflow",
    { name: "Triggered", nodes, edges: [] },
    { key: true, meta: { "svc/document": { inputs, ...more } } },
  );
  const id: string = made.envelope.data.workflow.id;
  const published = await service.call("publish_workflow", { id }, { key: true });
  assert.equal(published.envelope.ok, true, JSON.stringify(published.envelope));
  return id;
}

/** Makes a trigger. */
export async function create(service: Asks, body: unknown): Promise<OutputOf<"create_trigger">> {
  const answer = await ask(service, "POST", "/api/svc/triggers", body);
  assert.equal(answer.status, 201, JSON.stringify(answer.data));
  return answer.data;
}

/** The history of a trigger, oldest first. */
export async function history(service: Asks, id: string): Promise<readonly Firing[]> {
  const { data } = await ask(service, "GET", `/api/svc/triggers/${id}/history?limit=100`);
  return data.firings.toReversed();
}

/** Asks again until the condition holds, for two minutes at most: a killed process takes a while to be back. */
export async function until<T>(look: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  const end = Date.now() + 120_000;
  for (;;) {
    const found = await look();
    if (holds(found)) return found;
    assert.ok(Date.now() < end, `not within 120 s: ${JSON.stringify(found)}`);
    await sleep(20);
  }
}
