import assert from "node:assert/strict";
import { it } from "node:test";
import { modern } from "../agent/support.ts";
import { addMember, asOperator, makeOwner, type Member } from "../people/support.ts";
import { signIn, startWeb, violations } from "./setup.ts";

let owner: Member;
let viewer: Member;
const web = startWeb(async () => {
  owner = await makeOwner(web.service);
  viewer = await addMember(web.service, owner, "viewer");
});

const toolsets = async () => (await asOperator(web.service, "GET", "/api/svc/toolsets")).data.toolsets;

it("an admin creates, copies, changes and removes a toolset", async () => {
  const { service } = web;
  const { page, faults, close } = await web.open();
  await signIn(page, "/developers?tab=toolsets", owner.email);
  await page.getByText("None yet.").waitFor();
  await page.getByLabel("Name").fill("sales");
  await page.getByLabel("Title").fill("Sales");
  await page.getByLabel("Tools, one a line").fill("get_health\nlist_templatez");
  await page.getByRole("button", { name: "Create toolset" }).click();
  await page.getByText('"list_templatez" is no tool').waitFor();
  const broken = [...(await violations(page, "with a problem"))];
  assert.deepEqual(await toolsets(), []);
  await page.getByLabel("Tools, one a line").fill("get_health\nlist_templates");
  await page.getByRole("button", { name: "Create toolset" }).click();

  const address = `${service.url}/mcp/sales`;
  await page.getByText(address).waitFor();
  await page.getByRole("button", { name: "Copy the address of Sales" }).click();
  await page.getByText("Address copied").waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), address);
  const listed = async (): Promise<string[]> =>
    (await modern(service, service.key, "tools/list", {}, {}, "/mcp/sales")).result.tools.map(
      ({ name }: { readonly name: string }) => name,
    );
  assert.deepEqual(await listed(), ["get_health", "list_templates"]);
  broken.push(...(await violations(page, "list")));

  await page.getByRole("button", { name: "Change Sales" }).click();
  const dialog = page.getByRole("dialog", { name: "Change Sales" });
  await dialog.getByLabel("Title").fill("Sales team");
  await dialog.getByLabel("Description").fill("What the sales team's agents use.");
  await dialog.getByLabel("Tools, one a line").fill("get_health");
  broken.push(...(await violations(page, "change")));
  await dialog.getByRole("button", { name: "Save toolset" }).click();
  await page.getByText("What the sales team's agents use.").waitFor();
  assert.deepEqual(await listed(), ["get_health"]);
  await page.setViewportSize({ width: 360, height: 740 });
  broken.push(...(await violations(page, "on a phone")));

  await page.getByRole("button", { name: "Remove Sales team" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove toolset" }).click();
  await page.getByText("None yet.").waitFor();
  assert.deepEqual(await toolsets(), []);
  await close();
  assert.deepEqual([...broken, ...faults], []);
});

it("a viewer does not see it", async () => {
  const { page, close } = await web.open();
  await signIn(page, "/developers?tab=toolsets", viewer.email);
  await page.getByRole("tab", { name: "Endpoints", selected: true }).waitFor();
  assert.equal(await page.getByRole("tab", { name: "Toolsets" }).count(), 0);
  await close();
});
