import { AppError } from "../kernel/errors.ts";
import { withExactIntegers } from "../kernel/exact-integers.ts";
import { newId } from "../kernel/ids.ts";
import {
  isJsonObject,
  isJsonRecord,
  isList,
  isObject,
  parsedJson,
  type Json,
  type JsonObject,
} from "../kernel/json.ts";
import type { Services } from "../ports/services.ts";
import { answerShape } from "./answer-shape.ts";

/** Messages of a server within a minute: answers, questions, progress and changes of its lists. */
const MOST_MESSAGES = 10_000;
const WINDOW_MS = 60_000;
/** Answers that are past the bound and not yet taken by their call. */
const MOST_STASHED = 4;
const OVERSIZED = "svc/oversized";
const LINE_FEED = 0x0a;

/** An answer that was too much to be built into objects. */
export interface Oversized {
  readonly bytes: Uint8Array;
  readonly problem: string;
}

/** The structured content of a result as JSON.parse reads it, and the integers that it would change. */
interface Numbers {
  readonly content: Json;
  readonly kept: readonly string[];
}

/** Looks at what a server sends before any of it is built into objects, and bounds how much it sends. */
export class MessageGuard {
  readonly #services: () => Services;
  readonly #title: string;
  readonly #stash = new Map<string, Oversized>();
  /** The member of a result that has what it was before; no server knows it. */
  readonly #numbers = newId("numbers");
  #count = 0;
  #since = Date.now();

  constructor(title: string, services: () => Services) {
    this.#title = title;
    this.#services = services;
  }

  /**
   * The message as it may be read. One that is too much is replaced by an answer to the same request that refers to
   * its bytes; null where it answers nothing. Throws when there are too many.
   */
  async pass(message: Uint8Array): Promise<Uint8Array | null> {
    this.#countOne();
    // Pictures and long texts cost little to build; they are kept apart later.
    const context = { services: this.#services() };
    const { problem, id } = await answerShape(message, context, { anyLength: true });
    if (problem === null) return this.#withExactIntegers(message);
    if (id === null) return null;
    const token = newId("oversized");
    this.#stash.set(token, { bytes: message, problem });
    const [oldest] = this.#stash.keys();
    if (this.#stash.size > MOST_STASHED && oldest !== undefined) this.#stash.delete(oldest);
    // The lists are what results of the methods that are used must have.
    const lists = '"content":[],"tools":[],"contents":[]';
    return Buffer.from(
      `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete",${lists},"_meta":{"${OVERSIZED}":"${token}"}}}`,
    );
  }

  /** What a result stands for that was replaced; null for every other result. */
  take(result: unknown): Oversized | null {
    const meta = typeof result === "object" && result !== null ? Reflect.get(result, "_meta") : undefined;
    const token: unknown =
      typeof meta === "object" && meta !== null ? Reflect.get(meta, OVERSIZED) : undefined;
    if (typeof token !== "string") return null;
    const found = this.#stash.get(token) ?? null;
    this.#stash.delete(token);
    return found;
  }

  /** What a result had as numbers before integers that a number changes became texts; null where none did. */
  takeNumbers(result: unknown): Numbers | null {
    if (!isObject(result)) return null;
    const found = result[this.#numbers];
    delete result[this.#numbers];
    if (!isJsonObject(found)) return null;
    const { content = null, kept = null } = found;
    return { content, kept: isList(kept) ? kept.map(String) : [] };
  }

  #withExactIntegers(message: Uint8Array): Uint8Array {
    const text = Buffer.from(message).toString("utf8");
    const { text: exact, kept } = withExactIntegers(text);
    if (kept.length === 0) return message;
    const answer = parsedJson(exact);
    const result = resultOf(answer);
    // Elsewhere, as in the schemas of a list, a text would mean something else.
    if (!isJsonRecord(answer) || result["structuredContent"] === undefined) return message;
    const content = resultOf(parsedJson(text))["structuredContent"];
    const marked = { ...result, [this.#numbers]: { content, kept } };
    return Buffer.from(JSON.stringify({ ...answer, result: marked }));
  }

  /** A whole answer. */
  async *whole(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const read: Uint8Array[] = [];
    for await (const chunk of chunks) read.push(chunk);
    const passed = await this.pass(Buffer.concat(read));
    if (passed !== null) yield passed;
  }

  /** The events of a stream, each of them looked at. */
  async *events(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let event: Buffer[] = [];
    for await (const line of lines(chunks)) {
      event.push(line, Buffer.of(LINE_FEED));
      if (line.length > 0) continue;
      const data = event.filter(isData).map((one) => one.subarray(5));
      const whole = Buffer.concat(event);
      event = [];
      if (data.length === 0) {
        yield whole;
        continue;
      }
      const message = Buffer.concat(data.flatMap((one) => [one, Buffer.of(LINE_FEED)]));
      const passed = await this.pass(message);
      if (passed === message) yield whole;
      else if (passed !== null) yield Buffer.concat([Buffer.from("data: "), passed, Buffer.from("\n\n")]);
    }
  }

  #countOne(): void {
    const now = Date.now();
    if (now - this.#since > WINDOW_MS) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= MOST_MESSAGES) return;
    throw new AppError(
      "unavailable",
      `${this.#title} sent more than ${MOST_MESSAGES} messages within a minute; the conversation was ended.`,
      { nextAction: "Ask the operator of the server to send fewer messages.", retryAfterSeconds: 60 },
    );
  }
}

function resultOf(answer: Json | undefined): JsonObject {
  const result = isJsonRecord(answer) ? answer["result"] : undefined;
  return isJsonRecord(result) ? result : {};
}

function isData(line: Buffer): boolean {
  return line.length >= 5 && line.toString("latin1", 0, 5) === "data:";
}

/** The lines of an event stream without their ends. */
async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      const line = Buffer.concat([...pending, rest.subarray(0, end)]);
      pending = [];
      rest = rest.subarray(end + 1);
      const isReturned = line.at(-1) === 0x0d;
      // A lone carriage return ends a line too; no server of the protocol writes one.
      if (line.subarray(0, -1).includes(0x0d))
        throw new AppError(
          "unavailable",
          "The server's event stream has lines that end in a carriage return.",
        );
      yield isReturned ? line.subarray(0, -1) : line;
    }
    if (rest.length > 0) pending.push(rest);
  }
}
