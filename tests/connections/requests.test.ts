import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AnswerOf } from "../support/answers.ts";
import { startService, type TestService } from "../support/service.ts";
import { addCredential } from "../vault/support.ts";
import { startApiServer, type ApiServer } from "./api-server.ts";
import { rest, type RestAnswer } from "./rest.ts";

/*
 * The request that is sent is the request that was meant: what arrives at an echo server, byte by byte, for every style
 * of OpenAPI 3.1 with each kind of value, and for every kind of body. The expected texts follow the table "Style
 * Examples" of OpenAPI 3.1, RFC 6570 and the form encoding of the WHATWG; `null` means that the call is refused and
 * nothing arrives.
 */

const TEXT = "a b/c,d.e;f";
const LIST = ["b,l", "x y", "ü"];
const OBJECT = { R: "1,0", "G b": 200 };
const NESTED = [{ a: 1 }, { a: [2] }];

type Expected = string | null;
type StyleRow = readonly [
  style: string,
  explode: boolean,
  values: readonly [Expected, Expected, Expected, Expected],
];

/** What arrives for the text, the list, the object and the nested list. */
const PATHS: readonly StyleRow[] = [
  ["simple", false, ["a%20b%2Fc%2Cd.e%3Bf", "b%2Cl,x%20y,%C3%BC", "R,1%2C0,G%20b,200", null]],
  ["simple", true, ["a%20b%2Fc%2Cd.e%3Bf", "b%2Cl,x%20y,%C3%BC", "R=1%2C0,G%20b=200", null]],
  ["label", false, [".a%20b%2Fc%2Cd.e%3Bf", ".b%2Cl,x%20y,%C3%BC", ".R,1%2C0,G%20b,200", null]],
  ["label", true, [".a%20b%2Fc%2Cd.e%3Bf", ".b%2Cl.x%20y.%C3%BC", ".R=1%2C0.G%20b=200", null]],
  ["matrix", false, [";p=a%20b%2Fc%2Cd.e%3Bf", ";p=b%2Cl,x%20y,%C3%BC", ";p=R,1%2C0,G%20b,200", null]],
  ["matrix", true, [";p=a%20b%2Fc%2Cd.e%3Bf", ";p=b%2Cl;p=x%20y;p=%C3%BC", ";R=1%2C0;G%20b=200", null]],
];
const TEXT_QUERY = "p=a%20b%2Fc%2Cd.e%3Bf";
const DEEP = "p%5B0%5D%5Ba%5D=1&p%5B1%5D%5Ba%5D%5B0%5D=2";
const QUERIES: readonly StyleRow[] = [
  ["form", true, [TEXT_QUERY, "p=b%2Cl&p=x%20y&p=%C3%BC", "R=1%2C0&G%20b=200", null]],
  ["form", false, [TEXT_QUERY, "p=b%2Cl,x%20y,%C3%BC", "p=R,1%2C0,G%20b,200", null]],
  ["spaceDelimited", false, [TEXT_QUERY, null, null, null]],
  ["pipeDelimited", false, [TEXT_QUERY, "p=b%2Cl%7Cx%20y%7C%C3%BC", "p=R%7C1%2C0%7CG%20b%7C200", null]],
  [
    "deepObject",
    true,
    [TEXT_QUERY, "p%5B0%5D=b%2Cl&p%5B1%5D=x%20y&p%5B2%5D=%C3%BC", "p%5BR%5D=1%2C0&p%5BG%20b%5D=200", DEEP],
  ],
];
const HEADERS: readonly StyleRow[] = [
  ["simple", false, [TEXT, null, null, null]],
  ["simple", true, [TEXT, null, null, null]],
];
const COOKIES: readonly StyleRow[] = [
  ["form", false, [TEXT_QUERY, "p=b%2Cl,x%20y,%C3%BC", "p=R,1%2C0,G%20b,200", null]],
  ["form", true, [TEXT_QUERY, "p=b%2Cl; p=x%20y; p=%C3%BC", "R=1%2C0; G b=200", null]],
];
const PLACES = { path: PATHS, query: QUERIES, header: HEADERS, cookie: COOKIES } as const;

const FORM = "application/x-www-form-urlencoded";
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUg==", "base64");
const PNG_URL = `data:image/png;name=${encodeURIComponent('my "pic".png')};base64,${PNG.toString("base64")}`;
const CHECKOUT = {
  expand: ["a", "b"],
  line_items: [{ price: "p 1", quantity: 2 }],
  metadata: { "k é": "v&w" },
};
const DEEP_BODY = { style: "deepObject", explode: true };
const FILE = { type: "string", format: "binary" };

