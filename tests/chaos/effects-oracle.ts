import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { readFileSync } from "node:fs";

/** How a call ends: `acts` tells whether the target does it, `unknowable` whether its caller can know. */
interface Way {
  readonly acts: boolean;
  readonly unknowable: boolean;
  /** Ends the exchange; the request was read whole unless `early`. */
  end(response: ServerResponse, request: IncomingMessage): void;
  readonly early?: true;
}

const reply = (status: number, body: unknown) => (response: ServerResponse) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const redirect = (status: number) => (response: ServerResponse) =>
  void response.writeHead(status, { location: "/made" }).end();
const cut = (response: ServerResponse): void => void response.destroy();
const half = (response: ServerResponse): void => {
  response.writeHead(201, { "content-type": "application/json", "content-length": "400" });
  response.write('{"id":"');
  setTimeout(() => response.destroy(), 5);
};
const halfChunked = (response: ServerResponse): void => {
  response.writeHead(201, { "content-type": "application/json" });
  response.write('{"id":"');
  setTimeout(() => response.destroy(), 5);
};
const silent = (): void => undefined;

/** Every way in which a call of the HTTP API ends. */
export const HTTP_WAYS: Readonly<Record<string, Way>> = {
  done: { acts: true, unknowable: false, end: reply(201, { id: "x" }) },
  slow: {
    acts: true,
    unknowable: false,
    end: (response) => void setTimeout(reply(201, { id: "x" }), 40, response),
  },
  "no body": { acts: true, unknowable: false, end: (response) => void response.writeHead(204).end() },
  refused: { acts: false, unknowable: false, end: reply(422, { error: "no" }) },
  "rate limited": { acts: false, unknowable: false, end: reply(429, { error: "slower" }) },
  "not implemented": { acts: false, unknowable: false, end: reply(501, { error: "no" }) },
  "cut while sending": { acts: false, unknowable: true, end: cut, early: true },
  "cut before acting": { acts: false, unknowable: true, end: cut },
  "cut after acting": { acts: true, unknowable: true, end: cut },
  "half an answer": { acts: true, unknowable: true, end: half },
  "half a chunked answer": { acts: true, unknowable: true, end: halfChunked },
  "no answer, acted": { acts: true, unknowable: true, end: silent },
  "no answer": { acts: false, unknowable: true, end: silent },
  "502, acted": { acts: true, unknowable: true, end: reply(502, "bad gateway") },
  "502": { acts: false, unknowable: true, end: reply(502, "bad gateway") },
  "504, acted": { acts: true, unknowable: true, end: reply(504, "late") },
  "504": { acts: false, unknowable: true, end: reply(504, "late") },
  "500, acted": { acts: true, unknowable: true, end: reply(500, { error: "sorry" }) },
  "500": { acts: false, unknowable: true, end: reply(500, { error: "sorry" }) },
  "503, acted": { acts: true, unknowable: true, end: reply(503, { error: "later" }) },
  "503": { acts: false, unknowable: true, end: reply(503, { error: "later" }) },
  "522, acted": { acts: true, unknowable: true, end: reply(522, "no answer from the origin") },
  "408, acted": { acts: true, unknowable: true, end: reply(408, "too slow") },
  "408": { acts: false, unknowable: true, end: reply(408, "too slow") },
  "302, acted": { acts: true, unknowable: true, end: redirect(302) },
  "303, acted": { acts: true, unknowable: true, end: redirect(303) },
};

/** Every way in which a sibling ends the exchange of a packet. */
export const PACKET_WAYS: Readonly<Record<string, Way>> = {
  ...Object.fromEntries(Object.entries(HTTP_WAYS).filter(([, { early }]) => early !== true)),
  "no body": { acts: true, unknowable: true, end: (response) => void response.writeHead(204).end() },
  unproven: { acts: true, unknowable: true, end: reply(200, { ok: true, data: { status: "completed" } }) },
  "says no": { acts: false, unknowable: false, end: reply(200, { ok: false, data: {} }) },
};

/** Ways in which a call of the program ends. */
export const PROGRAM_WAYS: Readonly<Record<string, Pick<Way, "acts" | "unknowable">>> = {
  done: { acts: true, unknowable: false },
  error: { acts: false, unknowable: false },
  "dies before": { acts: false, unknowable: true },
  "dies after": { acts: true, unknowable: true },
  hangs: { acts: true, unknowable: true },
};

/**
 * A server that acts and counts. Paths: `/plain`, `/keyed` (one effect for a key), `/again` (one for an id); it is the
 * sibling Docs too, whose packets have one effect for an id. The title of a report is `ID/WAY`.
 */
export interface Oracle {
  readonly url: string;
  /** How often each effect happened, by id. */
  counts(): ReadonlyMap<string, number>;
  /** How often the compensation of this id was asked for. */
  undone(id: string): number;
  close(): Promise<void>;
}

/** Starts the oracle; effects of the program are lines of `file`. */
export async function startOracle(file: string): Promise<Oracle> {
  const counts = new Map<string, number>();
  const undone = new Map<string, number>();
  const keys = new Set<string>();
  const seen = new Set<string>();
  const add = (to: Map<string, number>, id: string): void => void to.set(id, (to.get(id) ?? 0) + 1);
  async function packet(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    request.setEncoding("utf8");
    for await (const part of request) text += String(part);
    const { id: packetId, payload } = JSON.parse(text);
    const [id = "", name = ""] = String(payload.title).split("/");
    const way = PACKET_WAYS[name];
    const isFixed = seen.has(packetId) && id.endsWith("r") && way?.unknowable === true;
    seen.add(packetId);
    if (way === undefined || ((way.acts || isFixed) && !keys.has(packetId))) {
      keys.add(packetId);
      add(counts, id);
    }
    const report = { id: "report_abc123", contentDigest: `sha256:${"a".repeat(64)}` };
    const resultRef = `http://${request.headers.host}/reports/${report.id}.html`;
    const data = { id: packetId, status: "completed", resultRef, result: { report } };
    const done = reply(200, { ok: true, data });
    if (way === undefined || isFixed || name === "done") done(response);
    else if (name === "slow") setTimeout(done, 40, response);
    else way.end(response, request);
  }
  const server = createServer((request, response) => {
    const [, kind = "", id = "", name = ""] = decodeURIComponent(request.url ?? "").split("/");
    if (kind === "api") {
      void packet(request, response);
      return;
    }
    const way = HTTP_WAYS[name];
    const isFirst = !seen.has(id);
    seen.add(id);
    // What is repeated goes well every other time, so that retries both recover and use up their attempts.
    const isFixed = !isFirst && kind !== "plain" && id.endsWith("r");
    if (way?.early === true && !isFixed) {
      request.once("data", () => way.end(response, request));
      return;
    }
    request.resume();
    request.on("end", () => {
      if (kind === "undo") add(undone, id);
      if (way === undefined) {
        reply(200, {})(response);
        return;
      }
      const key = kind === "keyed" ? String(request.headers["idempotency-key"]) : id;
      const isNew = kind === "plain" || !keys.has(`${kind} ${key}`);
      if ((way.acts || (isFixed && way.unknowable)) && isNew) {
        keys.add(`${kind} ${key}`);
        add(counts, id);
      }
      if (isFixed && way.unknowable) reply(201, { id: "x" })(response);
      else way.end(response, request);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    counts() {
      const all = new Map(counts);
      for (const line of readFileSync(file, "utf8").split("\n")) if (line !== "") add(all, line);
      return all;
    },
    undone: (id) => undone.get(id) ?? 0,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
