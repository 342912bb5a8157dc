import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { Browser } from "playwright-core";
import { serverEntry } from "../connections/everything.ts";
import { rest } from "../connections/rest.ts";
import { ensureBuilt, leaveBrowser, openPage, runAxe, settled, takeBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { enterKey, moveTo } from "./support.ts";

/* In the web app a person answers what a server asks, reads what it links to, and adds the call to a workflow. */

let service: TestService;
let browser: Browser;

before(async () => {
  await ensureBuilt();
  const settings = { programEnvironment: { PATH: process.env["PATH"] ?? "" } };
  [service, browser] = await Promise.all([startService({ settings }), takeBrowser()]);
  const added = await rest(service, "POST", "", {
    name: "everything",
    kind: "mcp",
    command: process.execPath,
    args: [serverEntry("server-everything"), "stdio"],
  });
  assert.equal(added.status, 201, JSON.stringify(added.body));
});
after(async () => {
  if (browser !== undefined) await leaveBrowser(browser);
  await service?.close();
});

it("questions, links and a step of a workflow that is there", async () => {
  const nodes = [{ id: "first", type: "tool", tool: "everything:echo", with: { message: "x" } }];
  const made = await service.call("create_workflow", { name: "Mine", nodes }, { key: true });
  const id = made.envelope?.data.workflow?.id;
  const { page, faults, close } = await openPage(browser, {
    baseUrl: service.url,
    width: 360,
    height: 780,
  });
  await page.goto("/");
  await enterKey(page, service.key);
  await moveTo(page, "/connections/everything?pick=trigger-elicitation-request");
  const answer = page.getByRole("region", { name: "Response" });
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const question = answer.getByRole("region", { name: "Question of the server" });
  await question.getByText("everything asks: Please provide inputs").waitFor();
  await question
    .getByRole("textbox", { name: /full, legal name|^String/ })
    .first()
    .fill("Ada");
  await settled(page);
  const violations = [...(await runAxe(page))];
  await question.getByRole("button", { name: "Answer", exact: true }).click();
  await answer.getByText("Name: Ada").waitFor();

  await moveTo(page, "/connections/everything?pick=get-resource-links");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await answer.getByRole("button", { name: "Read", exact: true }).first().click();
  await answer
    .getByText(/Resource \d|This is a/)
    .first()
    .waitFor();

  await page.getByRole("button", { name: "Add to a workflow" }).click();
  const dialog = page.getByRole("dialog", { name: "Add to a workflow" });
  await dialog.getByRole("button", { name: "Mine" }).waitFor();
  await settled(page);
  violations.push(...(await runAxe(page)));
  await dialog.getByRole("button", { name: "Mine" }).click();
  await page.waitForURL(`**/workflows/${id}`);
  const { envelope } = await service.call("get_workflow", { id }, { key: true });
  assert.match(JSON.stringify(envelope), /everything:get-resource-links/);
  assert.match(JSON.stringify(envelope), /"from":"first"/, "it comes after the last step");
  assert.deepEqual(violations, []);
  assert.deepEqual(faults, []);
  await close();
});
