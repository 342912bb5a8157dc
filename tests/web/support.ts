import type { Page } from "playwright-core";
import type { TestService } from "../support/service.ts";

/** Records that the pages have something to show of. */
export interface Seeded {
  readonly workflowId: string;
  readonly runId: string;
  /** A run that has ended. */
  readonly endedRunId: string;
  readonly artifactId: string;
}

/** The inputs of the seeded run. */
export const INPUTS = {
  title: "Conference sign-up",
  schema: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
  values: { name: "Ada" },
};

/** A workflow from a template, a run of it that waits for a person, and a saved artifact. */
export async function seed(service: TestService): Promise<Seeded> {
  const made = await service.call(
    "instantiate_template",
    { templateId: "form-intake-approval" },
    { key: true },
  );
  const workflowId: string = made.envelope.data.workflow.id;
  const started = await service.call("run_workflow", { id: workflowId, inputs: INPUTS }, { key: true });
  const saved = await service.call(
    "save_artifact",
    { artifact: { title: "Report", type: "report", content: { findings: 3 } } },
    { key: true },
  );
  const quick = await service.call(
    "create_workflow",
    { name: "Quick", nodes: [{ id: "check", type: "tool", tool: "get_health" }], edges: [] },
    { key: true },
  );
  const ran = await service.call("run_workflow", { id: quick.envelope.data.workflow.id }, { key: true });
  const endedRunId: string = ran.envelope.data.run.id;
  for (;;) {
    const { envelope } = await service.call("get_workflow_run", { id: endedRunId }, { key: true });
    if (envelope.data.run.status === "succeeded") break;
  }
  return {
    workflowId,
    runId: started.envelope.data.run.id,
    endedRunId,
    artifactId: saved.envelope.data.artifact.id,
  };
}

const WIDE = 40;

/** A workflow of many steps: forty paths side by side, every fifth of which leads to the next one as well. */
export function largeWorkflow(steps: number) {
  const nodes = Array.from({ length: steps }, (_, n) => ({
    id: `n${n}`,
    type: "tool",
    title: `Step ${n}`,
    tool: "get_health",
    with: {},
  }));
  const edges = nodes.flatMap((_, n) =>
    [WIDE, ...(n % 5 === 0 ? [WIDE + 1] : [])]
      .filter((next) => n + next < steps)
      .map((next) => ({ id: `e${n}-${n + next}`, from: `n${n}`, to: `n${n + next}`, port: "success" })),
  );
  return { name: "Large", nodes, edges };
}

/** Enters a key the way a person does. */
export async function enterKey(page: Page, key: string): Promise<void> {
  await openKeyField(page);
  await giveKey(page, key);
  await page.getByRole("button", { name: "Key in use" }).waitFor();
}

/** Opens the field for a key: keys are for programs, so it is only under Developers and in the palette. */
export async function openKeyField(page: Page): Promise<void> {
  await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Enter an API key" }).click();
}

/** Fills the key field that is open, or that is folded where people are asked to sign in. */
export async function giveKey(page: Page, key: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: /^(API key|Sign in)$/ });
  await dialog.waitFor();
  const folded = dialog.locator("details:not([open]) > summary");
  if ((await folded.count()) > 0) await folded.click();
  await dialog.locator("input[type=password]").fill(key);
  await dialog.getByRole("button", { name: "Use this key" }).click();
}

/** Shows what programs write, as the person asks the editor to. */
export async function showExpertView(page: Page): Promise<void> {
  await page.getByRole("switch", { name: "Expert view" }).check();
}

/** Moves inside the page, as a link does; a reload would forget the key. */
export async function moveTo(page: Page, address: string): Promise<void> {
  await page.evaluate(
    `history.pushState({}, "", ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent("popstate"))`,
  );
}

/** Everything a page can leave on the device or in its address. */
export async function traces(page: Page): Promise<string> {
  return page.evaluate(`(async () => {
    const found = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie, location.href, JSON.stringify(history.state), window.name, performance.getEntries().map((entry) => entry.name).join(" "), document.documentElement.outerHTML];
    for (const { name } of await indexedDB.databases()) {
      const database = await new Promise((resolve) => { const open = indexedDB.open(name); open.onsuccess = () => resolve(open.result); });
      for (const store of database.objectStoreNames) {
        const all = await new Promise((resolve) => { const get = database.transaction(store).objectStore(store).getAll(); get.onsuccess = () => resolve(get.result); });
        found.push(JSON.stringify(all));
      }
      database.close();
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) found.push(request.url, await (await cache.match(request)).text());
    }
    return found.join("\\n");
  })()`);
}
