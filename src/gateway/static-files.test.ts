import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { createStaticFiles, type StaticFiles } from "./static-files.ts";

let folder = "";
let files: StaticFiles;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "static-"));
  await mkdir(join(folder, "dist/assets"), { recursive: true });
  await writeFile(join(folder, "secret.txt"), "secret");
  await writeFile(join(folder, "dist/index.html"), "<p>app</p>");
  await writeFile(join(folder, "dist/assets/app-D3adB33f.js.br"), brotliCompressSync("plain"));
  await symlink(join(folder, "secret.txt"), join(folder, "dist/link.txt"));
  files = createStaticFiles(pathToFileURL(`${folder}/dist/`));
});
after(() => rm(folder, { recursive: true, force: true }));

async function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  const answer = await files.serve({ method, headers }, path);
  if (answer === undefined) return undefined;
  const pairs: [string, string][] = [];
  for (let i = 0; i < answer.headers.length; i += 2)
    pairs.push([answer.headers[i] ?? "", answer.headers[i + 1] ?? ""]);
  return { status: answer.status, headers: new Map(pairs), body: String(answer.body ?? "") };
}

describe("static files", () => {
  it("serves the variant that the browser takes, immutable when the name has a hash", async () => {
    const path = "/assets/app-D3adB33f.js";
    const etags = new Set<string | undefined>();
    for (const [accept, encoding, body] of [
      ["gzip, deflate, br", "br", String(brotliCompressSync("plain"))],
      ["gzip", undefined, "plain"],
      ["br;q=0, gzip", undefined, "plain"],
      ["", undefined, "plain"],
    ] as const) {
      const got = await get(path, { "accept-encoding": accept });
      assert.deepEqual([got?.headers.get("content-encoding"), got?.body], [encoding, body]);
      etags.add(got?.headers.get("etag"));
      assert.equal(got?.headers.get("vary"), "Accept-Encoding");
      assert.match(got?.headers.get("cache-control") ?? "", /immutable/);
      assert.match(got?.headers.get("content-type") ?? "", /^text\/javascript/);
    }
    assert.equal(etags.size, 2, "one for each variant");
  });

  it("answers 304 to a client that has it already", async () => {
    const first = await get("/index.html");
    const etag = first?.headers.get("etag") ?? "";
    assert.match(etag, /^".+"$/);
    const again = await get("/index.html", { "if-none-match": `"other", W/${etag}` });
    assert.deepEqual([again?.status, again?.body], [304, ""]);
    assert.equal(first?.headers.get("cache-control"), "no-cache");
  });

  it("gives navigations the page, and nothing else", async () => {
    for (const path of ["/", "/workflows/abc", "/runs"]) {
      const got = await get(path, { accept: "text/html,*/*" });
      assert.equal(got?.body, "<p>app</p>");
      const policy = got?.headers.get("content-security-policy") ?? "";
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe/);
    }
    for (const [path, accept] of [
      ["/workflows/abc", "application/json"],
      ["/api/nope", "text/html"],
      ["/.well-known/nope", "text/html"],
      ["/missing.js", "text/html"],
      ["/a;b", "text/html"],
      ["//evil", "text/html"],
    ] as const) {
      assert.equal(await get(path, { accept }), undefined, path);
    }
    assert.equal(await get("/", { accept: "text/html" }, "POST"), undefined);
  });

  it("serves nothing that is not a file of the folder", async () => {
    for (const path of [
      "/../secret.txt",
      "/assets/../../secret.txt",
      "/%2e%2e/secret.txt",
      "/link.txt",
      "/assets",
      "/assets/app-D3adB33f.js.br",
      "",
    ]) {
      assert.equal(await get(path), undefined, path);
    }
  });

  it("says that the app is not built, and serves it once it is", async () => {
    const later = join(folder, "later");
    const unbuilt = createStaticFiles(pathToFileURL(`${later}/`));
    const before = await unbuilt.serve({ method: "GET", headers: { accept: "text/html" } }, "/");
    assert.equal(before?.status, 503);
    assert.match(String(before?.body), /not built/);
    await mkdir(later);
    await writeFile(join(later, "index.html"), "built");
    const built = await unbuilt.serve({ method: "GET", headers: { accept: "text/html" } }, "/");
    assert.deepEqual([built?.status, String(built?.body)], [200, "built"]);
  });
});
