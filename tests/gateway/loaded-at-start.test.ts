import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startServiceProcess, type ServiceProcess } from "../support/service.ts";

/* What an instance that uses no people, no OAuth and no mail must not pay for; `npm run bench:startup` measures it. */

/** Packages that are loaded when they are first used. */
const LATE = [
  "@modelcontextprotocol/",
  "@simplewebauthn/server",
  "nodemailer",
  "oidc-provider",
  "openid-client",
  "pg",
  "undici",
  "yaml",
];

const folder = await mkdtemp(join(tmpdir(), "loaded-at-start-"));
after(() => rm(folder, { recursive: true, force: true }));

it("a start loads no package of people, OAuth or mail, and opens no thread", async (t) => {
  const list = join(folder, "loaded.txt");
  const hook = new URL(`loads-child.ts?to=${encodeURIComponent(list)}`, import.meta.url).href;
  const service = await startServiceProcess({
    DATABASE_URL: `sqlite:${join(folder, "test.db")}`,
    NODE_OPTIONS: `--import=${hook}`,
  });
  t.after(() => service.stop());
  await documentsRecorded(service);
  const idle = await read(list);
  assert.ok(idle.some((url) => url.endsWith("/src/app.ts")));
  assert.deepEqual(
    LATE.filter((name) => idle.some((url) => url.includes(`/node_modules/${name}`))),
    [],
  );
  assert.ok(!idle.includes("thread"));

  // The same list shows both once they are used, so it would have shown them above.
  const schema = { type: "object", title: "Large", description: "x".repeat(20_000) };
  assert.equal((await service.call("render_json_schema_form", { schema })).envelope.ok, true);
  await service.fetch("/api/svc/passkeys/sign-in-options", { method: "POST" });
  const used = await read(list);
  assert.ok(used.includes("thread"));
  assert.ok(used.some((url) => url.includes("/node_modules/@simplewebauthn/server")));
});

async function read(list: string): Promise<readonly string[]> {
  return (await readFile(list, "utf8")).split("\n").filter((line) => !line.startsWith("node:"));
}

/** The last work of a start: the records of the discovery documents. */
async function documentsRecorded(service: ServiceProcess): Promise<void> {
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const found = await service.call("lookup_svc_provenance", { url: "/robots.txt" });
    if (found.text.includes("discovery_document")) return;
    await sleep(100);
  }
  assert.fail("the discovery documents were not recorded");
}
