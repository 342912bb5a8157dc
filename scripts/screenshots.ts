import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { isJsonRecord } from "../src/kernel/json.ts";
import type { SiblingName } from "../src/ports/settings.ts";
import { startSuiteProcess, SUITE_KEY } from "../tests/suite/support.ts";
import { ensureBuilt, openPage, settled, startBrowser } from "../tests/support/browser.ts";
import { startService } from "../tests/support/service.ts";
import { enterKey, INPUTS, moveTo, seed, type Seeded } from "../tests/web/support.ts";

/*
 * `npm run screenshots -- [name …]`: starts a service with a few records and siblings that answer, and writes a picture
 * of every page to docs/images, in light and dark, for a desk and for a phone, and docs/screens.md, which shows them
 * all. With names, only those pages. Long on purpose: a table of the pictures.
 */

/** The records that the pictures show. */
interface Shown extends Seeded {
  /** A workflow with a switch, a map and an approval. */
  readonly builtId: string;
  /** A run with a step that failed. */
  readonly failedRunId: string;
}

interface Shot {
  readonly name: string;
  /** What the picture shows. */
  readonly about: string;
  readonly path: (ids: Shown) => string;
  readonly before?: (page: Page) => Promise<void>;
}

/** The siblings that the demo and the handoffs talk to. */
const SIBLINGS: readonly SiblingName[] = ["root", "mcp", "spec", "sandbox", "evals"];

