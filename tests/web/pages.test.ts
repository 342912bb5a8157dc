import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runAxeInThemes, settled } from "../support/browser.ts";
import { enterKey, moveTo, seed, type Seeded } from "./support.ts";
import { startWeb } from "./setup.ts";

let seeded: Seeded;

const web = startWeb(async () => {
  seeded = await seed(web.service);
});

/** Every page with something that shows it has loaded. */
const PAGES: readonly {
  readonly path: (ids: Seeded) => string;
  readonly heading: string | RegExp;
  readonly wait?: string;
}[] = [
  { path: () => "/", heading: "Home" },
  { path: () => "/welcome", heading: "Getting started" },
  { path: () => "/tools", heading: /^Tools/ },
  { path: () => "/tools/create_local_artifact", heading: /artifact/i, wait: "form" },
  { path: () => "/own", heading: "Bring your own" },
  { path: () => "/own?kind=url", heading: "Bring your own" },
  { path: () => "/connections", heading: "Connections" },
  { path: () => "/connections?add=open", heading: "Connections" },
  { path: () => "/workflows", heading: "Workflows" },
  { path: () => "/workflows?import=open", heading: "Workflows", wait: "dialog textarea" },
  { path: () => "/workflows/new", heading: "Untitled workflow" },
  {
    path: ({ workflowId }) => `/workflows/${workflowId}?node=review`,
    heading: /Form intake/,
    wait: ".react-flow__node",
  },
  { path: ({ workflowId }) => `/workflows/${workflowId}?view=outline`, heading: /Form intake/ },
  { path: ({ workflowId }) => `/workflows/${workflowId}?tab=plan`, heading: /Form intake/ },
  { path: ({ workflowId }) => `/workflows/${workflowId}?tab=document`, heading: /Form intake/ },
  { path: () => "/templates", heading: "Templates" },
  { path: () => "/runs", heading: "Runs" },
  { path: ({ runId }) => `/runs/${runId}?step=check`, heading: /Form intake/ },
  { path: () => "/approvals", heading: "Approvals" },
  { path: () => "/artifacts", heading: "Artifacts" },
  { path: ({ artifactId }) => `/artifacts/${artifactId}`, heading: "Report" },
  { path: () => "/handoffs", heading: "Handoffs" },
  { path: () => "/handoffs?view=out", heading: "Handoffs" },
  { path: () => "/provenance", heading: "Provenance" },
  { path: ({ runId }) => `/provenance?by=runId&value=${runId}`, heading: "Provenance" },
  { path: () => "/people", heading: "People" },
  { path: () => "/audit", heading: "Audit" },
  { path: () => "/sign-in", heading: "Sign in" },
  { path: () => "/join", heading: "One-time link" },
  { path: () => "/account", heading: "Account" },
  { path: () => "/clients", heading: "Connected clients" },
  { path: () => "/device", heading: "Connect a program" },
  { path: () => "/tokens", heading: "Tokens" },
  { path: () => "/receipt", heading: "Receipt" },
  { path: ({ endedRunId }) => `/receipt?run=${endedRunId}`, heading: "Receipt", wait: "main ol" },
  { path: () => "/demo", heading: "Demo suite" },
  ...["endpoints", "clients", "events", "discovery", "status", "policy"].map((tab) => ({
    path: () => `/developers?tab=${tab}`,
    heading: "Developers",
  })),
];

/** What a page shows, without the ids that differ from one drawing to the next. */
const CONTENT = `document.querySelector("main")?.outerHTML.replace(/ (id|for|name|aria-[a-z]+|data-[a-z-]+)="[^"]*"/g, "")`;

describe("every page", () => {
  /** Contents that axe has looked at: some pages are the same with and without a key. */
  const seen = new Set<string>();
  for (const mode of ["public", "keyed"] as const)
    it(`breaks no rule of axe in ${mode} mode, light and dark, and no content policy`, async () => {
      const { page, faults, close } = await web.open();
      await page.goto("/");
      if (mode === "keyed") await enterKey(page, web.service.key);
      const broken: string[] = [];
      for (const { path, heading, wait } of PAGES) {
        const address = path(seeded);
        // Without a key a private record's page says that it cannot be seen; that is a page too.
        const hidden = mode === "public" && path.length > 0;
        // Moving inside the page keeps the key, which lives in memory only.
        await moveTo(page, address);
        await page
          .getByRole("heading", { level: 1, ...(!hidden && { name: heading }) })
          .first()
          .waitFor({ state: "attached" });
        if (wait !== undefined && !hidden) await page.locator(wait).first().waitFor();
        await settled(page);
        const content: string | undefined = await page.evaluate(CONTENT);
        // Around the content is the same frame on every page; it is looked at in both modes.
        if (content !== undefined && address !== "/") {
          if (seen.has(content)) continue;
          seen.add(content);
        }
        for (const line of await runAxeInThemes(page)) broken.push(`${address} ${line}`);
      }
      await close();
      assert.deepEqual([...broken, ...faults], []);
    });

  it("breaks no rule of axe in what opens over the pages", async () => {
    const { page, faults, close } = await web.open();
    const broken: string[] = [];
    const openings: readonly (readonly [string, () => Promise<void>])[] = [
      ["palette", () => page.keyboard.press("Control+k")],
      ["keyboard help", () => page.keyboard.press("?")],
      ["key field", () => page.getByRole("button", { name: "Public mode" }).click()],
      ["activity", () => page.getByRole("button", { name: "Activity" }).click()],
    ];
    await page.goto("/");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    for (const [name, open] of openings) {
      await open();
      await page.locator("dialog[open]").waitFor();
      await settled(page);
      for (const line of await runAxeInThemes(page)) broken.push(`${name} ${line}`);
      await page.keyboard.press("Escape");
      await page.locator("dialog[open]").waitFor({ state: "detached" });
    }
    await close();
    assert.deepEqual([...broken, ...faults], []);
  });

  it("is reached from the menu of a phone", async () => {
    const { page, faults, close } = await web.open({ width: 360, height: 740 });
    await page.goto("/");
    await page.getByRole("button", { name: "Pages" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Provenance" }).click();
    await page.locator("h1:focus", { hasText: "Provenance" }).waitFor();
    // The list of tools has a heading too, which a phone hides beside a tool.
    await moveTo(page, "/tools/get_health");
    await page.locator("h1:focus", { hasText: "Health" }).waitFor();
    await close();
    assert.deepEqual(faults, []);
  });

  it("is found with the palette and the keyboard alone", async () => {
    const { page, close } = await web.open();
    await page.goto("/");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder(/Find a page/).waitFor();
    await page.keyboard.type("validate_form_input");
    await page.getByRole("option", { name: /validate_form_input/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/tools/validate_form_input");
    await page.keyboard.press("Escape");
    await page.locator("h1").first().click();
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.getByRole("heading", { level: 1, name: "Demo suite" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    const address = page.url();
    await close();
    assert.match(address, /\/demo$/);
  });

  it("loads the tools page with at most 200 kB of compressed JavaScript", async () => {
    const { page, close } = await web.open();
    let bytes = 0;
    page.on("response", (response) => {
      if (/\.js(\?|$)/.test(response.url()))
        bytes += Number(response.headers()["content-length"] ?? Number.NaN);
    });
    await page.goto("/tools/test_mcp_tool");
    await page.getByRole("button", { name: "Run" }).waitFor();
    const first = bytes;
    await close();
    assert.ok(first > 0 && first <= 200_000, `${first} bytes`);
  });
});
