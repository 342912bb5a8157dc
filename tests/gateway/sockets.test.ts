import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
before(async () => {
  // The limits are the real ones, ten times as strict, so that the test need not wait for them.
  service = await startService({
    sockets: { headersTimeoutMs: 500, requestTimeoutMs: 1_000, checkEveryMs: 100, maxConnections: 200 },
  });
});
after(() => service.close());

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const host = (): string => `Host: 127.0.0.1:${service.port}`;
const good = (): string =>
  `POST /api/mcp HTTP/1.1\r\n${host()}\r\nContent-Type: application/json\r\nContent-Length: ${ping.length}\r\n\r\n${ping}`;

/** The longest that a busy machine may take. */
const PATIENCE_MS = 30_000;
/** How long nothing more has to come before an answer counts as the last one. */
const SILENCE_MS = 300;

/** Writes bytes as they are; gives what came back until the server closed, or `answers` came and nothing after them. */
function raw(bytes: string, answers = Infinity): Promise<{ text: string; closed: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(service.port, "127.0.0.1");
    let text = "";
    let closed = false;
    let timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (statuses(text).length < answers) return;
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(), SILENCE_MS);
    });
    socket.on("end", () => (closed = true));
    socket.on("error", () => (closed = true));
    socket.on("close", () => {
      clearTimeout(timer);
      resolve({ text, closed });
    });
    socket.write(bytes);
  });
}

const statuses = (text: string): readonly string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1] ?? "");

describe("requests that parsers disagree about", () => {
  it("a good one is answered, and two that are pipelined in order", async () => {
    assert.deepEqual(statuses((await raw(good(), 1)).text), ["200"]);
    assert.deepEqual(statuses((await raw(good() + good(), 2)).text), ["200", "200"]);
  });

  it("a HEAD that cannot be read is answered without content", async () => {
    const { text } = await raw("HEAD /\u00e9 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert.deepEqual(statuses(text), ["400"]);
    assert.ok(text.endsWith("\r\n\r\n"), text);
  });

  const smuggled = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const cases: Record<string, () => string> = {
    "Content-Length and Transfer-Encoding": () =>
      `POST /api/mcp HTTP/1.1\r\n${host()}\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    "two lengths": () =>
      `POST /api/mcp HTTP/1.1\r\n${host()}\r\nContent-Type: application/json\r\nContent-Length: 40\r\nContent-Length: 4\r\n\r\n${ping}${smuggled}`,
    "a bare line feed in the headers": () =>
      `POST /api/mcp HTTP/1.1\n${host()}\nContent-Type: application/json\nContent-Length: ${ping.length}\n\n${ping}`,
    "a space before the colon": () =>
      `POST /api/mcp HTTP/1.1\r\n${host()}\r\nContent-Length : 40\r\n\r\n${ping}`,
    "a folded header": () => `GET /livez HTTP/1.1\r\n${host()}\r\nX-A: b\r\n c\r\n\r\n`,
    "an unknown transfer coding": () =>
      `POST /api/mcp HTTP/1.1\r\n${host()}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked, identity\r\n\r\n${ping}`,
    "a negative length": () => `POST /api/mcp HTTP/1.1\r\n${host()}\r\nContent-Length: -1\r\n\r\n${ping}`,
    "a bad chunk size": () =>
      `POST /api/mcp HTTP/1.1\r\n${host()}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${ping}\r\n0\r\n\r\n`,
    "no HTTP at all": () => "\x16\x03\x01 hello\r\n\r\n",
    "a NUL in a header": () => `GET /livez HTTP/1.1\r\n${host()}\r\nX-A: b\0c\r\n\r\n`,
  };
  for (const [name, bytes] of Object.entries(cases)) {
    it(`${name}: a clear 400, and the connection ends`, async () => {
      const { text, closed } = await raw(bytes());
      assert.deepEqual(statuses(text), ["400"]);
      assert.match(text, /"code":"invalid_request"/);
      assert.ok(closed);
      assert.doesNotMatch(text, /"live"/);
    });
  }

  it("a request without a Host, or with two, is refused", async () => {
    assert.deepEqual(statuses((await raw("GET /livez HTTP/1.1\r\n\r\n", 1)).text), ["403"]);
    assert.deepEqual(
      statuses((await raw(`GET /livez HTTP/1.1\r\n${host()}\r\nHost: evil.example\r\n\r\n`, 1)).text),
      ["403"],
    );
  });

  it("headers over 16 KiB get 431", async () => {
    const { text } = await raw(`GET /livez HTTP/1.1\r\n${host()}\r\nX-Big: ${"a".repeat(20_000)}\r\n\r\n`, 1);
    assert.deepEqual(statuses(text), ["431"]);
  });
});

describe("clients that take their time", () => {
  it("unfinished headers are cut off", async () => {
    const { text, closed } = await raw(`POST /api/mcp HTTP/1.1\r\n${host()}\r\nX-Slow: `);
    assert.ok(closed);
    assert.deepEqual(statuses(text), ["408"]);
  });

  it("a connection that was opened in advance is served when its first request comes", async () => {
    const socket = connect(service.port, "127.0.0.1");
    // Past the deadline of headers, and past the check that looks for it.
    await sleep(1_200);
    socket.write(good());
    const [data]: Buffer[] = await once(socket, "data");
    socket.destroy();
    assert.deepEqual(statuses(String(data)), ["200"]);
  });

  it("a dribbled body is cut off", async () => {
    const socket = connect(service.port, "127.0.0.1");
    socket.write(
      `POST /api/mcp HTTP/1.1\r\n${host()}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
    );
    const dribble = setInterval(() => socket.write("["), 50);
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("error", () => undefined);
    await once(socket, "close");
    clearInterval(dribble);
    assert.deepEqual(statuses(text), ["408"]);
  });

  it("others are served at the same time, and connections are capped", async () => {
    const slow = Array.from({ length: 250 }, () => {
      const socket = connect(service.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.resume();
      socket.write("POST /api/mcp HTTP/1.1\r\n");
      return socket;
    });
    const dropped = await new Promise<number>((resolve) => {
      let count = 0;
      for (const socket of slow) {
        socket.on("close", () => {
          count += 1;
          // More than the cap can hold are closed at once; the rest follow when their time is up.
          if (count === slow.length) resolve(count);
        });
      }
    });
    assert.equal(dropped, 250);
    assert.equal((await service.rpc("ping")).status, 200);
  });
});
