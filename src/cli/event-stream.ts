import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { Client } from "./client.ts";
import { Failure, failureOfText } from "./failure.ts";

/** One message of the event stream. `name` is "message" for an event. */
export interface StreamMessage {
  readonly name: string;
  readonly id: string | null;
  readonly data: JsonObject;
}

/** What to listen to. */
export interface StreamWish {
  readonly types?: readonly string[];
  readonly subject?: string;
  readonly after?: string;
  readonly signal: AbortSignal;
  /** Called when the connection broke and is taken up again. */
  readonly onBreak?: () => void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

/**
 * Follows the service's events until the signal. A connection that breaks is taken up again after the last message
 * that came; only what the service refuses ends it.
 */
export async function* followEvents(client: Client, wish: StreamWish): AsyncGenerator<StreamMessage> {
  let last = wish.after ?? null;
  let pause = FIRST_PAUSE_MS;
  let wasOpen = false;
  while (!wish.signal.aborted) {
    try {
      for await (const message of connection(client, wish, last)) {
        last = message.id ?? last;
        pause = FIRST_PAUSE_MS;
        wasOpen = true;
        yield message;
      }
    } catch (error) {
      if (wish.signal.aborted) return;
      // A service that was never there is an error; one that restarts is waited for.
      if (!(error instanceof Failure) || error.exit !== "unavailable" || !wasOpen) throw error;
    }
    if (wish.signal.aborted) return;
    wish.onBreak?.();
    await sleep(pause, undefined, { signal: wish.signal }).catch(() => {});
    pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
  }
}

async function* connection(
  client: Client,
  wish: StreamWish,
  last: string | null,
): AsyncGenerator<StreamMessage> {
  const query = new URLSearchParams({
    ...(wish.types && wish.types.length > 0 && { types: wish.types.join(",") }),
    ...(wish.subject !== undefined && { subject: wish.subject }),
  }).toString();
  const response = await client.open({
    method: "GET",
    path: `/api/svc/events${query === "" ? "" : `?${query}`}`,
    headers: { accept: "text/event-stream", ...(last !== null && { "last-event-id": last }) },
    signal: wish.signal,
  });
  response.setEncoding("utf8");
  if (response.statusCode !== 200) {
    let text = "";
    for await (const chunk of response) text += String(chunk);
    throw failureOfText(text, "The event stream did not open.");
  }
  let rest = "";
  try {
    for await (const chunk of response) {
      rest += String(chunk);
      const parts = rest.split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const message = readMessage(part);
        if (message) yield message;
      }
    }
  } catch {
    throw new Failure("unavailable", "The event stream broke off.");
  }
}

function readMessage(text: string): StreamMessage | null {
  let name = "message";
  let id: string | null = null;
  let data = "";
  for (const line of text.split("\n")) {
    const [, field, value = ""] = /^(event|id|data): ?(.*)$/.exec(line) ?? [];
    if (field === "event") name = value;
    else if (field === "id") id = value;
    else if (field === "data") data += value;
  }
  if (data === "") return null;
  const parsed: unknown = JSON.parse(data);
  return isJsonObject(parsed) ? { name, id, data: parsed } : null;
}
