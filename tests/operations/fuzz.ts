import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";
import { isObject } from "../../src/kernel/json.ts";
import { placesOf, routeOfOperation, type Operation } from "../../src/ports/operations.ts";
import { operations } from "../../src/registry.ts";
import { brokenFrom, seeded, valueFor } from "../support/schema-values.ts";
import type { TestService } from "../support/service.ts";

/** What a fuzz of the operations found. */
export interface FuzzResult {
  readonly requests: number;
  readonly accepted: number;
  readonly refused: number;
  readonly deviations: readonly string[];
}

/** How operations are called and how often. */
export interface FuzzOptions {
  headersOf(operation: Operation): Promise<Readonly<Record<string, string>>>;
  /** Whole rounds over all operations, at least until as many requests were sent. */
  readonly rounds?: number;
  readonly count?: number;
  readonly seed: number;
  onProgress?(requests: number): void;
}

/** Ids that answers had: some requests use them, so that more than "no such record" is reached. */
const MOST_IDS = 500;
/** Deviations that are listed. */
const MOST_DEVIATIONS = 50;

/**
 * Sends values made from each operation's own declaration. A value that fits is accepted or refused for a reason of the
 * domain; one that breaks the schema at one place is refused with the pointer of that place. Every answer, also a
 * refusal, has a status and a content that /openapi.yaml declares; besides, the service compares what it answers with the
 * declared output (`checkOutputs`): a deviation is a 500.
 */
export async function fuzzOperations(service: TestService, options: FuzzOptions): Promise<FuzzResult> {
  const random = seeded(options.seed);
  const described = await answersOf(service);
  const served = new Set(service.app.services.site.routes.map(({ operation }) => operation.name));
  const ids: string[] = [];
  const deviations = new Set<string>();
  const { rounds = 0, count = 0 } = options;
  let requests = 0;
  let accepted = 0;
  const ask = async (operation: Operation, input: Readonly<Record<string, unknown>>): Promise<Seen> => {
    const seen = await send(service, operation, input, await options.headersOf(operation));
    requests += 1;
    if (requests % 1_000 === 0) options.onProgress?.(requests);
    if (seen.status < 300) accepted += 1;
    const problem = described(operation, seen);
    if (problem !== null)
      deviations.add(`${operation.name} ${JSON.stringify(input).slice(0, 300)}: ${problem}`);
    for (const [, id = ""] of seen.text.matchAll(/"id":"([\w.:-]{5,80})"/g))
      if (!ids.includes(id)) ids.splice(Math.floor(random() * (ids.length + 1)), 0, id);
    ids.length = Math.min(ids.length, MOST_IDS);
    return seen;
  };
  const isDue = (round: number): boolean => round < rounds || requests < count;
  for (let round = 0; isDue(round); round++) {
    for (const operation of operations) {
      if (!served.has(operation.name)) continue;
      const made = valueFor(operation.input, random);
      if (!isObject(made)) throw new TypeError(`the input of ${operation.name} is no object`);
      const places = placesOf(operation);
      const known = places.path.filter((name) => ids.length > 0 && /id$/i.test(name) && random() < 0.7);
      const chosen = known.map((name) => [name, ids[Math.floor(random() * ids.length)]] as const);
      const fitting = { ...made, ...Object.fromEntries(chosen) };
      await ask(operation, fitting);
      // What a protocol's library checks has the protocol's own errors.
      if (operation.kind === "protocol") continue;
      for (const { pointer, what, value } of brokenFrom({ ...operation.input }, fitting)) {
        const name = pointer.split("/")[1] ?? "";
        const takesOthers =
          operation.ignoresOthers === true || operation.wholeBody !== undefined || "bodyType" in operation;
        if (what === "unknown member" && takesOthers) continue;
        // The path and the query carry texts only: some mistakes cannot be made there.
        if (places.path.includes(name)) continue;
        if (places.query.includes(name) && /^(?:null|too few|a number for a list|.* inside$)/.test(what))
          continue;
        const seen = await ask(operation, value);
        const where = `${operation.name}: ${what} at ${pointer}`;
        if (seen.status !== 400 && seen.status !== 413)
          deviations.add(`${where} was answered with ${seen.status}`);
        else if (
          seen.status === 400 &&
          !pointersIn(seen.text).some((one) => one === pointer || one.startsWith(`${pointer}/`))
        )
          deviations.add(`${where} is not named: ${pointersIn(seen.text).join(" ")}`);
      }
    }
  }
  return {
    requests,
    accepted,
    refused: requests - accepted,
    deviations: [...deviations].slice(0, MOST_DEVIATIONS),
  };
}

interface Seen {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Tells of an answer what is not as /openapi.yaml says; null when all is. */
async function answersOf(service: TestService): Promise<(operation: Operation, seen: Seen) => string | null> {
  const document: unknown = parse(await (await service.fetch("/openapi.yaml")).text());
  const ajv = new Ajv2020({ strict: false, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema(isObject(document) ? document : {}, "openapi");
  const at = (...steps: readonly string[]): unknown =>
    steps.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), document);
  return (operation, { status, type, text }) => {
    if (status >= 500 && status !== 503) return `${status} ${text.slice(0, 300)}`;
    const { method, path } = routeOfOperation(operation);
    const steps = ["paths", path, method.toLowerCase(), "responses", String(status)];
    if (at(...steps) === undefined) return `the status ${status} is not declared: ${text.slice(0, 200)}`;
    // JSON lines are another type.
    if (type.split(";")[0] !== "application/json" || text === "") return null;
    const media = at(...steps, "content");
    const name = isObject(media)
      ? Object.keys(media).find((one) => one.split(";")[0] === "application/json")
      : undefined;
    if (name === undefined) return `JSON is not declared for ${status}`;
    const pointer = [...steps, "content", name, "schema"].map(
      (step) => `/${encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))}`,
    );
    const validate = ajv.getSchema(`openapi#${pointer.join("")}`);
    if (validate === undefined) return `the schema of ${status} is not found`;
    const body: unknown = JSON.parse(text);
    // What was asked did not happen: the data says why, and is no success.
    if (isObject(body) && body["ok"] === false && status < 300) return null;
    return validate(body) === true
      ? null
      : `${status} is not as declared: ${ajv.errorsText(validate.errors)}`;
  };
}

async function send(
  service: TestService,
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): Promise<Seen> {
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
  const bodyType = ("bodyType" in operation ? operation.bodyType : undefined) ?? "application/json";
  const isForm = bodyType === "application/x-www-form-urlencoded";
  const stop = new AbortController();
  const response = await service.fetch(`${filled}?${query.toString()}`, {
    method,
    headers: {
      ...headers,
      ...(!isRead && { "content-type": bodyType === "*/*" ? "application/json" : bodyType }),
    },
    ...(!isRead && {
      body: isForm ? formOf(body) : JSON.stringify(body),
    }),
    redirect: "manual",
    signal: stop.signal,
  });
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("text/event-stream"))
    return { status: response.status, type, text: await response.text() };
  // A stream goes on for ever; that it begins is enough.
  stop.abort();
  return { status: response.status, type, text: "" };
}

function formOf(body: Readonly<Record<string, unknown>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) form.append(name, String(value));
  return form.toString();
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
