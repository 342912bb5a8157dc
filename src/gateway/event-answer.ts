import type { JsonObject } from "../kernel/json.ts";
import { modesOfSession, SESSION_HEADER, type ClientQuestions } from "./client-questions.ts";
import type { EdgeAnswer } from "./edge.ts";
import type { EdgeRequest, Exchange } from "./exchange.ts";
import { LISTEN } from "./listen.ts";
import type { RpcReply } from "./rpc.ts";

const OPEN_BRACE = 0x7b;
const PROGRESS_TOKEN = Buffer.from('"progressToken"');
const LISTEN_NAME = Buffer.from(`"${LISTEN}"`);
const BEAT_MS = 15_000;
/** A client that falls behind is waited for after each piece of a long reply. */
const PIECE_CHARS = 65_536;

/** True for a single message whose sender takes a stream, and wants reports of progress or can be asked. */
export function wantsEvents({ headers, body }: Pick<EdgeRequest, "headers" | "body">): boolean {
  if (body === null || headers.accept?.includes("text/event-stream") !== true) return false;
  if (body[0] !== OPEN_BRACE) return false;
  return (
    body.includes(PROGRESS_TOKEN) ||
    body.includes(LISTEN_NAME) ||
    modesOfSession(headers[SESSION_HEADER]) !== null
  );
}

/** An answer that becomes a stream of server-sent events with the first notification. */
export class EventAnswer {
  /** Resolves with the first notification. */
  readonly begun: Promise<"begun">;
  readonly #exchange: Exchange;
  readonly #waiting: string[] = [];
  #write: ((text: string) => void) | null = null;

  constructor(exchange: Exchange, questions: ClientQuestions) {
    this.#exchange = exchange;
    const { promise, resolve } = Promise.withResolvers<"begun">();
    this.begun = promise;
    const send = (message: JsonObject): void => {
      const text = eventOf(JSON.stringify(message));
      if (this.#write === null) this.#waiting.push(text);
      else this.#write(text);
      resolve("begun");
    };
    exchange.notify = (method, params) => send({ jsonrpc: "2.0", method, params });
    const modes = modesOfSession(exchange.request.headers[SESSION_HEADER]);
    if (modes === null) return;
    exchange.questionsTo = (caller) => ({
      modes,
      ask: (params) => questions.ask(caller.id, params, exchange.signal, send),
    });
  }

  /** The stream: what was notified, what will be, and at last the reply itself. */
  answer(work: Promise<RpcReply>): EdgeAnswer {
    const headers = ["content-type", "text/event-stream", "cache-control", "no-store"];
    this.#exchange.addHeaders(headers);
    return {
      status: 200,
      headers,
      body: null,
      stream: async (sink) => {
        this.#write = (text) => void sink.write(text);
        for (const text of this.#waiting.splice(0)) sink.write(text);
        // A person may take a while to answer; what stands between must not take the stream for dead.
        const beat = setInterval(() => sink.write(": waiting\n\n"), BEAT_MS);
        const { body } = await work.finally(() => clearInterval(beat));
        const reply = eventOf(
          body === null || typeof body === "string" ? (body ?? "") : Buffer.concat(body).toString(),
        );
        for (let at = 0; at < reply.length; at += PIECE_CHARS) {
          sink.write(reply.slice(at, at + PIECE_CHARS));
          await sink.drained();
        }
        sink.end();
      },
    };
  }
}

function eventOf(data: string): string {
  return `event: message\ndata: ${data}\n\n`;
}
