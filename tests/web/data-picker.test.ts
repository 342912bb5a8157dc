import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OperationName } from "../../packages/client/client.ts";
import { at, foundAt } from "../support/json.ts";
import { enterKey, moveTo, showExpertView } from "./support.ts";
import { startWeb } from "./setup.ts";

const web = startWeb();

describe("data in the fields of a step", () => {
  it("is dragged from the tree onto another field, and a call says what its arguments are", async () => {
    const nodes = [
      { id: "list", type: "tool", title: "List", tool: "list_templates", with: {} },
      {
        id: "keep",
        type: "tool",
        title: "Keep",
        tool: "create_local_artifact",
        with: { title: "Kept", description: { $expr: "" } },
      },
    ];
    const edges = [{ id: "e", from: "list", to: "keep", port: "success" }];
    const made = await web.service.call("create_workflow", { name: "Data", nodes, edges }, { key: true });
    const id: string = made.envelope.data.workflow.id;
    const { page, faults, close } = await web.open({ width: 1400 });
    await page.goto("/workflows");
    await enterKey(page, web.service.key);
    await moveTo(page, `/workflows/${id}?node=keep`);
    const step = page.getByRole("region", { name: "Step", exact: true });

    await showExpertView(page);
    const expression = step.getByRole("textbox", { name: "Description: expression" });
    await expression.click();
    await page.keyboard.type("[1, 2].filter(x, ");
    const help = page.locator(".cm-signature");
    await help.getByText("list.filter(x, ").waitFor();
    assert.equal(await help.locator("strong").innerText(), "condition");
    await page.keyboard.type("x > 1)");
    await help.waitFor({ state: "detached" });

    await step.getByRole("button", { name: "Description: reference" }).click();
    await page.getByRole("combobox", { name: /Search data/ }).fill("data/templates");
    const from = await page
      .getByRole("treeitem", { name: /^List › Templates › First item › ID/ })
      .boundingBox();
    const to = await step.getByRole("textbox", { name: "Title", exact: true }).boundingBox();
    assert.ok(from !== null && to !== null);
    await page.mouse.move(from.x + 60, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 90, from.y + 4, { steps: 3 });
    // While something is dragged, the tree lets it through to the field that it covers.
    await page.locator("[data-dragging]").waitFor();
    await page.mouse.move(to.x + 12, to.y + 8, { steps: 6 });
    await page.mouse.up();
    for (let n = 0; n < 1_200; n++) {
      const { envelope } = await web.service.call("get_workflow", { id }, { key: true });
      const given = foundAt(envelope.data.workflow.nodes, 1, "with");
      if (foundAt(given, "title", "$ref") === "steps.list.outputs.data.templates[0].id") {
        assert.equal(at(given, "description", "$expr"), "[1, 2].filter(x, x > 1)");
        break;
      }
      if (n === 149) assert.fail(JSON.stringify(given));
      await new Promise((done) => setTimeout(done, 100));
    }
    await close();
    assert.deepEqual(faults, []);
  });

  it("fits what a step runs as another workflow, and knows what that gives", async () => {
    const call = async <N extends OperationName>(
      name: N,
      args: Record<string, unknown>,
      document: Record<string, unknown> = {},
    ) => {
      const answer = await web.service.call(name, args, { key: true, meta: { "svc/document": document } });
      assert.equal(answer.envelope.ok, true, answer.text);
      return answer.envelope.data;
    };
    const text = { type: "string" };
    const note = {
      type: "object",
      properties: { heading: text },
      required: ["heading"],
      additionalProperties: false,
    };
    const taking = (properties: Record<string, unknown>) => ({ inputs: { type: "object", properties } });
    const made = [{ id: "made", type: "transform", value: { at: "noon" } }];
    const outputs = { when: { $ref: "steps.made.outputs.at" } };
    const child = await call(
      "create_workflow",
      { name: "Child", nodes: made, edges: [] },
      { ...taking({ note }), outputs },
    );
    const workflowId = child.workflow.id;
    await call("publish_workflow", { id: workflowId });
    // What the draft has become since is not what runs.
    await call("update_workflow", { id: workflowId, nodes: made, edges: [] }, taking({ other: text }));
    const nodes = [
      {
        id: "run",
        type: "subworkflow",
        title: "Note it",
        subworkflow: { workflowId },
        with: { note: { $ref: "inputs.book" } },
      },
      { id: "keep", type: "tool", title: "Keep", tool: "create_local_artifact", with: { title: "Kept" } },
    ];
    const edges = [{ id: "e", from: "run", to: "keep", port: "success" }];
    const book = { type: "object", properties: { heading: text, price: { type: "number" } } };
    const parent = await call("create_workflow", { name: "Parent", nodes, edges }, taking({ book }));
    const id = parent.workflow.id;

    const { page, faults, close } = await web.open({ width: 1400 });
    await page.goto("/workflows");
    await enterKey(page, web.service.key);
    await moveTo(page, `/workflows/${id}?tab=problems`);
    await page.getByRole("button", { name: "Choose its fields Heading" }).click();
    await page.getByText("No problems").waitFor();
    await moveTo(page, `/workflows/${id}?node=run`);
    const step = page.getByRole("region", { name: "Step", exact: true });
    await step.getByText("Note", { exact: true }).first().waitFor();
    assert.equal(await step.getByText("Other", { exact: true }).count(), 0);
    await moveTo(page, `/workflows/${id}?node=keep`);
    await showExpertView(page);
    await step.getByRole("button", { name: "Title: reference" }).click();
    await page.getByRole("combobox", { name: /Search data/ }).fill("when");
    await page.getByRole("treeitem", { name: /^Note it › When/ }).waitFor();
    await close();
    assert.deepEqual(faults, []);
  });
});