interface BodyRow {
  readonly type: string;
  readonly value: unknown;
  /** Bytes, or parts as [headers, content] of a multipart body. */
  readonly expected: Expected | Buffer | readonly (readonly [string, string | Buffer])[];
  readonly schema?: unknown;
  readonly encoding?: unknown;
  /** The content type that arrives, where it is not the declared one. */
  readonly sentType?: string;
}

const BODIES: readonly BodyRow[] = [
  { type: "application/json", value: { a: "ü", b: [1.5] }, expected: '{"a":"ü","b":[1.5]}' },
  { type: "application/json", value: "text", expected: '"text"' },
  { type: "application/merge-patch+json", value: { a: null }, expected: '{"a":null}' },
  { type: "application/json; charset=utf-8", value: [1], expected: "[1]" },
  { type: "*/*", value: { a: 1 }, expected: '{"a":1}', sentType: "application/json" },
  { type: "text/plain", value: "a\nb", expected: "a\nb" },
  { type: "text/plain", value: 12, expected: "12" },
  { type: "text/plain", value: { a: 1 }, expected: null },
  { type: "text/csv", value: "a,b\r\n", expected: "a,b\r\n" },
  { type: "text/csv", value: [["a", "b"]], expected: null },
  { type: "text/csv", value: "data:text/csv;name=x.csv;base64,YSxi", expected: "a,b", schema: FILE },
  { type: "application/yaml", value: { a: 1 }, expected: '{"a":1}' },
  { type: "application/xml", value: "<a>ü</a>", expected: "<a>ü</a>", schema: { type: "object" } },
  { type: "application/xml", value: { a: 1 }, expected: null, schema: { type: "object" } },
  { type: "application/soap+xml", value: "<s/>", expected: "<s/>" },
  { type: "application/x-ndjson", value: [{ a: 1 }, [2], "x"], expected: '{"a":1}\n[2]\n"x"\n' },
  { type: "application/jsonl", value: [{ a: 1 }], expected: '{"a":1}\n' },
  { type: "application/json-seq", value: [1, 2], expected: "\u001e1\n\u001e2\n" },
  { type: "application/octet-stream", value: PNG_URL, expected: PNG, schema: FILE },
  { type: "image/png", value: PNG.toString("base64"), expected: PNG, schema: FILE },
  { type: "image/png", value: { a: 1 }, expected: null },
  {
    type: FORM,
    value: { a: "x y+z~*'", b: true, c: null, d: ["1", "2"] },
    expected: new URLSearchParams([
      ["a", "x y+z~*'"],
      ["b", "true"],
      ["d", "1"],
      ["d", "2"],
    ]).toString(),
  },
  {
    type: FORM,
    value: CHECKOUT,
    encoding: { expand: DEEP_BODY, line_items: DEEP_BODY, metadata: DEEP_BODY },
    expected: new URLSearchParams([
      ["expand[0]", "a"],
      ["expand[1]", "b"],
      ["line_items[0][price]", "p 1"],
      ["line_items[0][quantity]", "2"],
      ["metadata[k é]", "v&w"],
    ]).toString(),
  },
  {
    type: FORM,
    value: { line_items: CHECKOUT.line_items },
    expected: new URLSearchParams([
      ["line_items[0][price]", "p 1"],
      ["line_items[0][quantity]", "2"],
    ]).toString(),
  },
  { type: FORM, value: { a: NESTED }, encoding: { a: { style: "form", explode: true } }, expected: null },
  {
    type: FORM,
    value: { a: { b: 1 } },
    encoding: { a: { contentType: "application/json" } },
    expected: "a=%7B%22b%22%3A1%7D",
  },
  {
    type: "multipart/form-data",
    schema: {
      type: "object",
      properties: { note: {}, meta: {}, file: FILE, more: { type: "array", items: FILE } },
    },
    value: { note: "ü", meta: { a: 1 }, file: PNG_URL, more: ["data:text/plain,x%20y", "plain, text"] },
    expected: [
      ['content-disposition: form-data; name="note"', "ü"],
      ['content-disposition: form-data; name="meta"\r\ncontent-type: application/json', '{"a":1}'],
      [
        'content-disposition: form-data; name="file"; filename="my %22pic%22.png"\r\ncontent-type: image/png',
        PNG,
      ],
      ['content-disposition: form-data; name="more"; filename="more"\r\ncontent-type: text/plain', "x y"],
      [
        'content-disposition: form-data; name="more"; filename="more"\r\ncontent-type: application/octet-stream',
        "plain, text",
      ],
    ],
  },
  { type: "multipart/form-data", schema: FILE, value: PNG_URL, expected: null },
  { type: "multipart/form-data", value: {}, expected: null },
];

