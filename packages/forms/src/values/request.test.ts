import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequestParameter, RequestTemplate } from "../compile/document.ts";
import { buildRequest } from "./request.ts";

const LIST = ["blue", "black"];
const OBJECT = { R: 100, G: 200 };

function template(
  parameters: readonly RequestParameter[],
  more: Partial<RequestTemplate> = {},
): RequestTemplate {
  return {
    method: "GET",
    path: "/x/{color}",
    servers: ["https://api.test"],
    variables: {},
    parameters,
    security: [],
    contentTypes: [],
    files: [],
    ...more,
  };
}

function pathOf(style: string, explode: boolean, value: unknown): string {
  const request = template([{ name: "color", in: "path", style, explode }]);
  return buildRequest(request, { path: { color: value } }).url.replace("https://api.test/x/", "");
}

function queryOf(style: string, explode: boolean, value: unknown): string {
  const request = template([{ name: "color", in: "query", style, explode }], { path: "/x" });
  return buildRequest(request, { query: { color: value } }).url.replace("https://api.test/x?", "");
}

/* The expected texts are the table "Style Examples" of OpenAPI 3.1.1. */
describe("parameter styles", () => {
  it("write path parameters as OpenAPI says", () => {
    assert.equal(pathOf("matrix", false, ""), ";color");
    assert.equal(pathOf("matrix", false, "blue"), ";color=blue");
    assert.equal(pathOf("matrix", false, LIST), ";color=blue,black");
    assert.equal(pathOf("matrix", false, OBJECT), ";color=R,100,G,200");
    assert.equal(pathOf("matrix", true, LIST), ";color=blue;color=black");
    assert.equal(pathOf("matrix", true, OBJECT), ";R=100;G=200");
    assert.equal(pathOf("label", false, LIST), ".blue,black");
    assert.equal(pathOf("label", false, OBJECT), ".R,100,G,200");
    assert.equal(pathOf("label", true, LIST), ".blue.black");
    assert.equal(pathOf("label", true, OBJECT), ".R=100.G=200");
    assert.equal(pathOf("simple", false, OBJECT), "R,100,G,200");
    assert.equal(pathOf("simple", true, OBJECT), "R=100,G=200");
  });

  it("write query parameters as OpenAPI says", () => {
    assert.equal(queryOf("form", false, LIST), "color=blue,black");
    assert.equal(queryOf("form", true, LIST), "color=blue&color=black");
    assert.equal(queryOf("form", false, OBJECT), "color=R,100,G,200");
    assert.equal(queryOf("form", true, OBJECT), "R=100&G=200");
    assert.equal(queryOf("spaceDelimited", false, LIST), "color=blue%20black");
    assert.equal(queryOf("spaceDelimited", false, OBJECT), "color=R%20100%20G%20200");
    assert.equal(queryOf("pipeDelimited", false, LIST), "color=blue%7Cblack");
    assert.equal(queryOf("pipeDelimited", false, OBJECT), "color=R%7C100%7CG%7C200");
    assert.equal(queryOf("deepObject", true, OBJECT), "color%5BR%5D=100&color%5BG%5D=200");
  });

  it("keep what a value holds inside its place", () => {
    assert.equal(pathOf("simple", false, "a/b?c#d"), "a%2Fb%3Fc%23d");
    assert.equal(pathOf("simple", false, "$&"), "%24%26");
    assert.equal(pathOf("simple", false, ["a,b", "c"]), "a%2Cb,c");
    assert.equal(queryOf("form", true, "a&b=c"), "color=a%26b%3Dc");
    const reserved = template(
      [{ name: "q", in: "query", style: "form", explode: true, allowReserved: true }],
      { path: "/x" },
    );
    assert.equal(buildRequest(reserved, { query: { q: "a/b?c#d" } }).url, "https://api.test/x?q=a/b?c%23d");
  });

  it("write cookies and headers", () => {
    const request = template(
      [
        { name: "a", in: "cookie", style: "form", explode: false },
        { name: "b", in: "cookie", style: "form", explode: true },
        { name: "X-List", in: "header", style: "simple", explode: false },
      ],
      { path: "/x" },
    );
    const { headers } = buildRequest(request, {
      cookie: { a: LIST, b: LIST },
      header: { "X-List": LIST },
    });
    assert.deepEqual(headers, [
      ["X-List", "blue,black"],
      ["Cookie", "a=blue,black; b=blue; b=black"],
    ]);
  });
});

describe("bodies", () => {
  it("write forms with the encoding of each member", () => {
    const request = template([], {
      method: "POST",
      path: "/x",
      contentTypes: ["application/x-www-form-urlencoded"],
      encoding: {
        deep: { style: "deepObject", explode: true },
        joined: { style: "pipeDelimited", explode: false },
        json: { contentType: "application/json" },
      },
    });
    const body = { plain: "a b", list: [1, 2], deep: { k: "v" }, joined: LIST, json: { a: 1 } };
    assert.equal(
      buildRequest(request, { body }).body,
      "plain=a+b&list=1&list=2&deep%5Bk%5D=v&joined=blue%7Cblack&json=%7B%22a%22%3A1%7D",
    );
  });

  it("give parts their content type", () => {
    const request = template([], {
      method: "POST",
      path: "/x",
      contentTypes: ["multipart/form-data"],
      files: ["file"],
      encoding: { file: { contentType: "image/png, image/jpeg" } },
    });
    assert.deepEqual(buildRequest(request, { body: { note: "n", meta: { a: 1 }, file: "F" } }).parts, [
      { name: "note", value: "n", file: false },
      { name: "meta", value: '{"a":1}', file: false, contentType: "application/json" },
      { name: "file", value: "F", file: true, contentType: "image/png" },
    ]);
  });
});

describe("paths that carry more than a path", () => {
  const q = { name: "q", in: "query", style: "form", explode: true } as const;

  it("a fixed query is continued, a fragment is left out", () => {
    const fixed = template([q], { path: "/x?beta=true" });
    assert.equal(buildRequest(fixed, { query: { q: "y" } }).url, "https://api.test/x?beta=true&q=y");
    const fragment = template([q], { path: "/x#add" });
    assert.equal(buildRequest(fragment, { query: { q: "y" } }).url, "https://api.test/x?q=y");
  });

  it("a whole query string is a form or the content itself", () => {
    const whole = (contentType: string, value: unknown): string =>
      buildRequest(
        template([{ name: "q", in: "query", style: "querystring", explode: false, contentType }], {
          path: "/x",
        }),
        { query: value },
      ).url.replace("https://api.test/x?", "");
    assert.equal(whole("application/x-www-form-urlencoded", { a: 1, b: ["x", "y z"] }), "a=1&b=x&b=y+z");
    assert.equal(whole("application/json", { a: [1] }), encodeURIComponent('{"a":[1]}'));
    assert.equal(whole("text/plain", "$.a[?@.b>1]"), encodeURIComponent("$.a[?@.b>1]"));
  });
});
