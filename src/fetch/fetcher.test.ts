import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { createSocket } from "node:dgram";
import { createServer as createSocketServer, type AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { AppError, type ErrorCode } from "../kernel/errors.ts";
import { isPublicUnicast } from "./addresses.ts";
import { checkedUrl, createFetcher, type GuardedFetcher } from "./fetcher.ts";
import { resolvePublic, resolveSystem } from "./names.ts";
import { Slots } from "./slots.ts";

function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}

function refusedWith(code: ErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code;
}

describe("guarded fetcher: addresses that must not be reached (T8)", () => {
  let connections = 0;
  const socket = createSocketServer((connection) => {
    connections++;
    connection.destroy();
  });
  let port = 0;
  const rebinding = new Map<string, string[][]>();
  let fetcher: GuardedFetcher;
  before(async () => {
    await new Promise<void>((done) => socket.listen(0, done));
    port = portOf(socket);
    fetcher = createFetcher({ trustedHosts: [], siblings: {} }, async (host) => {
      const next = rebinding.get(host)?.shift();
      return next ?? (host === "localhost" ? ["127.0.0.1", "::1"] : []);
    });
  });
  after(async () => {
    await fetcher.close();
    await new Promise((done) => socket.close(done));
  });

  const literals = [
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "0.0.0.0",
    "0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::1]",
    "[::]",
    "[::ffff:7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::7f00:1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::1]",
    "[fe80::1]",
    "[fc00::1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "localhost",
    "localhost.",
    "LOCALHOST..",
    "127。0。0。1",
  ];
  for (const trust of ["keyed", "operator", "anonymous"] as const) {
    for (const host of literals) {
      it(`refuses ${host} for ${trust}`, async () => {
        await assert.rejects(
          fetcher.fetch({ url: `http://${host}:${port}/`, trust }),
          refusedWith("blocked"),
        );
      });
    }
  }

  it("refuses a name when only one of its addresses is private", async () => {
    rebinding.set("mixed.test", [["93.184.215.14", "127.0.0.1"]]);
    await assert.rejects(
      fetcher.fetch({ url: `http://mixed.test:${port}/`, trust: "keyed" }),
      refusedWith("blocked"),
    );
  });

  it("looks a name up once for a connection, so a name that changes its mind gains nothing", async () => {
    rebinding.set("rebind.test", [["203.0.113.1"], ["127.0.0.1"]]);
    const first = fetcher.fetch({ url: `http://rebind.test:${port}/`, trust: "keyed", timeoutMs: 60_000 });
    // 203.0.113.0/24 is reserved for documentation, so it is refused too; a real public address is never dialled here.
    await assert.rejects(first, refusedWith("blocked"));
    await assert.rejects(
      fetcher.fetch({ url: `http://rebind.test:${port}/`, trust: "keyed" }),
      refusedWith("blocked"),
    );
  });

  const malformed: [string, ErrorCode][] = [
    ["file:///etc/passwd", "blocked"],
    ["gopher://127.0.0.1/", "blocked"],
    ["http://user:secret@example.com/", "blocked"],
    ["http://user@example.com/", "blocked"],
    ["not a url", "invalid_input"],
    ["http://./", "invalid_input"],
    ["//127.0.0.1/", "invalid_input"],
  ];
  for (const [url, code] of malformed) {
    it(`refuses ${url}`, async () => {
      await assert.rejects(fetcher.fetch({ url, trust: "operator" }), refusedWith(code));
    });
  }

  it("let nothing through to the listening socket", () => {
    assert.equal(connections, 0);
  });
});

