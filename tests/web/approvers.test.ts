import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runAxe } from "../support/browser.ts";
import { enterKey, moveTo } from "./support.ts";
import { startWeb } from "./setup.ts";

const web = startWeb();

async function invite(email: string, name: string, role: string): Promise<void> {
  const answer = await fetch(`${web.service.url}/api/svc/people`, {
    method: "POST",
    headers: { authorization: `Bearer ${web.service.key}`, "content-type": "application/json" },
    body: JSON.stringify({ email, name, role }),
  });
  assert.equal(answer.status, 201);
}

describe("naming who may decide", () => {
  it("offers people who can approve, roles and what was typed, and shows them by name", async () => {
    await invite("ada@example.com", "Ada", "approver");
    await invite("vera@example.com", "Vera", "viewer");
    const nodes = [{ id: "ask", type: "approval", approval: { title: "Go?" } }];
    const made = await web.service.call("create_workflow", { name: "Asks", nodes, edges: [] }, { key: true });
    const id: string = made.envelope.data.workflow.id;
    const { page, faults, close } = await web.open({ width: 1400 });
    await page.goto("/workflows");
    await enterKey(page, web.service.key);
    await moveTo(page, `/workflows/${id}?node=ask`);
    const field = page.getByRole("group", { name: "Who may decide" });
    await field.getByText("Everybody with the right to approve.").waitFor();

    const picker = page.getByRole("dialog", { name: "Who may decide" });
    await field.getByRole("button", { name: "Name who may decide" }).click();
    await picker.getByRole("option", { name: /Ada/ }).waitFor();
    assert.equal(await picker.getByRole("option", { name: /Vera/ }).count(), 0);
    assert.deepEqual(await runAxe(page, "dialog[open]"), []);
    await picker.getByRole("option", { name: /Ada/ }).click();
    await field.getByText("ada@example.com · approver").waitFor();

    for (const [typed, shown] of [
      ["every owner", "Every owner"],
      ["Grace@example.com", "grace@example.com"],
    ] as const) {
      await field.getByRole("button", { name: "Add" }).click();
      await picker.getByRole("combobox").fill(typed);
      await page.keyboard.press("Enter");
      await field.getByText(shown, { exact: true }).waitFor();
    }
    await field.getByRole("button", { name: "Remove Every owner" }).click();

    await page.getByRole("checkbox", { name: "Decide with a passkey" }).check();
    assert.deepEqual(await runAxe(page), []);

    for (let n = 0; n < 150; n++) {
      const { envelope } = await web.service.call("get_workflow", { id }, { key: true });
      const { approvers, stepUp } = envelope.data.workflow.nodes[0].approval;
      if (approvers?.join() === "person:ada@example.com,person:grace@example.com" && stepUp === true) break;
      if (n === 149) assert.fail(`The server has ${approvers}`);
      await new Promise((done) => setTimeout(done, 100));
    }
    await close();
    assert.deepEqual(faults, []);
  });
});
