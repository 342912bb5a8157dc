import { mkdir, readdir, rm } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { ensureBuilt, openPage, settled, startBrowser } from "../tests/support/browser.ts";
import { startService } from "../tests/support/service.ts";
import { enterKey, moveTo, seed, type Seeded } from "../tests/web/support.ts";

/*
 * `npm run screenshots -- [name …]`: starts a service with a few records and writes a picture of every page to
 * docs/images, in light and dark, for a desk and for a phone. With names, only those pages.
 */

interface Shot {
  readonly name: string;
  readonly path: (ids: Seeded) => string;
  readonly before?: (page: Page) => Promise<void>;
}

const SHOTS: readonly Shot[] = [
  { name: "home", path: () => "/" },
  { name: "welcome", path: () => "/welcome" },
  { name: "tools", path: () => "/tools" },
  {
    name: "tool",
    path: () => "/tools/get_storage_status",
    before: async (page) => {
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("region", { name: "Result" }).getByText("Done").waitFor();
    },
  },
  { name: "form", path: () => "/tools/create_local_artifact" },
  {
    name: "bring-your-own",
    path: () => "/own",
    before: async (page) => {
      await page.getByRole("button", { name: "a schema" }).click();
      await page.getByRole("button", { name: "Check it" }).waitFor();
    },
  },
  { name: "workflows", path: () => "/workflows" },
  {
    name: "workflow",
    path: ({ workflowId }) => `/workflows/${workflowId}?node=review`,
    before: async (page) => {
      await page.locator(".react-flow__node").first().waitFor();
    },
  },
  { name: "outline", path: ({ workflowId }) => `/workflows/${workflowId}?view=outline` },
  { name: "plan", path: ({ workflowId }) => `/workflows/${workflowId}?tab=plan` },
  { name: "templates", path: () => "/templates" },
  { name: "runs", path: () => "/runs" },
  { name: "run", path: ({ runId }) => `/runs/${runId}?step=review` },
  { name: "approvals", path: () => "/approvals" },
  { name: "artifacts", path: () => "/artifacts" },
  {
    name: "handoffs",
    path: () => "/handoffs",
    before: async (page) => {
      await page.getByRole("button", { name: "Preview packet" }).click();
      await page.getByText("suite.handoff.v1").first().waitFor();
    },
  },
  {
    name: "provenance",
    path: ({ runId }) => `/provenance?by=runId&value=${runId}`,
    before: async (page) => {
      await page.getByText(/Inclusion: /).waitFor();
    },
  },
  { name: "demo", path: () => "/demo" },
  { name: "developers", path: () => "/developers?tab=clients" },
];

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
    if (name.endsWith(".png") && !name.startsWith("cli")) await rm(folder + name);
}
const service = await startService();
const browser = await startBrowser();
const ids = await seed(service);
try {
  for (const size of SIZES) {
    for (const dark of [false, true]) {
      const { page, close } = await openPage(browser, {
        baseUrl: service.url,
        width: size.width,
        height: size.height,
        dark,
      });
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
}
console.log(`${shots.length * 4} pictures in docs/images`);
