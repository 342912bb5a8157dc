import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addMember, makeOwner, type Member } from "../people/support.ts";
import { create, history, publish } from "../triggers/support.ts";
import { startWeb, signIn, violations } from "./setup.ts";

const HOSTILE = `"><img src=x onerror=alert(1)>`;
const PHONE = { width: 360, height: 740 };
const INTAKE = {
  type: "object",
  properties: { name: { type: "string", title: "Your name", maxLength: 80 } },
  required: ["name"],
};
const DECIDE = {
  id: "decide",
  type: "approval",
  title: "Take it?",
  approval: { title: "Take the request?", show: { name: { $ref: "$inputs.name" } } },
};

let owner: Member;
let viewer: Member;
const web = startWeb(async () => {
  owner = await makeOwner(web.service);
  viewer = await addMember(web.service, owner, "viewer");
});

describe("triggers in the web app", () => {
  it("lets a person build a form page, a stranger fill it in on a phone, and shows the decision there", async () => {
    const workflowId = await publish(web.service, INTAKE, [DECIDE]);
    const { page, faults, close } = await web.open();
    await signIn(page, `/workflows/${workflowId}?tab=triggers`, owner.email);
    await page.getByRole("button", { name: "New trigger" }).click();
    await page.getByRole("radio", { name: "Form page" }).click();
    const dialog = page.getByRole("dialog", { name: "New trigger" });
    await dialog.getByRole("textbox", { name: /^Address/ }).fill("intake");
    await dialog.getByRole("textbox", { name: /^Title/ }).fill("Ask us");
    const broken = [...(await violations(page, "new form page"))];
    await dialog.getByRole("button", { name: "Create trigger" }).click();
    await page.getByRole("heading", { level: 1, name: "Form page /f/intake" }).waitFor();
    await page
      .frameLocator("iframe[title='Preview of the form page']")
      .getByRole("heading", { name: "Ask us" })
      .waitFor();
    broken.push(...(await violations(page, "trigger of a form page")));

    const stranger = await web.open(PHONE);
    await stranger.page.goto("/f/intake");
    broken.push(...(await violations(stranger.page, "form page")));
    await stranger.page.getByRole("textbox", { name: /^Your name/ }).fill(HOSTILE);
    await stranger.page.getByRole("button", { name: "Send" }).click();
    await stranger.page.getByRole("link", { name: "See how it goes" }).click();
    await stranger.page.getByText("It waits, for example for an approval.").waitFor();
    broken.push(...(await violations(stranger.page, "confirmation")));

    await page.goto("/approvals");
    await page
      .getByRole("link", { name: /Take the request/ })
      .first()
      .click();
    await page.getByText(HOSTILE).first().waitFor();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText("Approved. The run goes on.").waitFor();
    // The page looks again by itself.
    await stranger.page.getByRole("status").getByText("It is done.").waitFor();
    broken.push(...(await violations(stranger.page, "result")));
    await stranger.close();
    await close();
    assert.deepEqual([...broken, ...faults, ...stranger.faults], []);
  });

  it("takes a stranger through a long form step by step, and lets them go on later", async () => {
    const names = Array.from({ length: 9 }, (_, index) => `field_${index}`);
    const workflowId = await publish(web.service, {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
      required: ["field_0", "field_8"],
    });
    const title = `A long form of ${"Donaudampfschifffahrt".repeat(3)}`;
    await create(web.service, { workflowId, kind: "form", slug: "long", title });
    const { page, faults, close } = await web.open(PHONE);
    await page.goto("/f/long");
    const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
    assert.ok(width <= PHONE.width, `${width} px wide`);
    await page.getByRole("button", { name: "Next" }).click();
    assert.equal(await page.getByRole("textbox", { name: /^Field 0/ }).isVisible(), true, "it is required");
    await page.getByRole("textbox", { name: /^Field 0/ }).fill("first");
    await page.getByRole("button", { name: "Next" }).click();
    await page.locator("legend:focus", { hasText: "Step 2 of 2" }).waitFor();
    const broken = [...(await violations(page, "step 2"))];
    await page.getByRole("button", { name: "Save and go on later" }).click();
    await page.getByRole("link", { name: /saved=/ }).click();
    assert.equal(await page.getByRole("textbox", { name: /^Field 0/ }).inputValue(), "first");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("textbox", { name: /^Field 8/ }).fill("last");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Thank you. It was received.").waitFor();
    await close();
    assert.deepEqual([...broken, ...faults], []);
  });

  it("draws alternatives, lists and conditions for a stranger on a phone, in the light and in the dark", async () => {
    const text = { type: "string" };
    const way = (type: string, asks: string): object => ({
      title: type,
      type: "object",
      properties: { type: { const: type }, [asks]: text },
      required: ["type", asks],
    });
    const workflowId = await publish(web.service, {
      type: "object",
      properties: {
        urgent: { type: "boolean" },
        pay: { title: "Payment", oneOf: [way("card", "number"), way("invoice", "vat")] },
        lines: { type: "array", items: { type: "object", properties: { sku: text }, required: ["sku"] } },
      },
      required: ["lines"],
    });
    const { trigger } = await create(web.service, {
      workflowId,
      kind: "form",
      slug: "order",
      title: "Order",
    });
    const { page, faults, close } = await web.open(PHONE);
    await page.goto("/f/order");
    const broken = [...(await violations(page, "form page with parts"))];
    await page.getByRole("textbox", { name: "SKU (required)" }).fill(HOSTILE);
    await page.getByRole("combobox", { name: "Payment" }).selectOption("1");
    await page.getByRole("textbox", { name: /VAT/ }).fill("DE1");
    await page.getByRole("button", { name: /^Add to Lines/ }).click();
    const skus = page.getByRole("textbox", { name: "SKU (required)" });
    await skus.nth(1).fill("second");
    assert.equal(await skus.first().inputValue(), HOSTILE, "what was typed stays");
    await page.emulateMedia({ colorScheme: "dark" });
    broken.push(...(await violations(page, "form page in the dark")));
    assert.ok(
      await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
      "nothing is cut off",
    );
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Thank you. It was received.").waitFor();
    const runId = (await history(web.service, trigger.id))[0]?.runId;
    const run = await web.service.app.services.store.read.runs.get(runId ?? "");
    assert.deepEqual(run?.inputs["lines"], [{ sku: HOSTILE }, { sku: "second" }]);
    assert.deepEqual(run?.inputs["pay"], { type: "invoice", vat: "DE1" });
    await close();
    assert.deepEqual([...broken, ...faults], []);
  });

  it("shows the next dates while a schedule is edited, pauses it with a note, and refuses in words", async () => {
    const workflowId = await publish(web.service);
    const { page, faults, close } = await web.open();
    await signIn(page, "/triggers", owner.email);
    await page.getByRole("button", { name: "New trigger" }).click();
    const dialog = page.getByRole("dialog", { name: "New trigger" });
    await dialog.getByLabel("Workflow").selectOption(workflowId);
    const dates = dialog.getByRole("region", { name: "Next dates" }).getByRole("listitem");
    await dates.nth(9).waitFor();
    const daily = await dates.first().innerText();
    // Neither the value that tells the choices apart nor a pattern is for people.
    assert.doesNotMatch(await dialog.innerText(), /matches|\bdaily\b/);
    await dialog.getByRole("textbox", { name: /^Time/ }).first().fill("23:45");
    await dialog
      .getByText(/11:45|23:45/)
      .first()
      .waitFor();
    assert.notEqual(await dates.first().innerText(), daily);
    const broken = [...(await violations(page, "new schedule"))];
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Daily report");
    await dialog.getByRole("button", { name: "Create trigger" }).click();
    await page.getByRole("heading", { level: 1, name: "Daily report" }).waitFor();
    await page.getByRole("button", { name: "More for Daily report" }).click();
    await page.getByRole("menuitem", { name: "Pause" }).click();
    await page.getByLabel("Note").fill("Month-end closing");
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByText("Month-end closing").waitFor();
    await page.getByRole("button", { name: "More for Daily report" }).click();
    await page.getByRole("menuitem", { name: "Resume" }).click();
    await page.getByRole("heading", { name: "Next dates" }).waitFor();
    await page.goto("/triggers?view=calendar");
    await page
      .getByRole("link", { name: /Daily report/ })
      .first()
      .waitFor();
    await close();
    const reader = await web.open();
    await signIn(reader.page, "/triggers", viewer.email);
    await reader.page.getByRole("heading", { level: 1, name: "Triggers" }).waitFor();
    assert.equal(await reader.page.getByRole("button", { name: "New trigger" }).isDisabled(), true);
    await reader.close();
    assert.deepEqual([...broken, ...faults], []);
  });

  it("starts a workflow when a run of another one fails, chosen without a typed name", async () => {
    const watched = await publish(web.service);
    const workflowId = await publish(web.service);
    const { page, faults, close } = await web.open();
    await signIn(page, `/workflows/${workflowId}?tab=triggers`, owner.email);
    await page.getByRole("button", { name: "New trigger" }).click();
    await page.getByRole("radio", { name: "Event" }).click();
    const dialog = page.getByRole("dialog");
    const field = (pointer: string) => dialog.locator(`[data-pointer="${pointer}"]`).getByRole("combobox");
    // The newest is first, and this one is the second.
    await field("/what/workflow").selectOption({ index: 2 });
    const broken = [...(await violations(page, "new event trigger"))];
    await dialog.getByRole("button", { name: "Create trigger" }).click();
    await page.getByText(`event.data.workflowId == "${watched}"`).waitFor();
    const stored = async () =>
      (await owner.visitor.client.call("list_triggers", { workflowId })).triggers.map(({ type, filter }) => [
        type,
        filter,
      ]);
    assert.deepEqual(await stored(), [["svc.run.failed", `event.data.workflowId == "${watched}"`]]);
    await page.getByRole("button", { name: "More for Event: run failed" }).click();
    await page.getByRole("menuitem", { name: "Change" }).click();
    assert.notEqual(await field("/what/workflow").inputValue(), "", "what was chosen is shown");
    await field("/what").first().selectOption({ label: "An artifact is saved" });
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Event: artifact saved" }).waitFor();
    assert.deepEqual(await stored(), [["svc.artifact.saved", undefined]]);
    await close();
    assert.deepEqual([...broken, ...faults], []);
  });

  it("gives the secret of a webhook once, tries it with a form, and replays what was received", async () => {
    const workflowId = await publish(web.service, {
      type: "object",
      properties: { order: { type: "string" } },
      required: ["order"],
    });
    const { trigger } = await create(web.service, { workflowId, kind: "webhook", name: "Orders" });
    const { page, faults, close } = await web.open();
    await signIn(page, `/triggers/${trigger.id}`, owner.email);
    await page.getByText(/curl -X POST/).waitFor();
    await page.getByRole("textbox", { name: /^Order/ }).fill("A-17");
    await page.getByRole("button", { name: "Start a run with it" }).click();
    await page.waitForURL("**/runs/run_*");
    await page.goBack();
    await page.getByText("Payload", { exact: true }).click();
    await page.getByText("A-17").first().waitFor();
    await page.getByRole("button", { name: /^Replay/ }).click();
    await page.getByText("A new run was started with this payload").waitFor();
    await page.getByRole("button", { name: "Require this schema" }).click();
    await page.getByText("The payload has to fit the schema that was given.", { exact: false }).waitFor();
    const broken = await violations(page, "webhook");
    // One that came with an import or a template has a secret that nobody has seen.
    await page.getByRole("button", { name: "New secret" }).click();
    await page.getByRole("dialog", { name: "The secret of the webhook" }).waitFor();
    await page.getByRole("button", { name: "Go on" }).click();
    await page.goto(`/workflows/${workflowId}?tab=triggers`);
    await page.getByRole("button", { name: "New trigger" }).click();
    await page.getByRole("radio", { name: "Webhook" }).click();
    await page.getByRole("button", { name: "Create trigger" }).click();
    await page.getByRole("dialog", { name: "The secret of the webhook" }).waitFor();
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByRole("heading", { level: 1, name: "Webhook, a secret token" }).waitFor();
    await close();
    assert.deepEqual([...broken, ...faults], []);
  });
});
