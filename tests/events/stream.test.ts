import assert from "node:assert/strict";
import { createConnection } from "node:net";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { NewEvent } from "../../src/ports/records.ts";
import { startService, type TestService } from "../support/service.ts";

/** How long the stream waits for a client that takes nothing. */
const PATIENCE_MS = 5_000;

interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const happened = (subject: string, change: Partial<NewEvent> = {}): NewEvent => ({
  type: "svc.run.failed",
  subject,
  traceparent: null,
  data: { id: subject, secret: "for keys only" },
  publicData: { id: subject },
  madeIn: null,
  ...change,
});

const write = (...events: NewEvent[]): Promise<void> =>
  service.app.services.store.transact((tx) => tx.events.append(events));

async function lastSequence(): Promise<number> {
  return (await service.app.services.store.read.events.bounds()).last;
}

/** Reads messages until there are as many as wanted. */
async function listen(
  path: string,
  headers: Record<string, string>,
  count: number,
  onOpen: () => Promise<void> = async () => {},
): Promise<Message[]> {
  const stop = new AbortController();
  const response = await fetch(`${service.url}${path}`, { headers, signal: stop.signal });
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  const messages: Message[] = [];
  let text = "";
  let opened = false;
  assert.ok(response.body);
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const parts = text.split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const message = parseMessage(part);
      if (message !== null) messages.push(message);
    }
    if (!opened && messages.length > 0) {
      opened = true;
      await onOpen();
    }
    if (messages.length >= count) break;
  }
  stop.abort();
  return messages;
}

function parseMessage(part: string): Message | null {
  const field = (name: string): string | undefined =>
    part
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data = field("data");
  return data === undefined
    ? null
    : { id: field("id") ?? "", event: field("event") ?? "message", data: JSON.parse(data) };
}

const withKey = (): Record<string, string> => ({ authorization: `Bearer ${service.key}` });

describe("/api/svc/events", () => {
  it("gives a key everything and a stranger the public part only", async () => {
    const hidden = happened("run_hidden", { publicData: null });
    const all = await listen("/api/svc/events", withKey(), 3, () => write(happened("run_1"), hidden));
    assert.deepEqual(
      all.map(({ event }) => event),
      ["ready", "message", "message"],
    );
    assert.deepEqual(all[1]?.data["data"], { id: "run_1", secret: "for keys only" });
    assert.equal(all[2]?.data["subject"], "run_hidden");
    const open = await listen("/api/svc/events", {}, 2, () => write(hidden, happened("run_2")));
    assert.equal(open[1]?.data["subject"], "run_2");
    assert.deepEqual(open[1]?.data["data"], { id: "run_2" });
    assert.ok(!JSON.stringify(open).includes("for keys only"));
  });

  it("goes on after the last event that was seen", async () => {
    const before = await lastSequence();
    await write(happened("a"), happened("b"), happened("c"));
    const resumed = await listen("/api/svc/events", { ...withKey(), "last-event-id": String(before + 1) }, 3);
    assert.deepEqual(
      resumed.map(({ data }) => data["subject"]),
      [undefined, "b", "c"],
    );
    assert.deepEqual(
      resumed.map(({ id }) => Number(id)),
      [before + 1, before + 2, before + 3],
    );
    const filtered = await listen(`/api/svc/events?after=${before}&types=svc.run.*&subject=c`, withKey(), 2);
    assert.equal(filtered[1]?.data["subject"], "c");
  });

  it("catches up with thousands of events that are not in memory any more", async () => {
    const before = await lastSequence();
    for (let batch = 0; batch < 6; batch++) {
      await write(...Array.from({ length: 500 }, (_, index) => happened(`${batch}/${index}`)));
    }
    const messages = await listen(
      "/api/svc/events",
      { ...withKey(), "last-event-id": String(before) },
      3_001,
    );
    const ids = messages.slice(1).map(({ id }) => Number(id));
    assert.deepEqual(
      ids,
      Array.from({ length: 3_000 }, (_, index) => before + 1 + index),
    );
  });

  it("says resync when what was missed is gone, or never was", async () => {
    const last = await lastSequence();
    await service.app.services.store.transact((tx) => tx.events.trim(last - 5));
    for (const seen of ["0", String(last + 1_000)]) {
      const [first, next] = await listen("/api/svc/events", { ...withKey(), "last-event-id": seen }, 2, () =>
        write(happened("later")),
      );
      assert.equal(first?.event, "resync");
      assert.equal(next?.data["subject"], "later");
    }
  });

  it("refuses what it did not say itself", async () => {
    for (const id of ["-1", "abc", "1e3", "9".repeat(30)]) {
      const answer = await service.fetch("/api/svc/events", { headers: { "last-event-id": id } });
      assert.equal(answer.status, 400, id);
    }
    assert.equal((await service.fetch("/api/svc/events?types=")).status, 400);
    assert.equal(
      (await service.fetch("/api/svc/events", { headers: { authorization: "Bearer wrong" } })).status,
      401,
    );
  });

  it("ends for a key that is revoked", async () => {
    const { token, record } = await service.app.keyring.create({
      name: "x",
      scopes: ["run"],
      expiresAt: null,
    });
    const response = await fetch(`${service.url}/api/svc/events`, { headers: { "x-suite-api-key": token } });
    const reader = response.body?.getReader();
    assert.ok(reader);
    await reader.read();
    await service.app.keyring.revoke(record.id);
    await sleep(1_100);
    await write(happened("after the end"));
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      rest += Buffer.from(value).toString();
    }
    assert.ok(!rest.includes("after the end"));
  });

  it("drops a client that does not read", async () => {
    const socket = createConnection(service.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(`GET /api/svc/events HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n\r\n`);
    await once(socket, "data");
    socket.pause();
    const bulky = { id: "x", padding: "y".repeat(20_000) };
    for (let batch = 0; batch < 40; batch++) {
      await write(
        ...Array.from({ length: 20 }, (_, index) => happened(`big${index}`, { publicData: bulky })),
      );
    }
    await sleep(PATIENCE_MS + 500);
    // What lies in the socket's own buffers comes first, and then its end: the rest was never sent.
    let received = 0;
    socket.on("data", (data) => {
      received += data.length;
    });
    socket.on("error", () => {});
    socket.resume();
    await once(socket, "close");
    assert.ok(received < 800 * 20_000);
  });
});