describe("guarded fetcher: addresses", () => {
  it("knows public unicast from the rest", () => {
    for (const good of ["93.184.215.14", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"]) {
      assert.equal(isPublicUnicast(good), true, good);
    }
    for (const bad of ["::ffff:10.0.0.1", "4000::1", "::808:808", "198.18.0.1", "x", "fd00::1", "ff02::1"]) {
      assert.equal(isPublicUnicast(bad), false, bad);
    }
  });
  it("strips the trailing dot and the fragment", () => {
    assert.equal(checkedUrl("https://Example.COM./a?b#c").href, "https://example.com/a?b");
  });
});

describe("guarded fetcher: answers", () => {
  let server: Server;
  let other: Server;
  let base = "";
  let otherBase = "";
  let fetcher: GuardedFetcher;
  const seen: { url: string; method: string; headers: IncomingHttpHeaders; body: string }[] = [];
  before(async () => {
    server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const url = request.url ?? "";
        seen.push({ url, method: request.method ?? "", headers: request.headers, body });
        const hops = /^\/hop\/(\d+)$/.exec(url);
        if (hops) {
          const left = Number(hops[1]);
          if (left === 0) response.end("arrived");
          else response.writeHead(302, { location: `/hop/${left - 1}` }).end();
        } else if (url === "/gzip")
          response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("plain"));
        else if (url === "/br")
          response.writeHead(200, { "content-encoding": "br" }).end(brotliCompressSync("plain"));
        else if (url === "/bomb") {
          response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(20_000_000)));
        } else if (url === "/huge") {
          response.writeHead(200);
          const more = (): void => {
            while (!response.destroyed && response.write(Buffer.alloc(65_536)));
            response.once("drain", more);
          };
          more();
        } else if (url === "/declared") response.writeHead(200, { "content-length": "99999999" }).write("x");
        else if (url === "/slow") response.writeHead(200).write("a");
        else if (url === "/short") {
          response.writeHead(200, { "content-length": "10" });
          response.write("abc", () => response.destroy());
        } else if (url === "/out") response.writeHead(307, { location: `${otherBase}/in` }).end();
        else if (url === "/private") {
          response.writeHead(307, { location: `http://127.0.0.2:${portOf(server)}/` }).end();
        } else if (url === "/file") response.writeHead(302, { location: "file:///etc/passwd" }).end();
        else if (url === "/form") response.writeHead(303, { location: "/hop/0" }).end();
        else response.end(`hello ${body}`);
      });
    });
    other = createServer((request, response) => {
      seen.push({
        url: request.url ?? "",
        method: request.method ?? "",
        headers: request.headers,
        body: "",
      });
      response.end("other");
    });
    await Promise.all([
      new Promise<void>((done) => server.listen(0, "127.0.0.1", done)),
      new Promise<void>((done) => other.listen(0, "127.0.0.1", done)),
    ]);
    base = `http://127.0.0.1:${portOf(server)}`;
    otherBase = `http://127.0.0.1:${portOf(other)}`;
    fetcher = createFetcher({
      trustedHosts: [new URL(base).host],
      siblings: { docs: { url: otherBase, key: null } },
    });
  });
  after(async () => {
    await fetcher.close();
    for (const one of [server, other]) {
      one.closeAllConnections();
      one.close();
    }
  });

  it("reaches a private host that the operator listed, for everybody", async () => {
    const answer = await fetcher.fetch({ url: `${base}/`, method: "POST", body: "you", trust: "anonymous" });
    assert.equal(answer.status, 200);
    assert.equal(answer.text, "hello you");
  });
  it("reaches a sibling with the operator's trust only", async () => {
    assert.equal((await fetcher.fetch({ url: `${otherBase}/`, trust: "operator" })).text, "other");
    await assert.rejects(fetcher.fetch({ url: `${otherBase}/`, trust: "keyed" }), refusedWith("blocked"));
    await assert.rejects(fetcher.fetch({ url: `${otherBase}/`, trust: "anonymous" }), refusedWith("blocked"));
  });
  it("refuses a host nobody listed for anonymous callers", async () => {
    await assert.rejects(
      fetcher.fetch({ url: "https://example.com/", trust: "anonymous" }),
      refusedWith("blocked"),
    );
  });
  it("follows three redirects and not four", async () => {
    assert.equal((await fetcher.fetch({ url: `${base}/hop/3`, trust: "keyed" })).text, "arrived");
    await assert.rejects(fetcher.fetch({ url: `${base}/hop/4`, trust: "keyed" }), refusedWith("blocked"));
    assert.equal(
      (await fetcher.fetch({ url: `${base}/hop/1`, trust: "keyed", maxRedirects: 0 })).status,
      302,
    );
  });
  it("checks where a redirect leads", async () => {
    await assert.rejects(fetcher.fetch({ url: `${base}/private`, trust: "keyed" }), refusedWith("blocked"));
    await assert.rejects(fetcher.fetch({ url: `${base}/file`, trust: "keyed" }), refusedWith("blocked"));
    await assert.rejects(fetcher.fetch({ url: `${base}/out`, trust: "keyed" }), refusedWith("blocked"));
  });
  it("dials the address that was checked, without asking for the name again", async () => {
    // The system's own resolver does not know this name; a second question would get an address where nobody listens.
    const answers = [["127.0.0.1"], ["127.0.0.9"]];
    let asked = 0;
    const pinned = createFetcher({ trustedHosts: ["pinned.test"], siblings: {} }, async () => {
      asked += 1;
      return answers.shift() ?? [];
    });
    const url = `http://pinned.test:${portOf(server)}/hop/0`;
    assert.equal((await pinned.fetch({ url, trust: "keyed" })).text, "arrived");
    assert.equal(asked, 1);
    await pinned.close();
  });
  it("keeps credentials from another origin", async () => {
    const answer = await fetcher.fetch({
      url: `${base}/out`,
      trust: "operator",
      headers: {
        Authorization: "Bearer secret",
        "X-Suite-Api-Key": "secret",
        "X-Vendor": "secret",
        Accept: "text/plain",
      },
    });
    assert.equal(answer.text, "other");
    const there = seen.findLast(({ url }) => url === "/in")?.headers;
    assert.doesNotMatch(JSON.stringify(there), /secret/);
    assert.equal(there?.accept, "text/plain");
    assert.equal(seen.findLast(({ url }) => url === "/out")?.headers.authorization, "Bearer secret");
    const request = { url: `${base}/out`, method: "POST", body: "secret", trust: "operator" } as const;
    await assert.rejects(fetcher.fetch(request), refusedWith("blocked"));
  });
  it("turns a POST into a GET after 303", async () => {
    await fetcher.fetch({ url: `${base}/form`, method: "POST", body: "x", trust: "keyed" });
    assert.deepEqual(
      seen.slice(-2).map(({ method, body }) => [method, body]),
      [
        ["POST", "x"],
        ["GET", ""],
      ],
    );
  });
  it("decodes answers", async () => {
    assert.equal((await fetcher.fetch({ url: `${base}/gzip`, trust: "keyed" })).text, "plain");
    assert.equal((await fetcher.fetch({ url: `${base}/br`, trust: "keyed" })).text, "plain");
  });
  it("bounds what it reads, declared, sent or decoded", async () => {
    for (const path of ["/huge", "/declared", "/bomb"]) {
      await assert.rejects(
        fetcher.fetch({ url: base + path, trust: "keyed" }),
        refusedWith("too_large"),
        path,
      );
    }
  });
  it("bounds the time, body included", async () => {
    // The body of this answer never ends.
    await assert.rejects(
      fetcher.fetch({ url: `${base}/slow`, trust: "keyed", timeoutMs: 150 }),
      refusedWith("timed_out"),
    );
  });
  it("looks names up with a deadline, and a silent name server does not delay other requests", async () => {
    const silent = createSocket("udp4");
    await new Promise<void>((done) => silent.bind(0, "127.0.0.1", done));
    const names = Array.from({ length: 12 }, (_, nth) => `name-${nth}.example`);
    const ended: string[] = [];
    const lost = Promise.all(
      names.map((name) =>
        assert
          .rejects(resolvePublic(name, [`127.0.0.1:${silent.address().port}`]), refusedWith("unavailable"))
          .then(() => ended.push(name)),
      ),
    );
    assert.ok((await resolveSystem("localhost")).length > 0);
    assert.equal(ended.length, 0, "what the others wait for is not waited for");
    await lost;
    silent.close();
  });
  it("runs few pieces of work of strangers at once, lets some wait, and refuses the rest", async () => {
    const slots = new Slots(2, 1);
    let most = 0;
    let active = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = () =>
      slots.run(async () => {
        most = Math.max(most, ++active);
        await promise;
        active -= 1;
      });
    const taken = [work(), work(), work()];
    await assert.rejects(work(), refusedWith("unavailable"));
    resolve();
    await Promise.all(taken);
    assert.equal(most, 2);
  });
  it("reports a truncated answer", async () => {
    await assert.rejects(fetcher.fetch({ url: `${base}/short`, trust: "keyed" }), refusedWith("unavailable"));
  });
  it("stops when the caller gives up", async () => {
    const controller = new AbortController();
    const pending = fetcher.fetch({ url: `${base}/slow`, trust: "keyed", signal: controller.signal });
    controller.abort();
    await assert.rejects(pending, refusedWith("unavailable"));
  });
});
