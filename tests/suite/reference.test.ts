import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { constants, inflateRawSync } from "node:zlib";
import { randomHex } from "../../src/kernel/ids.ts";
import { isJsonRecord, type JsonObject } from "../../src/kernel/json.ts";
import { SIBLING_NAMES, type SiblingName } from "../../src/ports/settings.ts";
import { testPacket } from "../siblings/packets.ts";
import { at, objectsAt, textAt } from "../support/json.ts";
import { startSuiteProcess, SUITE_KEY } from "./support.ts";

/** Those that need no browser and speak plain HTTP. */
const NAMES = SIBLING_NAMES.filter((name) => name !== "mcp" && name !== "browsercheck");
const PATHS: Partial<Record<SiblingName, string>> = { evals: "/api/evals/send-handoff" };

describe("the reference siblings by themselves", () => {
  let folder = "";
  let suite: Awaited<ReturnType<typeof startSuiteProcess>>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "workflow-ui-reference-"));
    suite = await startSuiteProcess(NAMES, folder);
  });
  after(async () => {
    await suite.stop();
    await rm(folder, { recursive: true, force: true });
  });

  type Answer = { status: number; json: { data: JsonObject } };
  async function post(
    name: SiblingName,
    path: string,
    body: unknown,
    key: string | null = SUITE_KEY,
  ): Promise<Answer> {
    const answer = await fetch(`${suite.urls[name]}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
    });
    return { status: answer.status, json: JSON.parse(await answer.text()) };
  }
  const packet = (to: SiblingName, capability: string, payload: object): Record<string, unknown> =>
    testPacket({ id: `delegation_${to}_${randomHex(8)}`, from: "svc", to, capability, payload });
  const hand = (to: SiblingName, capability: string, payload: object): Promise<Answer> =>
    post(to, PATHS[to] ?? `/api/${to}/receive-handoff`, packet(to, capability, payload));
  const run = async (script: string): Promise<JsonObject> => {
    const { json } = await hand("sandbox", "execute", { artifact: { script } });
    const execution = at(json.data, "result", "execution");
    assert.ok(isJsonRecord(execution));
    return execution;
  };

  it("take no live packet and no protected call without the key", async () => {
    for (const name of NAMES) {
      const path = PATHS[name] ?? `/api/${name}/receive-handoff`;
      const live = packet(name, "x", {});
      assert.equal((await post(name, path, live, null)).status, 401, name);
      assert.equal((await post(name, path, live, "wrong")).status, 401, name);
      const dry = await post(name, path, { ...live, dryRun: true, status: "preview_ready" }, null);
      assert.deepEqual([dry.status, dry.json.data["status"]], [200, "preview_ready"], name);
      assert.equal(
        (await post(name, path, { ...live, schemaVersion: "suite.handoff.v2" })).status,
        400,
        name,
      );
    }
    assert.equal((await post("ascii", "/api/ascii/convert", {}, null)).status, 401);
    assert.equal((await post("ai_gateway", "/api/ai/drafts", { text: "x" }, null)).status, 401);
  });

  it("do a packet once, give the same answer again, and refuse other content under its id", async () => {
    const live = packet("docs", "report", { title: "Once", markdown: "# Once" });
    const path = "/api/docs/receive-handoff";
    const answers = await Promise.all(Array.from({ length: 20 }, () => post("docs", path, live)));
    assert.equal(new Set(answers.map(({ json }) => JSON.stringify(json))).size, 1);
    assert.deepEqual((await post("docs", path, live)).json, answers[0]?.json);
    assert.equal((await post("docs", path, { ...live, intent: "Other" })).status, 409);
  });

  it("spec reads no file and no address that a document refers to", async () => {
    let connections = 0;
    const socket = createServer((connection) => {
      connections += 1;
      connection.destroy();
    });
    await new Promise<void>((done) => socket.listen(0, "127.0.0.1", done));
    const address = socket.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    for (const $ref of [
      `http://127.0.0.1:${port}/schema.json`,
      "file:///etc/passwd",
      "/etc/passwd",
      "package.json",
    ]) {
      const content = { "application/json": { schema: { $ref } } };
      const document = {
        openapi: "3.1.0",
        info: { title: "Refers", version: "1" },
        paths: { "/a": { get: { responses: { 200: { description: "d", content } } } } },
      };
      const { json } = await post("spec", "/api/v1/validate", { document }, null);
      assert.deepEqual(
        objectsAt(json.data, "errors").map(({ rule, pointer }) => [rule, pointer]),
        [["no-unresolved-refs", "#/paths/~1a/get/responses/200/content/application~1json/schema"]],
      );
    }
    assert.equal(connections, 0);
    await new Promise((done) => socket.close(done));
  });

  it("spec tells valid from invalid in every kind of document", async () => {
    const info = { title: "T", version: "1" };
    const documents: [string, object, boolean][] = [
      ["json-schema", { type: "object", properties: { a: { type: "string" } } }, true],
      ["json-schema", { type: "objekt" }, false],
      [
        "json-schema",
        {
          $schema: "http://json-schema.org/draft-07/schema#",
          definitions: { a: {} },
          $ref: "#/definitions/a",
        },
        true,
      ],
      ["json-schema", { $ref: "#/missing" }, false],
      ["openapi", { openapi: "3.1.0", info, paths: {} }, true],
      ["openapi", { openapi: "3.1.0", info, paths: { "/a": { get: { responses: 7 } } } }, false],
      ["openapi", { openapi: "3.0.3", info, paths: { "/a": { $ref: "#/nowhere" } } }, false],
      ["asyncapi", { asyncapi: "3.0.0", info, channels: {} }, true],
      ["asyncapi", { asyncapi: "3.0.0", info, channels: [] }, false],
      [
        "arazzo",
        {
          arazzo: "1.0.1",
          info,
          sourceDescriptions: [{ name: "s", url: "https://example.com/openapi.yaml", type: "openapi" }],
          workflows: [{ workflowId: "w", steps: [{ stepId: "one", operationId: "s.get" }] }],
        },
        true,
      ],
      ["arazzo", { arazzo: "1.0.1", info, sourceDescriptions: [], workflows: "none" }, false],
    ];
    for (const [kind, document, valid] of documents) {
      const { json } = await post("spec", "/api/v1/validate", { document }, null);
      assert.deepEqual([json.data["kind"], json.data["valid"]], [kind, valid], JSON.stringify(json.data));
      const again = await fetch(textAt(json.data, "url"));
      assert.equal(again.status, 200);
    }
  });

  it("sandbox executes, and ends what runs too long, eats too much or wants out", async () => {
    assert.deepEqual((await run("console.log('hi'); ({ sum: 1 + 2 })"))["value"], { sum: 3 });
    assert.equal((await run("for (;;);"))["status"], "timed_out");
    assert.equal(
      (await run("const a = []; for (;;) a.push(new Uint8Array(1e6))"))["status"],
      "out_of_memory",
    );
    assert.equal((await run("(function f() { f(); })()"))["status"], "failed");
    assert.equal((await run("throw new TypeError('no')"))["error"], "TypeError: no");
    const globals =
      "[typeof process, typeof require, typeof fetch, typeof globalThis.Deno, typeof WebAssembly].join()";
    assert.equal((await run(globals))["value"], "undefined,undefined,undefined,undefined,undefined");
    const refused = await hand("sandbox", "execute", { artifact: { title: "nothing to run" } });
    assert.equal(refused.status, 422);
  });

  it("docs shows raw HTML as text and lets no script link through", async () => {
    const markdown = "# T\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) [y](https://example.com/)";
    const { json } = await hand("docs", "report", { title: "<b>", markdown });
    const page = await fetch(textAt(json.data, "resultRef"));
    const html = await page.text();
    assert.match(String(page.headers.get("content-security-policy")), /default-src 'none'/);
    assert.equal(html.includes("<script"), false);
    assert.equal(html.includes("javascript:"), false);
    assert.match(html, /<title>&lt;b&gt;<\/title>/);
    assert.match(html, /href="https:\/\/example.com\/"/);
  });

  it("sheets writes CSV that no spreadsheet takes for a formula, and XLSX that holds the cells", async () => {
    const { json } = await hand("sheets", "export", {
      title: "T",
      columns: ["a", "b"],
      rows: [
        ["=1+1", 2],
        ['quo"te, comma', null],
      ],
    });
    const csvUrl = textAt(json.data, "result", "sheet", "csvUrl");
    const xlsxUrl = textAt(json.data, "result", "sheet", "xlsxUrl");
    // What is confirmed opens without a key; the list of rows behind it does not.
    assert.equal(json.data["resultRef"], csvUrl);
    assert.equal(await (await fetch(csvUrl)).text(), `a,b\n'=1+1,2\n"quo""te, comma",\n`);
    assert.equal((await fetch(csvUrl.replace(/\/sheets\/(.*)\.csv$/, "/api/sheets/$1"))).status, 401);
    const xlsx = Buffer.from(await (await fetch(xlsxUrl)).arrayBuffer());
    const text = unzipped(xlsx);
    assert.match(text, /quo(?:&quot;|")te, comma/);
    assert.match(text, /<v>2<\/v>/);
  });

  it("evals scores by the sender's rubric when there is one", async () => {
    const rubric = [
      { id: "says-hello", contains: "hello", weight: 3 },
      { id: "has-owner", has: "owner", weight: 1 },
    ];
    const { json } = await hand("evals", "score", { artifact: { title: "hello", rubric } });
    assert.equal(at(json.data, "result", "scorecard", "score"), 0.75);
  });

  it("ascii refuses what is no raster image and what is too large", async () => {
    const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>").toString(
      "base64",
    );
    assert.equal((await post("ascii", "/api/ascii/convert", { image: svg })).status, 422);
    assert.equal((await post("ascii", "/api/ascii/convert", { image: "AAAA" })).status, 422);
  });

  it("catalog finds what was listed", async () => {
    await hand("catalog", "register", { artifact: { title: "Findable thing", description: "d" } });
    const found = await fetch(`${suite.urls["catalog"]}/api/catalog/entries?q=findable`);
    assert.match(await found.text(), /Findable thing/);
  });

  it("ai_gateway says that no model is behind its text", async () => {
    const { json } = await post("ai_gateway", "/api/ai/drafts", {
      topic: "T",
      columns: ["n"],
      rows: [[1], [2]],
    });
    assert.equal(json.data["advisory"], true);
    assert.match(textAt(json.data, "producedBy"), /no language model/);
    assert.match(textAt(json.data, "text"), /2 values from 1 to 2, 3 in all/);
  });

  it("keep their results over a restart", async () => {
    const { json } = await hand("docs", "report", { title: "Kept", markdown: "# Kept" });
    const path = new URL(textAt(json.data, "resultRef")).pathname;
    await suite.stop();
    suite = await startSuiteProcess(NAMES, folder);
    assert.equal((await fetch(`${suite.urls["docs"]}${path}`)).status, 200);
  });
});

/** All the text of a zip file's deflated entries; enough to look for cells. */
function unzipped(zip: Buffer): string {
  let text = "";
  for (
    let at = zip.indexOf("PK\x03\x04", 0, "latin1");
    at !== -1;
    at = zip.indexOf("PK\x03\x04", at + 4, "latin1")
  ) {
    const begin = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
    text += inflateRawSync(zip.subarray(begin), { finishFlush: constants.Z_SYNC_FLUSH }).toString("utf8");
  }
  return text;
}
