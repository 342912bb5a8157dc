import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { addMember, makeOwner } from "../people/support.ts";
import { runAxe } from "../support/browser.ts";
import { foundAt } from "../support/json.ts";
import { enterKey, moveTo } from "./support.ts";
import { sessionCookie, startWeb } from "./setup.ts";

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
    await page.getByLabel("How many must approve").fill("2");
    await page.getByLabel("Four eyes").selectOption("Always");
    for (const [label, hours] of [
      ["Due after", "2"],
      ["Escalate after", "4"],
    ] as const) {
      await page.getByLabel(`${label}: amount`).fill(hours);
      await page.getByLabel(`${label}: unit`).selectOption("hours");
    }
    const escalated = page.getByRole("group", { name: "Escalate to" });
    await escalated.getByRole("button", { name: "Name who may decide" }).click();
    await page
      .getByRole("dialog")
      .getByRole("option", { name: /^Every owner/ })
      .click();
    await escalated.getByText("Every owner", { exact: true }).waitFor();
    assert.deepEqual(await runAxe(page), []);
    const wanted = {
      title: "Go?",
      approvers: ["person:ada@example.com", "person:grace@example.com"],
      required: 2,
      fourEyes: true,
      stepUp: true,
      dueInMs: 7_200_000,
      escalateMs: 14_400_000,
      escalateTo: ["role:owner"],
    };

    for (let n = 0; n < 1_200; n++) {
      const { envelope } = await web.service.call("get_workflow", { id }, { key: true });
      const approval = foundAt(envelope.data.workflow.nodes, 0, "approval");
      if (isDeepStrictEqual(approval, wanted)) break;
      if (n === 149) assert.deepEqual(approval, wanted);
      await new Promise((done) => setTimeout(done, 100));
    }
    await close();
    assert.deepEqual(faults, []);
  });

  it("offers the decision only to those who may, with what will be sent, and says to the others who may", async () => {
    const owner = await makeOwner(web.service);
    const ada = await addMember(web.service, owner, "approver", "bea@example.com");
    const other = await addMember(web.service, owner, "approver", "carl@example.com");
    const made = await web.service.call(
      "create_workflow",
      {
        name: "Save what was sent",
        nodes: [
          {
            id: "ask",
            type: "approval",
            approval: { title: "Save it?", approvers: ["person:bea@example.com"] },
          },
          {
            id: "save",
            type: "tool",
            tool: "save_artifact",
            with: { artifact: { type: "note", title: { $ref: "inputs.title" }, content: {} } },
          },
        ],
        edges: [{ from: "ask", to: "save", port: "approved" }],
      },
      {
        key: true,
        meta: {
          "svc/document": { inputs: { type: "object", properties: { title: { type: "string" } } } },
        },
      },
    );
    const inputs = { title: "Invoice 4711" };
    const { id: workflowId } = made.envelope.data.workflow;
    const { envelope } = await web.service.call("run_workflow", { id: workflowId, inputs }, { key: true });
    const { run } = envelope.data;
    const [asked] = run.approvals ?? [];
    assert.ok(asked);
    for (const [member, isAble] of [
      [ada, true],
      [other, false],
    ] as const) {
      const { page, context, faults, close } = await web.open();
      await context.addCookies([sessionCookie(web.service.url, member.visitor.cookie)]);
      await page.goto(`/runs/${run.id}`);
      await page.getByRole("link", { name: isAble ? "Decide" : "Show approval", exact: true }).click();
      await page.getByText("Approving does this").waitFor();
      await page.getByText("Invoice 4711").first().waitFor();
      await page
        .getByText(isAble ? "A approver may decide." : /not among those .* A approver may decide\./)
        .first()
        .waitFor();
      assert.equal(page.url().split("?id=")[1], asked.id);
      assert.equal(await page.getByRole("button", { name: "Approve", exact: true }).count(), isAble ? 1 : 0);
      await close();
      assert.deepEqual(faults, []);
    }
  });

  it("finds people who are not among the newest hundred", async () => {
    await invite("oezlem@example.com", "Özlem", "approver");
    for (let n = 0; n < 100; n++) await invite(`later-${n}@example.com`, `Later ${n}`, "approver");
    const nodes = [{ id: "ask", type: "approval", approval: { title: "Go?" } }];
    const made = await web.service.call("create_workflow", { name: "Asks", nodes, edges: [] }, { key: true });
    const { page, faults, close } = await web.open({ width: 1400 });
    await page.goto("/workflows");
    await enterKey(page, web.service.key);
    await moveTo(page, `/workflows/${made.envelope.data.workflow.id}?node=ask`);
    const field = page.getByRole("group", { name: "Who may decide" });
    const picker = page.getByRole("dialog", { name: "Who may decide" });
    for (const [typed, shown] of [
      ["öZLEM", /^Özlem/],
      ["ada@exam", /^Ada/],
    ] as const) {
      await field.getByRole("button", { name: /^(Name who may decide|Add)$/ }).click();
      await picker.getByRole("option", { name: /^Later 99/ }).waitFor();
      assert.equal(await picker.getByRole("option", { name: shown }).count(), 0);
      await picker.getByRole("combobox").fill(typed);
      await picker.getByRole("option", { name: shown }).click();
    }
    await field.getByText("oezlem@example.com").waitFor();
    await close();
    assert.deepEqual(faults, []);
  });
});