const SHOTS: readonly Shot[] = [
  { name: "home", about: "Home: what needs a person", path: () => "/" },
  { name: "welcome", about: "Getting started in three minutes", path: () => "/welcome" },
  { name: "tools", about: "Every tool, found by name or purpose", path: () => "/tools" },
  {
    name: "tool",
    about: "A tool with its result",
    path: () => "/tools/get_storage_status",
    before: async (page) => {
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("region", { name: "Result" }).getByText("Done").waitFor();
    },
  },
  { name: "form", about: "A tool's form", path: () => "/tools/create_local_artifact" },
  {
    name: "bring-your-own",
    about: "A form of your own schema",
    path: () => "/connections?add=open",
    before: async (page) => {
      await page.getByRole("button", { name: "a schema" }).click();
      await page.getByRole("button", { name: "Check it" }).waitFor();
    },
  },
  {
    name: "bring-an-api",
    about: "All operations of an API, without connecting it",
    path: () => "/connections?add=open&kind=url",
    before: async (page) => {
      await page.getByRole("button", { name: "List its operations" }).click();
      await page.getByLabel("Search operations").fill("workflows");
    },
  },
  {
    name: "connection",
    about: "An operation of a connected API, sent from its form",
    path: () => "/connections",
    before: async (page) => {
      await page.getByRole("link", { name: /This service's own API/ }).click();
      await page.getByLabel("Search operations").fill("demo");
      await page.getByRole("button", { name: /demo/i }).first().click();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.getByText(/HTTP 200/).waitFor();
    },
  },
  {
    name: "connections",
    about: "Connections: your own APIs and MCP servers",
    path: () => "/connections?add=open",
    before: async (page) => {
      await page.getByRole("link", { name: /This service's own API/ }).waitFor();
    },
  },
  { name: "workflows", about: "Workflows", path: () => "/workflows" },
  {
    name: "import",
    about: "A workflow from another format, with what is not imported",
    path: () => "/workflows?import=open",
    before: async (page) => {
      await page.getByLabel("The workflow as text").fill(ELSEWHERE);
      await page.getByText("Not imported: 1").waitFor();
    },
  },
  {
    name: "workflow",
    about: "The editor: canvas and inspector",
    path: ({ workflowId }) => `/workflows/${workflowId}?node=review`,
    before: async (page) => {
      await page.locator(".react-flow__node").first().waitFor();
    },
  },
  {
    name: "dry-run",
    about: "A dry run, painted on the canvas: states, value counts, the write that was not sent",
    path: ({ builtId }) => `/workflows/${builtId}`,
    before: async (page) => {
      await page.locator(".react-flow__node").first().waitFor();
      await page.getByRole("button", { name: "Dry run" }).click();
      await page.getByText(/dry run works/).waitFor();
      await page.getByRole("button", { name: "Fit View" }).click();
    },
  },
  {
    name: "versions",
    about: "What the draft changes since a version, side by side",
    path: ({ workflowId }) => `/workflows/${workflowId}?tab=versions`,
    before: async (page) => {
      await page.getByRole("button", { name: "Compare with the draft" }).click();
      await page.locator(".react-flow__node").first().waitFor();
    },
  },
  {
    name: "outline",
    about: "The same graph as an outline",
    path: ({ workflowId }) => `/workflows/${workflowId}?view=outline`,
  },
  {
    name: "plan",
    about: "The plan before anything runs",
    path: ({ workflowId }) => `/workflows/${workflowId}?tab=plan`,
  },
  {
    name: "triggers",
    about: "What starts a workflow by itself",
    path: ({ workflowId }) => `/workflows/${workflowId}?tab=triggers`,
  },
  {
    name: "calendar",
    about: "What is due this week",
    path: () => "/triggers?view=calendar",
    before: async (page) => {
      await page.getByRole("button", { name: "Week after" }).click();
      await page
        .getByRole("link", { name: /Weekly review/ })
        .first()
        .waitFor();
    },
  },
  { name: "templates", about: "Templates", path: () => "/templates" },
  { name: "runs", about: "Runs", path: () => "/runs" },
  { name: "run", about: "A run, step by step", path: ({ runId }) => `/runs/${runId}?step=review` },
  {
    name: "repair",
    about: "A failed run is repaired: what stays, and what happens again",
    path: ({ failedRunId }) => `/runs/${failedRunId}`,
    before: async (page) => {
      await page.getByRole("button", { name: "Repair" }).click();
      const dialog = page.getByRole("dialog");
      await dialog
        .getByRole("region", { name: "Input" })
        .getByRole("textbox")
        .first()
        .fill("artifact_of_this_week");
      await dialog.getByLabel("Reason").fill("The report of last week was replaced.");
      await dialog.getByRole("button", { name: "Preview" }).click();
      await dialog.getByText("result stays").waitFor();
    },
  },
  {
    name: "receipt",
    about: "The receipt of a run, checked in the page",
    path: ({ endedRunId }) => `/receipt?run=${endedRunId}`,
    before: async (page) => {
      await page.getByText("This receipt is genuine and unchanged").waitFor();
    },
  },
  { name: "approvals", about: "An approval, with what is decided on", path: () => "/approvals" },
  { name: "artifacts", about: "Artifacts: drafts here, saved ones on the server", path: () => "/artifacts" },
  {
    name: "handoffs",
    about: "A handoff that was sent, and the evidence for it",
    path: () => "/handoffs",
    before: async (page) => {
      await page.getByRole("button", { name: "Preview packet" }).click();
      await page.getByRole("button", { name: "Send now" }).click();
      await page.getByText("Completed: evals confirmed the result.").waitFor();
    },
  },
  {
    name: "provenance",
    about: "A record and its verdicts",
    path: ({ runId }) => `/provenance?by=runId&value=${runId}`,
    before: async (page) => {
      // Without room beside the list a record opens over it.
      if ((page.viewportSize()?.width ?? 0) < 1024) await page.locator("main li button").first().click();
      await page.getByText(/Inclusion: /).waitFor();
    },
  },
  {
    name: "demo",
    about: "The six steps of the demo, run for real",
    path: () => "/demo",
    before: async (page) => {
      await page.getByRole("button", { name: "Run all six" }).click();
      await page.getByText("6 verified").waitFor();
    },
  },
  {
    name: "guard",
    about: "What a rule of the guard would have done to the last calls",
    path: () => "/guard?tab=rules",
    before: async (page) => {
      await page.getByRole("button", { name: "Edit no-deleting" }).click();
      await page.getByRole("button", { name: "Preview on the last calls" }).click();
      await page.getByText(/it would have asked/).waitFor();
    },
  },
  {
    name: "toolsets",
    about: "Toolsets: chosen tools at an address of their own",
    path: () => "/developers?tab=toolsets",
    before: async (page) => {
      await page.getByText("3 tools").click();
    },
  },
  { name: "people", about: "People, their roles and groups", path: () => "/people" },
  { name: "audit", about: "Who did what when", path: () => "/audit" },
  { name: "developers", about: "Client configurations", path: () => "/developers?tab=clients" },
  {
    // The last one: it leaves the web app, and with it the key that was entered.
    name: "form-page",
    about: "A form page, as a stranger sees it",
    path: () => "/triggers",
    before: async (page) => {
      await page.goto("/f/request");
      await page.getByRole("button", { name: "Send" }).waitFor();
    },
  },
];

/** A workflow in another format; a call of a stranger's address is the thing that cannot be kept as it is. */
const ELSEWHERE = `document: { dsl: 1.0.0, namespace: shop, name: order-check, version: 1.0.0 }
do:
  - fetchOrder:
      call: http
      with: { method: get, endpoint: https://shop.example/orders/1 }
  - remember:
      set: { checked: true }
`;

const SIZES = [
  { suffix: "", width: 1280, height: 800 },
  { suffix: "-phone", width: 390, height: 800 },
] as const;

const folder = fileURLToPath(new URL("../docs/images/", import.meta.url));
const wanted = process.argv.slice(2);
const shots = wanted.length === 0 ? SHOTS : SHOTS.filter((shot) => wanted.includes(shot.name));

await ensureBuilt();
await mkdir(folder, { recursive: true });
if (wanted.length === 0) {
  for (const name of await readdir(folder))
    if (name.endsWith(".png") && !/^(cli|story)/.test(name)) await rm(folder + name);
}
const data = await mkdtemp(join(tmpdir(), "workflow-ui-pictures-"));
const suite = await startSuiteProcess(SIBLINGS, data);
const siblings = Object.fromEntries(
  SIBLINGS.map((name) => [name, { url: suite.urls[name] ?? "", key: SUITE_KEY }]),
);
const service = await startService({ settings: { siblings } });
const browser = await startBrowser();
const ids: Shown = { ...(await seed(service)), builtId: await build(), failedRunId: await failing() };
await changeSinceVersion(ids.workflowId);
for (const trigger of [
  { kind: "schedule", name: "Weekly review", cron: "0 9 * * 1", inputs: INPUTS },
  { kind: "schedule", name: "Every working day", cron: "30 7 * * 1-5", inputs: INPUTS },
  { kind: "webhook", name: "From the shop", verifier: "standard-webhooks" },
])
  await post("/api/svc/triggers", { workflowId: ids.workflowId, ...trigger });
const requests = await service.call(
  "instantiate_template",
  { templateId: "public-request-approval" },
  { key: true },
);
const { id: workflowId } = requests.envelope.data.workflow;
await post("/api/svc/triggers", { workflowId, kind: "form", slug: "request" });
for (const [name, role] of [
  ["Finance", "approver"],
  ["Operations", "operator"],
  ["Workshop", "editor"],
] as const)
  await post("/api/svc/people", { email: `${name.toLowerCase()}@example.org`, name, role });
await post("/api/svc/connections", {
  name: "sample",
  kind: "openapi",
  title: "This service's own API",
  url: `${service.url}/openapi.yaml`,
  allowPrivateOrigin: true,
});
await post("/api/svc/toolsets", {
  name: "sales",
  title: "Sales",
  description: "What the agents of the sales team use.",
  tools: ["get_health", "list_templates", "render_json_schema_form"],
});
const rules = [
  { id: "no-deleting", when: 'tool == "delete_artifact"', decision: "deny" },
  {
    id: "large-orders",
    when: 'server == "shop" && args.body.quantity > 100.0',
    decision: "ask",
    fourEyes: true,
  },
];
await post("/api/svc/guard", { rules }, "PATCH");
for (const id of ["artifact_01", "artifact_02", "artifact_03"])
  await service.call("delete_artifact", { id }, { key: true });
try {
  for (const size of SIZES) {
    for (const dark of [false, true]) {
      const { page, close } = await openPage(browser, {
        baseUrl: service.url,
        width: size.width,
        height: size.height,
        dark,
      });
      page.setDefaultTimeout(60_000);
      await page.goto("/");
      await enterKey(page, service.key);
      for (const shot of shots) {
        await moveTo(page, shot.path(ids));
        await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
        await settled(page);
        await shot.before?.(page);
        await page.mouse.move(0, 0);
        await page.evaluate(
          "document.activeElement?.blur(); scrollTo(0, 0); document.fonts.ready.then(() => undefined)",
        );
        // Lists and lazily fetched parts arrive after the frame; a picture wants them all.
        await page.waitForTimeout(700);
        await page.screenshot({ path: `${folder}${shot.name}${size.suffix}${dark ? "-dark" : ""}.png` });
      }
      await close();
    }
  }
} finally {
  await browser.close();
  await service.close();
  await suite.stop();
  await rm(data, { recursive: true, force: true });
}
await writeFile(fileURLToPath(new URL("../docs/screens.md", import.meta.url)), gallery());
console.log(`${shots.length * 4} pictures in docs/images`);

async function post(path: string, body: object, method = "POST"): Promise<void> {
  const { status } = await service.fetch(path, {
    method,
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (status >= 300) throw new Error(`${path} answered ${status}`);
}

/** A workflow as people build it: a tool, a switch, a map, an approval and a write. */
async function build(): Promise<string> {
  const nodes = [
    { id: "find", type: "tool", title: "Find templates", tool: "list_templates", with: {} },
    {
      id: "any",
      type: "switch",
      title: "Any found?",
      cases: [{ name: "yes", when: "size(steps.find.outputs.data.templates) > 0" }],
    },
    { id: "none", type: "transform", title: "Say that there are none", value: { found: 0 } },
    {
      id: "each",
      type: "map",
      title: "For each template",
      map: {
        items: { $ref: "steps.find.outputs.data.templates" },
        maxItems: 100,
        body: { tool: "create_local_artifact", with: { title: { $ref: "item.name" } } },
      },
    },
    {
      id: "ask",
      type: "approval",
      title: "Keep the list?",
      approval: { title: "Keep the list of templates?", show: { $ref: "steps.each.outputs" } },
    },
    {
      id: "save",
      type: "tool",
      title: "Save the list",
      tool: "save_artifact",
      with: { artifact: { title: "Templates", type: "list", content: { $ref: "steps.each.outputs" } } },
    },
  ];
  const edges = [
    { id: "e1", from: "find", to: "any", port: "success" },
    { id: "e2", from: "any", to: "each", port: "case:yes" },
    { id: "e3", from: "any", to: "none", port: "default" },
    { id: "e4", from: "each", to: "ask", port: "success" },
    { id: "e5", from: "ask", to: "save", port: "approved" },
  ];
  const { envelope } = await service.call(
    "create_workflow",
    { name: "List of templates", nodes, edges },
    { key: true },
  );
  return envelope.data.workflow.id;
}

/** A run whose second step failed. */
async function failing(): Promise<string> {
  const nodes = [
    { id: "find", type: "tool", title: "Find templates", tool: "list_templates", with: {} },
    {
      id: "read",
      type: "tool",
      title: "Read last week's report",
      tool: "get_artifact",
      with: { id: "artifact_of_last_week" },
    },
    { id: "sum", type: "transform", title: "Sum it up", value: { $ref: "steps.read.outputs" } },
  ];
  const edges = [
    { id: "e1", from: "find", to: "read", port: "success" },
    { id: "e2", from: "read", to: "sum", port: "success" },
  ];
  const made = await service.call("create_workflow", { name: "Weekly report", nodes, edges }, { key: true });
  const run = await service.call("run_workflow", { id: made.envelope.data.workflow.id }, { key: true });
  const runId: string = run.envelope.data.run.id;
  await service.app.services.engine.waitFor(runId, 20_000);
  return runId;
}

/** Publishes a version and changes the draft, so that there is something to compare. */
async function changeSinceVersion(id: string): Promise<void> {
  await service.call("publish_workflow", { id }, { key: true });
  const { envelope } = await service.call("get_workflow", { id }, { key: true });
  const nodes = envelope.data.workflow.nodes.map((node) =>
    isJsonRecord(node) && node["id"] === "review" ? { ...node, title: "Review by a second person" } : node,
  );
  await service.call("update_workflow", { id, nodes }, { key: true });
}

/** A page that shows every picture. */
function gallery(): string {
  const rows = SHOTS.flatMap(({ name, about }) => [
    `## ${about}`,
    "",
    "| light | dark | phone | phone, dark |",
    "|---|---|---|---|",
    `| ${["", "-dark", "-phone", "-phone-dark"].map((suffix) => `![${about}](images/${name}${suffix}.png)`).join(" | ")} |`,
    "",
  ]);
  return ["# Screens", "", "Written by `npm run screenshots`; do not edit.", "", ...rows].join("\n");
}
