import assert from "node:assert/strict";
import { it } from "node:test";
import { makeOwner, type Member } from "../people/support.ts";
import { signIn, startWeb, violations } from "./setup.ts";
import { showExpertView } from "./support.ts";

let owner: Member;
const web = startWeb(async () => {
  owner = await makeOwner(web.service);
});

it("expressions, ids and JSON are for who switched the expert view on, and are read in words before", async () => {
  const document = { inputs: { type: "object", properties: { name: { type: "string", title: "Name" } } } };
  const keep = {
    id: "keep",
    type: "tool",
    title: "Keep",
    tool: "create_local_artifact",
    if: 'size(inputs.name) > 3 && inputs.name.startsWith("A")',
    with: { title: { $expr: '"Of " + inputs.name' } },
  };
  const draft = { name: "Calculates", nodes: [keep], edges: [] };
  const made = await owner.visitor.call("create_workflow", draft, { "svc/document": document });
  const { page, faults, close } = await web.open({ width: 1400 });
  await signIn(page, `/workflows/${made.data.data.workflow.id}?node=keep`, owner.email);
  const step = page.getByRole("region", { name: "Step", exact: true });
  const forExperts = [
    step.getByRole("button", { name: /: expression$/ }),
    step.getByRole("textbox", { name: /: expression$/ }),
    step.getByLabel("Id", { exact: true }),
    step.getByLabel("Hidden fields"),
    page.getByRole("tab", { name: "Document" }),
    page.getByRole("radio", { name: "JSON" }),
  ];
  const shown = async () => Promise.all(forExperts.map((one) => one.count()));
  await step.getByText("Advanced").click();
  await step.getByText('Calculated: "Of " + “Inputs › Name”').waitFor();
  await step.getByText("size(“Inputs › Name”) > 3").waitFor();
  assert.deepEqual(await shown(), [0, 0, 0, 0, 0, 0]);
  const broken = [...(await violations(page, "in words"))];
  await step.getByRole("button", { name: "Edit in expert view" }).first().click();
  await step.getByRole("textbox", { name: "Title: expression" }).waitFor();
  await page.getByRole("tab", { name: "Document" }).waitFor();
  assert.ok((await shown()).slice(0, 5).every((count) => count > 0));
  broken.push(...(await violations(page, "expert")));
  // The browser remembers it.
  await page.reload();
  await page.getByRole("tab", { name: "Document" }).waitFor();
  await showExpertView(page);
  await page.getByRole("switch", { name: "Expert view" }).uncheck();
  await page.getByRole("tab", { name: "Document" }).waitFor({ state: "detached" });
  await close();
  assert.deepEqual([broken, faults], [[], []]);
});
