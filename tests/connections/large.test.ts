import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { readDefinitions } from "../../src/sources/api-definitions.ts";
import { startService, type TestService } from "../support/service.ts";
import { startApiServer, type ApiServer } from "./api-server.ts";
import { largeDescription } from "./large-document.ts";
import { rest } from "./rest.ts";

/* A description as large as those of well-known services becomes a connection, and nobody waits for it. */

const BYTES = 3_300_000;

describe("large API descriptions", () => {
  let service: TestService;
  let api: ApiServer;
  let text = "";

  before(async () => {
    api = await startApiServer({
      "GET /large.json": (_request, response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end(text),
    });
    text = largeDescription(BYTES, api.url);
    service = await startService();
  });
  after(async () => {
    await service.close();
    await api.close();
  });

  /** The answer, and how long the slowest /livez took while it was made. */
  async function watched<A>(work: () => Promise<A>): Promise<{ answer: A; slowest: number }> {
    let slowest = 0;
    const done = new AbortController();
    const watch = async (): Promise<void> => {
      while (!done.signal.aborted) {
        const begun = performance.now();
        await (await service.fetch("/livez")).text();
        slowest = Math.max(slowest, performance.now() - begun);
        await new Promise((next) => setTimeout(next, 5));
      }
    };
    const watching = watch();
    const answer = await work();
    done.abort();
    await watching;
    return { answer, slowest };
  }

  it("one of 3 MB is probed, added, read again and tested while the service answers", async () => {
    const begun = performance.now();
    const { definitions } = readDefinitions(text, api.url, {});
    const direct = performance.now() - begun;
    const url = `${api.url}/large.json`;
    const probed = await rest(service, "POST", "/probe", { url, allowPrivateOrigin: true });
    assert.equal(probed.body.data.definitions, definitions.length, JSON.stringify(probed.body));
    const added = await rest(service, "POST", "", {
      name: "large",
      kind: "openapi",
      url,
      allowPrivateOrigin: true,
    });
    assert.equal(added.status, 201, JSON.stringify(added.body).slice(0, 500));
    assert.equal(added.body.data.definitions.length, definitions.length);
    const synced = await watched(() => rest(service, "POST", "/large/sync"));
    assert.equal(synced.answer.body.data.unchanged, definitions.length);
    assert.ok(synced.slowest < direct, `sync: ${synced.slowest} of ${direct} ms`);
    const tested = await watched(() => rest(service, "POST", "/large/test"));
    assert.deepEqual(tested.answer.body.data.test.drift, { added: [], changed: [], removed: [] });
    assert.ok(tested.slowest < direct, `test: ${tested.slowest} of ${direct} ms`);
  });

  it("what changed in it is quarantined with its difference, and what is new waits", async () => {
    text = text
      .replace('"summary":"Thing 7"', '"summary":"Thing seven"')
      .replaceAll('getThing9"', 'readThing9"');
    const synced = (await rest(service, "POST", "/large/sync")).body.data;
    assert.deepEqual(synced.changed, ["large:getThing7"]);
    assert.deepEqual(synced.added, ["large:readThing9"]);
    assert.deepEqual(synced.removed, ["large:getThing9"]);
    const { definition } = (await rest(service, "GET", "/large/definitions/getThing7")).body.data;
    assert.equal(definition.pending?.reason, "changed");
    assert.ok(JSON.stringify(definition.pending.changes).includes("Thing seven"));
    const { definition: fresh } = (await rest(service, "GET", "/large/definitions/readThing9")).body.data;
    assert.equal(fresh.pending?.reason, "renamed");
  });

  it("a list of what changed costs a fraction of reading the description, however much of it waits", async () => {
    const begun = process.threadCpuUsage();
    const { definitions } = readDefinitions(text, api.url, {});
    const whole = process.threadCpuUsage(begun).user;
    text = text.replaceAll('"maxLength":200', '"maxLength":201');
    const synced = (await rest(service, "POST", "/large/sync")).body.data;
    assert.equal(synced.quarantined, definitions.length);
    const list = async () => (await rest(service, "GET", "/large/definitions")).body.data.definitions;
    const listed = await list();
    // Garbage of what came before may be collected during any of them.
    let spent = Number.POSITIVE_INFINITY;
    for (let nth = 0; nth < 3; nth++) {
      const before = process.threadCpuUsage();
      await list();
      spent = Math.min(spent, process.threadCpuUsage(before).user);
    }
    assert.ok(spent < whole / 4, `the list: ${spent} of ${whole} µs`);
    const pending = listed.find(({ name }) => name === "getThing30")?.pending;
    assert.ok(pending);
    assert.equal(pending.reason, "changed");
    const shown = pending.changes.length;
    assert.ok(shown > 0 && pending.moreChanges > 0, JSON.stringify(pending).slice(0, 300));
    const { definition } = (await rest(service, "GET", "/large/definitions/getThing30")).body.data;
    assert.equal(definition.pending?.changes.length, shown + pending.moreChanges);
    const accepted = await rest(service, "POST", "/large/definitions/getThing30/accept", {
      digest: pending.digest,
    });
    assert.equal(accepted.body.data.definition.state, "active");
    assert.equal(accepted.body.data.definition.pending, undefined);
  });

  it("one that is larger than the operator allows is refused with the setting", async () => {
    const small = await startService({
      settings: { documentBytes: { anonymous: 1_000_000, keyed: 2_000_000 } },
    });
    try {
      const url = `${api.url}/large.json`;
      const body = { name: "large", kind: "openapi", url, allowPrivateOrigin: true };
      const refused = await rest(small, "POST", "", body);
      assert.equal(refused.status, 413, JSON.stringify(refused.body));
      assert.match(refused.body.data.error.nextAction, /SVC_DOCUMENT_LIMIT_MB/);
    } finally {
      await small.close();
    }
  });
});
