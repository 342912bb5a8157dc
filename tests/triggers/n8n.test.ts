import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { OutputOf } from "../../packages/client/client.ts";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { startService, type TestService } from "../support/service.ts";
import { everyField } from "./n8n-form.ts";
import { templates, type Template } from "./n8n-templates.ts";
import { ask, create, history } from "./support.ts";

describe("n8n workflows with their triggers", () => {
  let service: TestService;
  let api: ApiServer;
  before(async () => {
    service = await startService();
    api = await startApiServer({
      "GET /weather": json({ summary: "Sunny" }),
      "POST /chat": json({ ok: true }),
      "POST /orders": json({ id: "order-1" }, 201),
    });
  });
  after(async () => {
    await service?.close();
    await api?.close();
  });

  /** Starts a run as the trigger's own way is. */
  async function started(made: OutputOf<"create_trigger">, { sent = {} }: Template): Promise<string> {
    const { trigger, secret } = made;
    if (trigger.kind === "schedule") {
      const { data } = await ask(service, "POST", `/api/svc/triggers/${trigger.id}/fire`, {});
      assert.ok(data.firing.runId !== null, JSON.stringify(data));
      return data.firing.runId;
    }
    const path = new URL(trigger.address ?? "").pathname;
    const answer = await service.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(secret && { authorization: `Bearer ${secret}` }) },
      body: JSON.stringify("Amount" in sent ? { ...sent, Amount: Number(sent["Amount"]) } : sent),
    });
    const text = await answer.text();
    assert.ok(answer.ok, text);
    const envelope: { readonly data: { readonly runId: string } } = JSON.parse(text);
    return envelope.data.runId;
  }

  /** Adds the connections of an import that are new, and stores its workflow. */
  async function stored(
    document: object,
    connections: OutputOf<"import_workflow">["connections"],
  ): Promise<string> {
    for (const { state, kind, name, title, url, document: description } of connections) {
      if (state !== "new") continue;
      const wanted = { kind, name, title, url, document: description, allowPrivateOrigin: true };
      const added = await rest(service, "POST", "", wanted);
      assert.equal(added.status, 201, JSON.stringify(added.body));
    }
    const saved = await ask(service, "POST", "/api/svc/workflows/import", { document, save: true });
    assert.ok(saved.data.workflow !== undefined, JSON.stringify(saved.data));
    return saved.data.workflow.id;
  }

  it("are imported with the trigger that they start with, and run", async () => {
    for (const template of templates(api.url)) {
      const report = await ask(service, "POST", "/api/svc/workflows/import", { document: template.document });
      const [proposed, ...others] = report.data.triggers;
      assert.deepEqual(others, [], template.name);
      assert.deepEqual({ ...proposed, ...template.trigger }, proposed, template.name);
      const workflowId = await stored(template.document, report.data.connections);
      const made = await create(service, { workflowId, paused: true, ...proposed });
      assert.equal(made.trigger.paused, true);
      const path = `/api/svc/triggers/${made.trigger.id}`;
      assert.equal((await ask(service, "PATCH", path, { paused: false })).status, 200);
      api.seen.length = 0;
      const run = await service.app.services.engine.waitFor(await started(made, template), 120_000);
      assert.equal(run.state, "succeeded", `${template.name}: ${JSON.stringify(run.error)}`);
      for (const [request, body] of template.received) {
        const found = api.seen.find(({ method, url }) => `${method} ${url}` === request);
        assert.ok(found, `${template.name}: ${request} was not sent`);
        assert.match(found.body.toString("utf8"), body, template.name);
      }
      await ask(service, "DELETE", path);
      for (const { name } of report.data.connections) await rest(service, "DELETE", `/${name}`);
    }
  });

  it("brings every kind of field of a form, and names what a page has not", async () => {
    const document = everyField(api.url);
    const { data } = await ask(service, "POST", "/api/svc/workflows/import", { document });
    const named = data.losses.map(({ what }: { readonly what: string }) => what).join("\n");
    for (const lost of [
      ".txt",
      "a file in the data",
      "referrer",
      "Thank you",
      "buttonLabel",
      "ignoreBots",
      "markup",
    ])
      assert.ok(named.includes(lost), `${lost} is not named:\n${named}`);
    const [proposed] = data.triggers;
    assert.deepEqual(proposed, {
      ...proposed,
      title: "Every field",
      text: "All of them.\nReally.",
      thanks: "Got it.",
      inputs: { campaign: "spring", referrer: "" },
    });
    const workflowId = await stored(document, data.connections);
    const { trigger } = await create(service, { workflowId, ...proposed });
    const page = await (await service.fetch(`/f/${trigger.slug}`)).text();
    for (const control of [
      /Имя \(required\)<\/label><input type="text"[^>]* placeholder="Mia"/,
      /Год<\/label><input type="number"/,
      /Your mail \(required\)<\/label><input type="email"/,
      /Day<\/label><input type="date"/,
      /Story<\/label><textarea/,
      /Word<\/label><input type="password"/,
      /Size<\/label><select/,
      /type="checkbox"[^>]* value="blue"/,
      /Speed<\/label><select/,
      /Letter \(required\)<\/label><input type="file"/,
      /Unused<\/label>/,
    ])
      assert.match(page, control);
    assert.doesNotMatch(page, /spring|referrer/, "hidden fields are not on the page");
    const body = new FormData();
    for (const [name, value] of [
      ["___", "Mia"],
      ["Your_mail", "mia@example.com"],
      ["Second_mail", ""],
      ["____2", ""],
      ["Day", ""],
      ["Size", ""],
    ] as const)
      body.append(name, value);
    for (const colour of ["red", "green"]) body.append("Colours", colour);
    body.append("Letter", new Blob(["Dear you"], { type: "text/plain" }), "letter.txt");
    api.seen.length = 0;
    const answer = await service.fetch(`/f/${trigger.slug}`, { method: "POST", body });
    assert.match(await answer.text(), /Got it\./);
    const [firing] = await history(service, trigger.id);
    const run = await service.app.services.engine.waitFor(firing?.runId ?? "", 120_000);
    assert.equal(run.state, "succeeded", JSON.stringify(run.error));
    const sent = JSON.parse(api.seen.find(({ url }) => url === "/orders")?.body.toString("utf8") ?? "{}");
    assert.match(sent.letter, /^artifact_/);
    // What was left empty is what n8n gives then.
    assert.deepEqual(sent, {
      name: "Mia",
      year: 0,
      mail: "mia@example.com",
      second: "",
      day: "",
      size: "",
      text: " in red,green, ",
      colours: ["red", "green"],
      letter: sent.letter,
      campaign: "spring",
    });
  });

  it("brings several rules of a schedule and the settings of a webhook, or names them", async () => {
    const node = (name: string, type: string, parameters: object): object => ({
      name,
      type: `n8n-nodes-base.${type}`,
      typeVersion: 1.2,
      position: [0, 0],
      parameters,
    });
    const interval = [
      { field: "cronExpression", expression: "=0 30 7 * * 1-5" },
      { field: "weeks", triggerAtDay: [] },
      { field: "weeks", weeksInterval: 2, triggerAtDay: [5], triggerAtHour: 17 },
      { field: "hours", hoursInterval: 6, triggerAtMinute: 10 },
      { field: "days", triggerAtHour: "={{ $vars.hour }}" },
    ];
    const hook = {
      multipleMethods: true,
      httpMethod: ["GET", "POST"],
      path: "orders/:shop",
      authentication: "headerAuth",
      responseMode: "lastNode",
      responseData: "allEntries",
      options: { ipWhitelist: "10.0.0.1", rawBody: true },
    };
    const document = {
      name: "Several",
      nodes: [
        node("Clock", "scheduleTrigger", { rule: { interval } }),
        node("Hook", "webhook", hook),
        node("Note", "noOp", {}),
      ],
      connections: {},
      settings: { timezone: "Europe/Berlin" },
    };
    const { data } = await ask(service, "POST", "/api/svc/workflows/import", { document });
    const timeZone = "Europe/Berlin";
    assert.deepEqual(
      data.triggers.map((trigger: object) => ({ ...trigger, name: undefined })),
      [
        { kind: "schedule", cron: "0 30 7 * * 1-5", timeZone },
        { kind: "schedule", cron: "0 0 * * *", timeZone },
        { kind: "schedule", cron: "0 17 * * 5", timeZone },
        { kind: "schedule", cron: "10 */6 * * *", timeZone },
        { kind: "webhook", verifier: "token", waitSeconds: 30 },
      ].map((trigger) => ({ ...trigger, name: undefined })),
    );
    const named = data.losses.map(({ what }: { readonly what: string }) => what).join("\n");
    for (const lost of [
      "every 2 weeks",
      "computed",
      "GET, POST",
      "orders/:shop",
      "headerAuth",
      "allEntries",
      "ipWhitelist",
    ])
      assert.ok(named.includes(lost), `${lost} is not named:\n${named}`);
  });
});