function operation(operationId: string, more: object): object {
  return { operationId, responses: { 200: { description: "ok" } }, ...more };
}

function description(url: string): object {
  const paths: Record<string, object> = {};
  for (const [place, rows] of Object.entries(PLACES)) {
    for (const [at, [style, explode]] of rows.entries()) {
      const parameter = { name: "p", in: place, required: true, style, explode, schema: {} };
      const path = place === "path" ? `/${place}${at}/{p}/end` : `/${place}${at}`;
      paths[path] = { get: operation(`${place}${at}`, { parameters: [parameter] }) };
    }
  }
  for (const [at, { type, schema = {}, encoding }] of BODIES.entries()) {
    const content = { [type]: { schema, ...(encoding !== undefined && { encoding }) } };
    paths[`/body${at}`] = { post: operation(`body${at}`, { requestBody: { content } }) };
  }
  return { openapi: "3.1.0", info: { title: "Echo", version: "1" }, servers: [{ url: `${url}/v1` }], paths };
}

describe("a request as it arrives", () => {
  let service: TestService;
  let echo: ApiServer;
  before(async () => {
    const answer: Parameters<typeof startApiServer>[0][string] = ({ body }, response) => {
      if (!body.includes("big")) return void response.end();
      response.setHeader("content-type", "application/json");
      return void response.end('{"id":9007199254740993,"small":1}');
    };
    echo = await startApiServer({ "GET *": answer, "POST *": answer });
    service = await startService({ settings: { trustedHosts: ["127.0.0.1"] } });
    const document = description(echo.url);
    const added = await rest(service, "POST", "", { name: "echo", kind: "openapi", document });
    assert.equal(added.status, 201, JSON.stringify(added.body));
  });
  after(async () => {
    await service.close();
    await echo.close();
  });

  async function sent(
    name: string,
    args: unknown,
    connection = "echo",
  ): Promise<{
    readonly answer: RestAnswer<AnswerOf<"call_definition">>;
    readonly request: ApiServer["seen"][number] | null;
  }> {
    echo.seen.length = 0;
    const answer = await rest(service, "POST", `/${connection}/call/${name}`, { arguments: args });
    assert.ok(echo.seen.length <= 1);
    return { answer, request: echo.seen[0] ?? null };
  }

  function assertRefused({ answer, request }: Awaited<ReturnType<typeof sent>>, about: string): void {
    assert.equal(request, null, `${about}: nothing is sent`);
    assert.equal(answer.body.ok, false, about);
    const { message, problems } = answer.body.data.error;
    assert.ok(message.length > 20 && problems.length > 0, `${about}: ${message}`);
  }

  for (const [place, rows] of Object.entries(PLACES)) {
    for (const [at, [style, explode, values]] of rows.entries()) {
      it(`${place} parameters in the style ${style}${explode ? ", exploded" : ""}`, async () => {
        for (const [index, value] of [TEXT, LIST, OBJECT, NESTED].entries()) {
          const about = JSON.stringify(value);
          const result = await sent(`${place}${at}`, { [place]: { p: value } });
          const expected = values[index] ?? null;
          if (expected === null) {
            assertRefused(result, about);
            continue;
          }
          const { url = "", headers = {} } = result.request ?? {};
          const received =
            place === "path"
              ? url.slice(`/v1/path${at}/`.length, -"/end".length)
              : place === "query"
                ? url.slice(`/v1/query${at}?`.length)
                : place === "header"
                  ? headers["p"]
                  : headers["cookie"];
          assert.equal(received, expected, about);
        }
      });
    }
  }

  for (const [at, { type, value, expected, schema, sentType = type }] of BODIES.entries()) {
    it(`body ${at} of type ${type}${schema === FILE ? " from a file" : ""}`, async () => {
      const result = await sent(`body${at}`, { contentType: type, body: value });
      if (expected === null) return assertRefused(result, JSON.stringify(value));
      const { body = Buffer.alloc(0), headers = {} } = result.request ?? {};
      if (typeof expected === "string" || Buffer.isBuffer(expected)) {
        assert.equal(headers["content-type"], sentType);
        assert.deepEqual(body.toString("latin1"), Buffer.from(expected).toString("latin1"));
        return undefined;
      }
      const boundary =
        /^multipart\/form-data; boundary=(\S+)$/.exec(String(headers["content-type"]))?.[1] ?? "";
      const parts = expected.map(([head, content]) =>
        Buffer.concat([
          Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
          Buffer.from(content),
          Buffer.from("\r\n"),
        ]),
      );
      const whole = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
      assert.equal(body.toString("latin1"), whole.toString("latin1"));
      return undefined;
    });
  }

  it("a path never becomes another one, whatever a value holds", async () => {
    for (const value of ["..", ".", "", [".."], ["."], [], [""], {}, null, [null]]) {
      assertRefused(await sent("path0", { path: { p: value } }), JSON.stringify(value));
    }
    // The style label begins with a dot of its own.
    for (const value of [".", "", ["."], []])
      assertRefused(await sent("path2", { path: { p: value } }), JSON.stringify(value));
    for (const value of ["a/../b", "..;x", "%2e%2e", "?x", "#x", "!'()*"]) {
      for (const given of [value, [value]]) {
        const { request } = await sent("path0", { path: { p: given } });
        const [, , , segment = "", end, ...rest] = (request?.url ?? "").split("/");
        assert.deepEqual([decodeURIComponent(segment), end, rest], [value, "end", []], value);
        assert.match(segment, /^[\w.~%-]+$/, "no reserved character");
      }
    }
  });

  it("a list is one that can be read again: what parts its items is not in them", async () => {
    const list = ["b;l", "ü"];
    assert.equal((await sent("query2", { query: { p: list } })).request?.url, "/v1/query2?p=b%3Bl%20%C3%BC");
    assert.equal((await sent("header0", { header: { p: list } })).request?.headers["p"], "b;l,ü");
    const object = { R: "1;0", G: 200 };
    assert.equal((await sent("header0", { header: { p: object } })).request?.headers["p"], "R,1;0,G,200");
    assert.equal((await sent("header1", { header: { p: object } })).request?.headers["p"], "R=1;0,G=200");
    assertRefused(await sent("query3", { query: { p: ["a", "b|c"] } }), "a pipe between pipes");
  });

  it("an integer that a number here would change is refused, and one in an answer is given as a text", async () => {
    const found = BODIES.findIndex(({ type }) => type === "application/json");
    echo.seen.length = 0;
    const text = '{"arguments":{"contentType":"application/json","body":{"ids":[9007199254740993]}}}';
    const response = await service.fetch(`/api/svc/connections/echo/call/body${found}`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      body: text,
    });
    assertRefused(
      {
        answer: { status: response.status, body: JSON.parse(await response.text()) },
        request: echo.seen[0] ?? null,
      },
      "an integer beyond 2^53",
    );
    const answer = JSON.parse(JSON.stringify(await sent(`body${found}`, { body: { big: true } })));
    assert.deepEqual(answer.answer.body.data.body, { id: "9007199254740993", small: 1 });
    assert.match(answer.answer.body.data.problems[0].message, /given as texts: 9007199254740993/);
  });

  it("a file is not sent where nobody can say whether it is text or base64", async () => {
    const at = BODIES.findIndex(({ type }) => type === "application/octet-stream");
    for (const value of ["test", "20261119", "a".repeat(64), "docs/abc"])
      assertRefused(await sent(`body${at}`, { body: value }), value);
    const text = await sent(`body${at}`, { body: "data:,test" });
    assert.equal(text.request?.body.toString(), "test");
    const bytes = await sent(`body${at}`, { body: "data:;base64,dGVzdA==" });
    assert.equal(bytes.request?.body.toString(), "test");
  });

  it("nothing stands for null or an empty list", async () => {
    for (const value of [null, []])
      assert.equal((await sent("query0", { query: { p: value } })).request?.url, "/v1/query0");
    assert.equal((await sent("query0", { query: { p: "" } })).request?.url, "/v1/query0?p=");
  });

  it("a plain address is asked as it is, and a credential in the query changes nothing else of it", async () => {
    await addCredential(service, {
      name: "echo-key",
      kind: "apiKey",
      in: "query",
      parameter: "key",
      secret: "k ey-1",
      hosts: ["127.0.0.1"],
    });
    const add = async (name: string, url: string, path: string): Promise<void> => {
      const document = { requests: [{ name: "get", method: "GET", path, effect: "read" }] };
      const added = await rest(service, "POST", "", {
        name,
        kind: "http",
        url,
        document,
        credential: "echo-key",
      });
      assert.equal(added.status, 201, JSON.stringify(added.body));
    };
    await add("plain", echo.url, "/hello?x=1&y=a%20b%2Fc");
    assert.equal((await sent("get", {}, "plain")).request?.url, "/hello?x=1&y=a%20b%2Fc&key=k%20ey-1");
    await add("older", `${echo.url}/hello?x=1`, "/");
    assert.equal((await sent("get", {}, "older")).request?.url, "/hello?x=1&key=k%20ey-1");
  });
});
