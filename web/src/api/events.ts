import { EventSourceParserStream } from "eventsource-parser/stream";
import { external, type External } from "../lib/external.ts";
import { textAt } from "../lib/read.ts";
import { queryClient } from "./operations.ts";
import { authHeaders, session } from "./session.ts";
import { createRefresher } from "./stale.ts";
import { parseJson } from "../lib/parse-json.ts";

/** One event as the stream tells it. */
export interface LiveEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly body: unknown;
}

/** Whether the stream is open. */
export const streamState: External<"connecting" | "open" | "closed"> = external<
  "connecting" | "open" | "closed"
>("closed");

/** The newest events of this page's life, newest first. */
export const recentEvents: External<readonly LiveEvent[]> = external<readonly LiveEvent[]>([]);

const KEPT = 200;
let stop: AbortController | null = null;
let lastEventId = "";

/** Follows `/api/svc/events` for as long as the page lives; a new key opens the stream again with that key. */
export function followEvents(): void {
  let generation = -1;
  const restart = () => {
    const now = session.get().generation;
    if (now === generation) return;
    generation = now;
    stop?.abort();
    stop = new AbortController();
    void keepOpen(stop.signal);
  };
  session.subscribe(restart);
  restart();
}

async function keepOpen(signal: AbortSignal): Promise<void> {
  let pause = 500;
  let isFirst = true;
  while (!signal.aborted) {
    streamState.set("connecting");
    try {
      await readStream(signal, () => {
        pause = 500;
        streamState.set("open");
        // A service that was away may have been another one before: everything is asked for again.
        if (!isFirst) void queryClient.invalidateQueries();
        isFirst = false;
      });
    } catch {
      // The connection ended; the loop opens it again and asks for what was missed.
    }
    if (signal.aborted) return;
    streamState.set("closed");
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, 15_000);
  }
}

/** EventSource cannot send a header, so the stream is read with fetch. */
async function readStream(signal: AbortSignal, opened: () => void): Promise<void> {
  const resume: Record<string, string> = lastEventId === "" ? {} : { "Last-Event-ID": lastEventId };
  const response = await fetch("/api/svc/events", {
    headers: { Accept: "text/event-stream", ...authHeaders(), ...resume },
    signal,
    cache: "no-store",
  });
  if (!response.ok || response.body === null) throw new Error(`events: ${response.status}`);
  opened();
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const { id, event, data } of events) take(id ?? "", event ?? "message", data);
}

function take(id: string, kind: string, data: string): void {
  if (id !== "") lastEventId = id;
  const body = parseJson(data);
  const event: LiveEvent = {
    id,
    type: textAt(body, "type", kind),
    subject: textAt(body, "subject"),
    time: textAt(body, "time"),
    body,
  };
  recentEvents.update((events) => [event, ...events].slice(0, KEPT));
  refresh(event);
}

const WORDS = ["run", "step", "approval", "artifact", "workflow", "handoff", "tool"];
const refreshStale = createRefresher(queryClient);

/** What an event makes stale is asked for again. */
function refresh(event: LiveEvent): void {
  const words = WORDS.filter((word) => event.type.includes(word)).map((word) =>
    word === "step" ? "run" : word,
  );
  if (event.type === "resync" || event.type.endsWith(".resync")) words.push("");
  refreshStale({ words, run: event.subject.startsWith("run_") ? event.subject : "" });
}
