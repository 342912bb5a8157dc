import { isObject } from "../../src/kernel/json.ts";
import { placesOf, routeOfOperation, type OperationDeclaration } from "../../src/ports/operations.ts";
import { operations } from "../../src/registry.ts";
import type { TestService } from "../support/service.ts";
import { brokenFrom, seeded, valueFor } from "../support/schema-values.ts";

/** What a fuzz of the operations found. */
export interface FuzzResult {
  readonly requests: number;
  readonly accepted: number;
  readonly refused: number;
  readonly deviations: readonly string[];
}

/** These end the session, the process' own streams or the caller's rights: their input is checked, they are not carried out. */
const NOT_CARRIED_OUT = new Set(["file", "stream", "page", "redirect"]);

/**
 * Sends values made from each operation's own declaration. A value that fits is accepted or refused for a reason of the
 * domain; one that breaks the schema at one place is refused with the pointer of that place. The service compares every
 * answer with its declared output (`checkOutputs`): a deviation is a 500.
 */
export async function fuzzOperations(
  service: TestService,
  headersOf: (operation: OperationDeclaration) => Readonly<Record<string, string>>,
  rounds: number,
  seed: number,
): Promise<FuzzResult> {
  const random = seeded(seed);
  const deviations: string[] = [];
  let requests = 0;
  let accepted = 0;
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    for (const operation of operations) {
      if ("kind" in operation && NOT_CARRIED_OUT.has(operation.kind ?? "json")) continue;
      const fitting = valueFor(operation.input, random);
      if (!isObject(fitting)) throw new TypeError(`the input of ${operation.name} is no object`);
      const answer = await send(service, operation, fitting, headersOf(operation));
      requests += 1;
      if (answer.status >= 500 && answer.status !== 503)
        deviations.push(`${operation.name} ${JSON.stringify(fitting)}: ${answer.status} ${answer.text}`);
      if (answer.status < 300) accepted += 1;
      else refused += 1;
      // What a protocol's library checks has the protocol's own errors.
      if (operation.kind === "protocol") continue;
      const places = placesOf(operation);
      for (const { pointer, what, value } of brokenFrom({ ...operation.input }, fitting)) {
        const name = pointer.slice(1);
        const takesOthers = operation.ignoresOthers === true || operation.wholeBody !== undefined;
        if (what === "unknown member" && takesOthers) continue;
        // The path and the query carry texts only: some mistakes cannot be made there.
        if (places.path.includes(name)) continue;
        if (places.query.includes(name) && (what.startsWith("null") || what === "too few")) continue;
        if (places.query.includes(name) && what.startsWith("a number for a list")) continue;
        const wrong = await send(service, operation, value, headersOf(operation));
        requests += 1;
        refused += 1;
        if (wrong.status !== 400 && wrong.status !== 413)
          deviations.push(`${operation.name}: ${what} at ${pointer} was answered with ${wrong.status}`);
        else if (
          wrong.status === 400 &&
          !wrong.pointers.some((one) => one === pointer || one.startsWith(`${pointer}/`))
        )
          deviations.push(
            `${operation.name}: ${what} at ${pointer} is not named: ${wrong.pointers.join(" ")}`,
          );
      }
    }
  }
  return { requests, accepted, refused, deviations };
}

async function send(
  service: TestService,
  operation: OperationDeclaration,
  input: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly text: string; readonly pointers: readonly string[] }> {
  const { method, path } = routeOfOperation(operation);
  const places = placesOf(operation);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  const isRead = method === "GET" || method === "DELETE";
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (places.path.includes(name)) continue;
    if (isRead || places.query.includes(name)) {
      for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
      if (Array.isArray(value) && value.length === 1) query.append(name, "twice");
    } else body[name] = value;
  }
  const response = await service.fetch(`${filled}?${query.toString()}`, {
    method,
    headers: { ...headers, ...(!isRead && { "content-type": "application/json" }) },
    ...(!isRead && { body: JSON.stringify(body) }),
    redirect: "manual",
  });
  const text = await response.text();
  return { status: response.status, text: text.slice(0, 300), pointers: pointersIn(text) };
}

function pointersIn(text: string): readonly string[] {
  try {
    const answer: unknown = JSON.parse(text);
    const data = isObject(answer) ? answer["data"] : null;
    const error = isObject(data) ? data["error"] : null;
    const problems = isObject(error) ? error["problems"] : null;
    if (!Array.isArray(problems)) return [];
    return problems.map((problem: unknown) => (isObject(problem) ? String(problem["pointer"]) : ""));
  } catch {
    return [];
  }
}
