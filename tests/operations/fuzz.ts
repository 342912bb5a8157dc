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
/** Mistakes that a text in a path can make. */
const IN_PATH: ReadonlySet<string> = new Set([
  "not a choice",
  "too long",
  "a text for a number",
  "a fraction",
  "too large",
  "too small",
]);
/** Mistakes that a text in a query cannot make: it is no null, and a list of one is a list. */
const NOT_IN_QUERY: ReadonlySet<string> = new Set(["null for a text", "too few", "a number for a list"]);

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
      const examples = operation.examples ?? [];
      const example = random() < 0.3 ? examples[Math.floor(random() * examples.length)] : undefined;
      const made = example ?? valueFor(operation.input, random);
      if (!isObject(made)) throw new TypeError(`the input of ${operation.name} is no object`);
      const places = placesOf(operation);
      const known = places.path.filter((name) => ids.length > 0 && /id$/i.test(name) && random() < 0.7);
      const chosen = known.map((name) => [name, idFor(operation, ids, random)] as const);
      const fitting = { ...made, ...Object.fromEntries(chosen) };
      const valid = await ask(operation, fitting);
      // What a protocol's library checks has the protocol's own errors.
      if (operation.kind === "protocol") continue;
      const wrongly = refusalBySchema(operation, fitting, valid);
      if (wrongly !== null)
        deviations.add(`${operation.name} ${JSON.stringify(fitting).slice(0, 300)}: ${wrongly}`);
      for (const { pointer, what, value } of brokenFrom({ ...operation.input }, fitting)) {
        const name = pointer.split("/")[1] ?? "";
        const takesOthers =
          operation.ignoresOthers === true || operation.wholeBody !== undefined || "bodyType" in operation;
        if (what === "unknown member" && takesOthers) continue;
        // The path and the query carry texts only: some mistakes cannot be made there.
        if (places.path.includes(name) && !IN_PATH.has(what)) continue;
        if (places.query.includes(name) && (NOT_IN_QUERY.has(what) || pointer.split("/").length > 3))
          continue;
        const seen = await ask(operation, value);
        const where = `${operation.name}: ${what} at ${pointer}`;
        const named = problemsIn(seen.text).map((problem) => problem.pointer);
        if (seen.status !== 400) deviations.add(`${where} was answered with ${seen.status}`);
        else if (!named.some((one) => one === pointer || one.startsWith(`${pointer}/`)))
          deviations.add(`${where} is not named: ${named.join(" ")}`);
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

/** An id that an answer had; mostly of the kind of record that the path is about. */
function idFor({ http }: Operation, ids: readonly string[], random: () => number): string {
  const alike = ids.filter((id) => http.includes(`/${id.split("_")[0] ?? ""}`));
  const some = alike.length > 0 && random() < 0.8 ? alike : ids;
  return some[Math.floor(random() * some.length)] ?? "none";
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
      // A list where one value is taken: the member comes twice.
      const schema: unknown = operation.input.properties[name];
      const isList = isObject(schema) && schema["type"] === "array";
      if (Array.isArray(value) && value.length === 1 && !isList) query.append(name, "twice");
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

/** Why a value that fits was refused, when neither a rule of the operation nor its handler refused it; null otherwise. */
function refusalBySchema(
  operation: Operation,
  fitting: Readonly<Record<string, unknown>>,
  { status, text }: Seen,
): string | null {
  if (status === 413 || status === 415 || status === 405) return `a valid value was answered with ${status}`;
  if (status !== 400) return null;
  // The dispatcher's headline: what handlers refuse has a message of its own.
  if (!text.includes(` for ${operation.name} have `)) return null;
  const ruled = (operation.rules?.(fitting, Date.now()) ?? []).map(({ pointer }) => pointer);
  const rest = problemsIn(text).filter(({ pointer }) => !ruled.includes(pointer));
  return rest.length === 0 && ruled.length > 0
    ? null
    : `a valid value was refused: ${rest.map(({ message }) => message).join(" ")}`;
}

function problemsIn(text: string): readonly { readonly pointer: string; readonly message: string }[] {
  try {
    const answer: unknown = JSON.parse(text);
    const data = isObject(answer) ? answer["data"] : null;
    const error = isObject(data) ? data["error"] : null;
    const problems = isObject(error) ? error["problems"] : null;
    if (!Array.isArray(problems)) return [];
    return problems
      .filter(isObject)
      .map(({ pointer, message }) => ({ pointer: String(pointer), message: String(message) }));
  } catch {
    return [];
  }
}
