import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { authorizeQuery, pkce, register } from "../oauth/support.ts";
import { settled } from "../support/browser.ts";
import { enterKey, moveTo, seed, type Seeded } from "./support.ts";
import { startWeb } from "./setup.ts";

/*
 * Pages are read by people: with records of every kind in the database, no page shows `null`, an object as text, or
 * the name of a state as programs write it, unless "Details" are opened.
 */

let seeded: Seeded;
let toolNames: readonly string[];

const web = startWeb(async () => {
  seeded = await seed(web.service);
  const listed = await web.service.rpc("tools/list");
  toolNames = listed.json.result.tools.map(({ name }: { readonly name: string }) => name);
  const doomed = await web.service.call(
    "create_workflow",
    {
      name: "Fails",
      nodes: [{ id: "look", type: "tool", tool: "get_artifact", with: { id: "artifact_0missing" } }],
      edges: [],
    },
    { key: true },
  );
  await web.service.call("run_workflow", { id: doomed.envelope.data.workflow.id }, { key: true });
  await web.service.call("dry_run_workflow", { id: seeded.workflowId, inputs: {} }, { key: true });
  // A version that differs from the draft, and a connection with operations.
  await web.service.call("publish_workflow", { id: seeded.workflowId }, { key: true });
  const draft = (await web.service.call("get_workflow", { id: seeded.workflowId }, { key: true })).envelope
    .data.workflow;
  const nodes = draft.nodes.map((node: object, index: number) =>
    index === 0 ? { ...node, title: "Another title" } : node,
  );
  await web.service.call("update_workflow", { id: seeded.workflowId, nodes }, { key: true });
  const added = await web.service.fetch("/api/svc/connections", {
    method: "POST",
    headers: { authorization: `Bearer ${web.service.key}`, "content-type": "application/json" },
    body: JSON.stringify({
      name: "sample",
      kind: "openapi",
      url: `${web.service.url}/openapi.yaml`,
      allowPrivateOrigin: true,
    }),
  });
  assert.equal(added.status, 201);
});

/** Words in the text of a page, outside of details, code and fields, that no person should have to read. */
const RAW = `((tools) => {
  const names = new Set(tools);
  const found = [];
  const walk = document.createTreeWalker(document.querySelector("main") ?? document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (parent === null || parent.closest("details:not([open]), code, pre, .font-mono, [data-code-editor], textarea, select, datalist, script") !== null) continue;
    const text = node.textContent.trim();
    const words = text.match(/\\b[a-z]{2,}(?:_[a-z]{2,})+\\b/g) ?? [];
    if (/^(null|undefined|NaN)$|\\[object /.test(text) || words.some((word) => !names.has(word)))
      found.push(text.slice(0, 80));
  }
  return found;
})`;

/** The raw words on a page; the names of tools are names, and no states. */
async function rawWords(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`${RAW}(${JSON.stringify(toolNames)})`);
}

describe("the words on the pages", () => {
  it("are for people: no null, no object as text, no state in snake_case", async () => {
    const { page, close } = await web.open({ width: 1400 });
    await page.goto("/");
    await enterKey(page, web.service.key);
    const { workflowId, runId, endedRunId, artifactId } = seeded;
    const paths = [
      "/",
      "/welcome",
      "/tools",
      "/workflows",
      `/workflows/${workflowId}`,
      `/workflows/${workflowId}?view=outline`,
      `/workflows/${workflowId}?tab=plan`,
      `/workflows/${workflowId}?tab=runs`,
      `/workflows/${workflowId}?tab=versions`,
      "/templates",
      "/runs",
      `/runs/${runId}`,
      "/approvals",
      "/artifacts",
      `/artifacts/${artifactId}`,
      "/handoffs",
      "/handoffs?view=out",
      "/handoffs?view=in",
      "/demo",
      "/own",
      "/connections",
      "/connections/sample",
      ...["schema", "history", "settings"].map((tab) => `/connections/sample?tab=${tab}`),
      "/sign-in",
      "/join",
      "/device",
      "/people",
      "/account",
      "/clients",
      "/tokens",
      "/audit",
      "/provenance",
      `/provenance?by=runId&value=${endedRunId}`,
      "/receipt",
      `/receipt?run=${endedRunId}`,
      ...["endpoints", "clients", "events", "discovery", "status", "policy"].map(
        (tab) => `/developers?tab=${tab}`,
      ),
    ];
    const raw: string[] = [];
    for (const path of paths) {
      await moveTo(page, path);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await settled(page);
      if (path.endsWith("tab=versions")) {
        await page.getByRole("button", { name: "Compare with the draft" }).click();
        await page.getByText("Another title").first().waitFor();
      }
      const found = await rawWords(page);
      raw.push(...found.map((text) => `${path}: ${text}`));
    }
    const listed = await web.service.rpc(
      "resources/read",
      { uri: "svc://runs" },
      { authorization: `Bearer ${web.service.key}` },
    );
    for (const run of JSON.parse(listed.json.result.contents[0].text).runs) {
      await moveTo(page, `/runs/${run.id}`);
      await page.getByRole("heading", { level: 2, name: "Steps" }).waitFor();
      await settled(page);
      for (const step of await page.locator("main button[aria-pressed]").all()) {
        await step.click();
        const found = await rawWords(page);
        raw.push(...found.map((text) => `/runs (${run.status}): ${text}`));
      }
    }
    await close();
    assert.deepEqual([...new Set(raw)], []);
  });

  it("are for people where a person has signed in, too", async () => {
    const link = await web.service.app.people.ownerLink();
    const { page, close } = await web.open({ width: 1400 });
    await page.goto(link?.url ?? "");
    await page.getByLabel("E-mail address", { exact: true }).fill("olga@example.com");
    await page.getByLabel("Your name", { exact: true }).fill("Olga");
    await page.getByLabel("Password", { exact: true }).fill("a few plain words");
    await page.getByLabel("Password again").fill("a few plain words");
    await page.getByRole("button", { name: "Create the owner", exact: true }).click();
    await page.getByRole("button", { name: "Signed in as Olga" }).waitFor();
    const raw: string[] = [];
    const registered = await register(web.service, {
      client_name: "A client",
      redirect_uris: [`${web.service.url}/livez`],
    });
    // Any page that answers will do as the address of the client.
    const client = { clientId: registered.json.client_id, redirectUri: `${web.service.url}/livez` };
    const asked = { resource: `${web.service.url}/api/mcp`, scope: "read-private run write" };
    await page.goto(`/oauth/authorize?${authorizeQuery(client, pkce().challenge, asked).toString()}`);
    await page.getByRole("heading", { name: "What may A client do?" }).waitFor();
    raw.push(...(await rawWords(page)).map((text) => `consent: ${text}`));
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.waitForURL(`${web.service.url}/livez?**`);
    await page.goto("/people");
    await page.getByLabel("New group").fill("finance");
    await page.getByRole("button", { name: "Make group" }).click();
    await page.getByText("finance").first().waitFor();
    for (const path of [
      "/",
      "/people",
      "/audit",
      "/account",
      "/device",
      "/audit",
      "/tokens",
      "/clients",
      "/approvals",
      "/workflows",
      "/runs",
    ]) {
      await moveTo(page, path);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await settled(page);
      const found = await rawWords(page);
      raw.push(...found.map((text) => `${path}: ${text}`));
    }
    await close();
    assert.deepEqual([...new Set(raw)], []);
  });
});
