import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { addMember, makeOwner } from "../people/support.ts";
import { isJsonObject } from "../../src/kernel/json.ts";
import { at, objectsAt, textAt } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { ask, create, history, publish, until } from "./support.ts";

const INPUTS = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name", maxLength: 50 },
    count: { type: "integer", minimum: 1 },
    kind: { enum: ["bug", "idea"] },
    urgent: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    team: { type: "string" },
    "due by/on": { type: "string", maxLength: 3, title: "Due", description: "When it is due." },
  },
  required: ["name", "count"],
};
const ARTIFACT = { type: "string", format: "artifact" };
/** One way to pay. */
function payment(type: string, asks: string): object {
  const properties = { type: { const: type }, [asks]: { type: "string" } };
  return { title: type, type: "object", properties, required: ["type", asks] };
}
const HOSTILE = `"><script>alert(1)</script>`;

describe("form pages", () => {
  let service: TestService;
  let ahead = 0;
  before(async () => {
    service = await startService({ clock: { now: () => Date.now() + ahead } });
  });
  after(() => service?.close());

  const send = (slug: string, values: Record<string, string>): Promise<Response> =>
    service.fetch(`/f/${slug}`, { method: "POST", body: new URLSearchParams(values) });

  it("shows the inputs as a page, and starts a run with what was sent", async () => {
    const workflowId = await publish(service, INPUTS);
    const { trigger } = await create(service, {
      workflowId,
      kind: "form",
      slug: "report-it",
      title: `Report ${HOSTILE}`,
      text: "Tell us.",
      thanks: "Noted.",
      inputs: { team: "ops" },
      embedOrigins: ["https://www.example.com"],
    });
    assert.match(trigger.address ?? "", /\/f\/report-it$/);
    const page = await service.fetch("/f/report-it");
    assert.equal(page.status, 200);
    assert.match(
      page.headers.get("content-security-policy") ?? "",
      /frame-ancestors 'self' https:\/\/www\.example\.com$/,
    );
    const html = await page.text();
    assert.match(html, /Your name \(required\)/);
    assert.match(html, /<option value="bug">/);
    assert.doesNotMatch(html, /name="team"/, "what the trigger sets is not asked for");
    assert.ok(!html.includes("<script>alert"));
    const [, described = ""] = /name="due by\/on" aria-describedby="([^"]*)"/.exec(html) ?? [];
    assert.ok(html.includes(`<small id="${described}">When it is due.`));
    assert.doesNotMatch(described, /\s/, "it is one id");
    const late = await (await send("report-it", { name: "a", count: "1", "due by/on": "long" })).text();
    assert.match(late, /<li><a href="#f-due%20by%2Fon">Due: /);
    assert.match(late, /name="due by\/on"[^>]* aria-invalid="true"/);
    const wrong = await send("report-it", { name: HOSTILE, count: "0" });
    assert.equal(wrong.status, 400);
    const shown = await wrong.text();
    assert.match(shown, /role="alert"/);
    assert.ok(!shown.includes("<script>alert") && shown.includes("&#60;script&#62;"));
    const values = { name: HOSTILE, count: "2", kind: "bug", urgent: "on", tags: "a\r\nb", _sending: "once" };
    const sent = await send("report-it", values);
    assert.equal(sent.status, 200);
    const thanks = await sent.text();
    assert.match(thanks, /Noted\./);
    await send("report-it", values);
    const started = (await history(service, trigger.id)).filter(({ state }) => state === "started");
    assert.equal(started.length, 1, "pressing the button twice starts one run");
    const { data } = await ask(service, "GET", `/api/svc/runs/${started[0]?.runId}`);
    assert.deepEqual(data.run.inputs, {
      name: HOSTILE,
      count: 2,
      kind: "bug",
      urgent: true,
      tags: ["a", "b"],
      team: "ops",
    });
    const receipt = /href="([^"]+receipt=[^"]+)"/.exec(thanks)?.[1]?.replaceAll("&#38;", "&") ?? "";
    await until(
      async () => (await service.fetch(receipt)).text(),
      (text) => text.includes("It is done."),
    );
    const program = await service.fetch("/f/report-it", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Api", count: 1 }),
    });
    assert.equal(program.status, 202);
    const envelope: { readonly data: { readonly runId: string } } = JSON.parse(await program.text());
    assert.match(envelope.data.runId, /^run_/);
    const taken = await ask(service, "POST", "/api/svc/triggers", {
      workflowId,
      kind: "form",
      slug: "report-it",
    });
    assert.equal(taken.status, 409);
  });

  it("draws objects, lists, alternatives and conditions as fields, without a script", async () => {
    const inputs = {
      type: "object",
      properties: {
        kind: { enum: ["bug", "idea"] },
        address: {
          type: "object",
          properties: { street: { type: "string" }, zip: { type: "string", minLength: 4 } },
          required: ["street"],
        },
        lines: {
          type: "array",
          minItems: 1,
          items: {
            type: "object",
            properties: { sku: { type: "string" }, photo: ARTIFACT },
            required: ["sku"],
          },
        },
        pay: { oneOf: [payment("card", "number"), payment("invoice", "vat")] },
        colours: { type: "array", uniqueItems: true, items: { enum: ["red", "green"] } },
        marks: { type: "object", additionalProperties: { type: "number" } },
        website: { type: "string" },
      },
      required: ["lines"],
      if: { properties: { kind: { const: "bug" } }, required: ["kind"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: { steps: { type: "string", title: "Steps" } }, required: ["steps"] },
    };
    const workflowId = await publish(service, inputs);
    const settings = { workflowId, kind: "form", slug: "nested", perMinute: 60 };
    const { trigger } = await create(service, settings);
    const html = await (await service.fetch("/f/nested")).text();
    assert.doesNotMatch(html, /As JSON/);
    for (const name of [
      "address[street]",
      "lines[0][sku]",
      "lines[0][photo]",
      "pay[?]",
      "colours",
      "website",
    ])
      assert.ok(html.includes(`name="${name}"`), name);
    assert.doesNotMatch(html, /name="steps"|name="pay\[vat\]"|name="address\[street\]"[^>]* required/);
    const typed = { kind: "bug", "lines[]": "0", "lines[0][sku]": HOSTILE, "pay[?]": "1" };
    const drawn = await (await send("nested", { ...typed, _add: "lines" })).text();
    assert.match(drawn, /name="steps"/, "the condition holds now");
    assert.match(drawn, /name="pay\[vat\]"/, "the alternative that was chosen");
    assert.match(drawn, /name="lines\[1\]\[sku\]"/, "the row that was added");
    assert.ok(!drawn.includes("<script>alert") && drawn.includes("&#60;script&#62;"));
    const shorter = await (await send("nested", { ...typed, _remove: "lines[0]" })).text();
    assert.doesNotMatch(shorter, /name="lines\[0\]/);
    assert.deepEqual(await history(service, trigger.id), [], "nothing was sent");
    const wrong = await send("nested", { ...typed, "address[zip]": "1" });
    assert.equal(wrong.status, 400);
    const text = await wrong.text();
    assert.match(text, /<a href="#f-address%5Bstreet%5D">Address › Street: /);
    assert.match(text, /<a href="#f-steps">Steps: /);
    assert.match(text, /id="f-address%5Bstreet%5D"[^>]* aria-invalid="true"/);
    const body = new FormData();
    const sent = {
      ...typed,
      steps: "do",
      "pay[vat]": "DE",
      "address[street]": "S",
      website: "https://x.test",
    };
    const more = { "marks[]": "0", "marks[0][key]": "size", "marks[0][value]": "4", "lines[1][sku]": "" };
    for (const [name, value] of Object.entries({ ...sent, ...more })) body.append(name, value);
    for (const colour of ["red", "green"]) body.append("colours", colour);
    body.append("lines[]", "1");
    body.append("lines[0][photo]", new File([new Uint8Array(3)], "a.png", { type: "image/png" }));
    const answer = await service.fetch("/f/nested", { method: "POST", body });
    assert.equal(answer.status, 200, await answer.text());
    const runId = (await history(service, trigger.id))[0]?.runId;
    const { data } = await ask(service, "GET", `/api/svc/runs/${runId}`);
    assert.ok(isJsonObject(data.run.inputs));
    const { lines, ...others } = data.run.inputs;
    assert.deepEqual(others, {
      kind: "bug",
      steps: "do",
      address: { street: "S" },
      pay: { type: "invoice", vat: "DE" },
      colours: ["red", "green"],
      marks: { size: 4 },
      website: "https://x.test",
    });
    const [line, ...noMore] = objectsAt(lines);
    assert.deepEqual(noMore, []);
    assert.equal(line?.["sku"], HOSTILE);
    const photo = textAt(line, "photo");
    assert.match(photo, /^artifact_/);
    const named = { lines: [{ sku: "x", photo }] };
    const asJson = await service.fetch("/f/nested", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(named),
    });
    assert.equal(asJson.status, 400, "an id is no file, however deep");
    assert.match(await asJson.text(), /multipart/);
    const many = new URLSearchParams();
    for (let row = 0; row < 3_000; row++) many.append(`lines[${row % 90}][x${row}][]`, String(row));
    for (let row = 0; row < 100; row++) many.append("lines[]", String(row));
    const flood = await service.fetch("/f/nested", { method: "POST", body: many });
    assert.equal(flood.status, 400);
  });

  it("takes long forms in steps, keeps them for later, and shows the outputs to who sent it", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `field_${index}`);
    const inputs = {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
      "x-ui": { sections: [{ title: `You ${HOSTILE}`, fields: names.slice(0, 2) }] },
    };
    const outputs = { answer: { $ref: "$inputs.field_0" }, more: 7 };
    const workflowId = await publish(service, inputs, undefined, { outputs });
    const logo = "data:image/png;base64,iVBORw0KGgo=";
    const made = { workflowId, kind: "form", slug: "long-one", showOutputs: true, logo, perMinute: 60 };
    const { trigger } = await create(service, made);
    const page = await service.fetch("/f/long-one");
    assert.match(page.headers.get("content-security-policy") ?? "", /img-src data:; frame-ancestors 'self'$/);
    const html = await page.text();
    assert.deepEqual(
      [...html.matchAll(/<legend[^>]*>([^<]*)/g)].map(([, text]) => text),
      ["You &#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62; (step 1 of 2)", "Step 2 of 2"],
    );
    assert.ok(html.includes(`<img class="logo" src="${logo}" alt="">`));
    const kept = await (await send("long-one", { field_0: HOSTILE, _save: "1" })).text();
    const link = /href="([^"]+saved=[^"]+)"/.exec(kept)?.[1] ?? "";
    assert.deepEqual(await history(service, trigger.id), [], "nothing is sent");
    const again = await (await service.fetch(link)).text();
    assert.match(again, /name="field_0"[^>]* value="&#34;&#62;&#60;script/);
    assert.equal((await service.fetch("/f/report-it?saved=" + link.split("=")[1])).status, 404);
    const _saved = /name="_saved" value="([^"]+)"/.exec(again)?.[1] ?? "";
    const thanks = await (await send("long-one", { field_0: HOSTILE, _saved })).text();
    assert.equal((await service.fetch(link)).status, 404, "what was sent is kept no longer");
    const receipt = /href="([^"]+receipt=[^"]+)"/.exec(thanks)?.[1]?.replaceAll("&#38;", "&") ?? "";
    const shown = await until(
      async () => (await service.fetch(receipt)).text(),
      (text) => text.includes("It is done."),
    );
    assert.match(shown, /<dt>Answer<\/dt><dd>&#34;&#62;&#60;script[^<]*<\/dd><dt>More<\/dt><dd>7<\/dd>/);
    const late = /href="([^"]+saved=[^"]+)"/.exec(
      await (await send("long-one", { field_0: "x", _save: "1" })).text(),
    )?.[1];
    ahead += 15 * 86_400_000;
    assert.equal((await service.fetch(late ?? "")).status, 404, "after 14 days");
    ahead = 0;
    const other = await create(service, { ...made, slug: "no-logo", logo: undefined });
    const wrong = { logo: "data:text/html;base64,AAAA" };
    assert.equal((await ask(service, "PATCH", `/api/svc/triggers/${other.trigger.id}`, wrong)).status, 400);
    const artifact = { title: "Logo", type: "image", content: { dataUrl: logo } };
    const saved = await service.call("save_artifact", { artifact }, { key: true });
    const { data } = await ask(service, "PATCH", `/api/svc/triggers/${other.trigger.id}`, {
      logo: saved.envelope.data.artifact.id,
    });
    assert.equal(data.trigger.logo, logo, "the picture of the artifact is copied");
  });

  it("saves files as artifacts, and takes no id in place of a file", async () => {
    const inputs = {
      type: "object",
      properties: { photo: { type: "string", format: "artifact" }, note: { type: "string", maxLength: 5 } },
      required: ["photo"],
    };
    const workflowId = await publish(service, inputs);
    const { trigger } = await create(service, { workflowId, kind: "form", slug: "files", perMinute: 60 });
    const upload = (bytes: number, note: string): Promise<Response> => {
      const body = new FormData();
      body.set("photo", new File([new Uint8Array(bytes)], `${HOSTILE}.png`, { type: "image/png" }));
      body.set("note", note);
      return service.fetch("/f/files", { method: "POST", body });
    };
    const count = async () =>
      (await service.app.services.store.read.artifacts.list({ limit: 500 })).items.length;
    const before = await count();
    assert.equal((await upload(10, "too long")).status, 400);
    assert.equal((await upload(700_001, "ok")).status, 400);
    assert.equal((await upload(1_000_001, "ok")).status, 413);
    assert.equal(await count(), before, "nothing is saved of what is refused");
    assert.equal((await send("files", { photo: "artifact_01" })).status, 400);
    const asJson = await service.fetch("/f/files", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ photo: "artifact_01" }),
    });
    assert.equal(asJson.status, 400);
    const broken = await service.fetch("/f/files", {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=x" },
      body: "--y",
    });
    assert.equal(broken.status, 400);
    assert.equal((await upload(10, "ok")).status, 200);
    const started = (await history(service, trigger.id)).find(({ state }) => state === "started");
    const { data } = await ask(service, "GET", `/api/svc/runs/${started?.runId}`);
    const found = await service.call("get_artifact", { id: at(data.run.inputs, "photo") }, { key: true });
    const { artifact } = found.envelope.data;
    assert.equal(
      at(artifact, "content", "dataUrl"),
      `data:image/png;base64,${Buffer.alloc(10).toString("base64")}`,
    );
    assert.equal(artifact.privacy, "confidential");
  });

  it("holds off programs, floods, latecomers and strangers", async () => {
    const workflowId = await publish(service, INPUTS);
    const closesAt = new Date(Date.now() + 3_600_000).toISOString();
    const { trigger } = await create(service, {
      workflowId,
      kind: "form",
      slug: "open-one",
      perMinute: 3,
      closesAt,
    });
    assert.equal((await send("open-one", { name: "a", count: "1", website: "x" })).status, 200);
    assert.deepEqual(await history(service, trigger.id), []);
    assert.equal((await send("open-one", { name: "a", count: "1" })).status, 200);
    assert.equal((await send("open-one", { name: "b", count: "1" })).status, 200);
    assert.equal((await send("open-one", { name: "c", count: "1" })).status, 429);
    ahead = 2 * 3_600_000;
    assert.equal((await service.fetch("/f/open-one")).status, 410);
    assert.equal((await send("open-one", { name: "c", count: "1" })).status, 410);
    assert.equal((await service.fetch("/f/nothing-here")).status, 404);
    const inside = { workflowId, kind: "form", slug: "inside", access: "signed-in" };
    await create(service, inside);
    assert.equal((await service.fetch("/f/inside")).status, 401);
    assert.equal((await send("inside", { name: "a", count: "1" })).status, 401);
    const owner = await makeOwner(service);
    const { visitor } = await addMember(service, owner, "viewer");
    const page = await service.fetch("/f/inside", { headers: visitor.headers });
    assert.equal(page.status, 200);
    const sent = await service.fetch("/f/inside", {
      method: "POST",
      headers: { ...visitor.headers, "content-type": "application/x-www-form-urlencoded" },
      body: "name=a&count=1",
    });
    assert.equal(sent.status, 200, await sent.text());
  });
});

describe("event triggers", () => {
  let service: TestService;
  before(async () => {
    service = await startService({ triggers: { pollMs: 50 } });
  });
  after(() => service?.close());
  const failing = [{ id: "broken", type: "transform", value: { $expr: "inputs.missing.member" } }];

  it("starts the error workflow of a run that failed, once, and no other", async () => {
    const watched = await publish(service, undefined, failing);
    const other = await publish(service, undefined, failing);
    const handler = await publish(service, { type: "object", properties: { event: { type: "object" } } });
    const filter = `event.data.workflowId == "${watched}"`;
    const { trigger } = await create(service, {
      workflowId: handler,
      kind: "event",
      type: "svc.run.failed",
      filter,
    });
    for (const id of [watched, other]) await service.call("run_workflow", { id }, { key: true });
    const [firing] = await until(
      () => history(service, trigger.id),
      ({ length }) => length > 0,
    );
    await sleep(300);
    assert.equal((await history(service, trigger.id)).length, 1);
    assert.equal(firing?.state, "started", JSON.stringify(firing));
    const { data } = await ask(service, "GET", `/api/svc/runs/${firing?.runId}`);
    assert.equal(at(data.run.inputs, "event", "data", "workflowId"), watched);
    await ask(service, "DELETE", `/api/svc/triggers/${trigger.id}`);
  });

  it("ends a loop between workflows", async () => {
    const one = await publish(service);
    const two = await publish(service);
    const ids: string[] = [];
    for (const [workflowId, watched] of [
      [one, two],
      [two, one],
    ]) {
      const filter = `event.data.workflowId == "${watched}"`;
      ids.push(
        (await create(service, { workflowId, kind: "event", type: "svc.run.succeeded", filter })).trigger.id,
      );
    }
    await service.call("run_workflow", { id: one }, { key: true });
    const all = async () => (await Promise.all(ids.map((id) => history(service, id)))).flat();
    const ended = await until(all, (found) => found.some(({ state }) => state === "skipped"));
    assert.equal(ended.filter(({ state }) => state === "started").length, 5);
    assert.match(ended.find(({ state }) => state === "skipped")?.reason ?? "", /started each other/);
  });

  const save = { id: "save", type: "tool", tool: "save_artifact", with: { artifact: { title: "Made" } } };
  const artifact = { title: "By hand", type: "note", content: {} };

  /** Everything that happened has been looked at, and what it started has ended. */
  const settled = (triggerIds: readonly string[]): Promise<unknown> =>
    until(
      async () => {
        const { read } = service.app.services.store;
        const firings = (await Promise.all(triggerIds.map((id) => history(service, id)))).flat();
        const runs = await Promise.all(firings.map(({ runId }) => read.runs.get(runId ?? "")));
        const { last } = await read.events.bounds();
        const isOver = runs.every((run) => run === null || run.finishedAt !== null);
        return isOver && (await read.triggers.cursor()) === last;
      },
      (isSettled) => isSettled,
    );

  it("is not started by what its own runs do: artifacts, forms, workflows, dry runs", async (t) => {
    const dry = await publish(service);
    const nodes = [
      save,
      {
        id: "form",
        type: "tool",
        tool: "render_json_schema_form",
        with: { schema: { type: "object", properties: { looped: { type: "string" } } } },
      },
      { id: "write", type: "tool", tool: "create_workflow", with: { name: "Written", nodes: [], edges: [] } },
      { id: "try", type: "tool", tool: "dry_run_workflow", with: { id: dry } },
    ];
    const workflowId = await publish(service, undefined, nodes);
    // What happened before is over.
    await settled([]);
    const { trigger } = await create(service, { workflowId, kind: "event", type: "svc.*" });
    t.after(() => ask(service, "DELETE", `/api/svc/triggers/${trigger.id}`));
    await service.call("save_artifact", { artifact }, { key: true });
    const [firing] = await until(
      () => history(service, trigger.id),
      ({ length }) => length > 0,
    );
    await settled([trigger.id]);
    const { data } = await ask(service, "GET", `/api/svc/runs/${firing?.runId}`);
    assert.equal(data.run.status, "succeeded", JSON.stringify(data.run.error));
    assert.equal((await history(service, trigger.id)).length, 1);
  });

  it("ends a loop of workflows that save artifacts, directly and in a subworkflow", async (t) => {
    const child = await publish(service, undefined, [save]);
    const one = await publish(service, undefined, [save]);
    const two = await publish(service, undefined, [
      { id: "child", type: "subworkflow", subworkflow: { workflowId: child } },
    ]);
    const ids: string[] = [];
    for (const workflowId of [one, two])
      ids.push((await create(service, { workflowId, kind: "event", type: "svc.artifact.saved" })).trigger.id);
    t.after(() => Promise.all(ids.map((id) => ask(service, "DELETE", `/api/svc/triggers/${id}`))));
    await service.call("save_artifact", { artifact }, { key: true });
    await settled(ids);
    const firings = (await Promise.all(ids.map((id) => history(service, id)))).flat();
    assert.equal(
      firings.filter(({ state }) => state === "started").length,
      10,
      "five deep from each of the two",
    );
  });

  it("reacts to nothing from before it was made", async (t) => {
    const settings = { kind: "event", type: "svc.artifact.saved" };
    const [first, second] = [await publish(service), await publish(service)];
    const older = await create(service, { workflowId: first, ...settings });
    t.after(() => ask(service, "DELETE", `/api/svc/triggers/${older.trigger.id}`));
    // What happens is looked at a moment later, after the younger one is there.
    await service.call("save_artifact", { artifact }, { key: true });
    const younger = await create(service, { workflowId: second, ...settings });
    t.after(() => ask(service, "DELETE", `/api/svc/triggers/${younger.trigger.id}`));
    const ids = [older.trigger.id, younger.trigger.id];
    await settled(ids);
    const many = () => Promise.all(ids.map(async (id) => (await history(service, id)).length));
    assert.deepEqual(await many(), [1, 0]);
    await service.call("save_artifact", { artifact }, { key: true });
    await until(many, ([, count]) => count === 1);
    await settled(ids);
    assert.deepEqual(await many(), [2, 1]);
  });

  it("refuses types and filters that mean nothing", async () => {
    const workflowId = await publish(service);
    for (const [settings, pointer] of [
      [{}, "/type"],
      [{ type: "svc.nothing" }, "/type"],
      [{ type: "svc.run.*", filter: "event.data.(" }, "/filter"],
    ] as const) {
      const { status, data } = await ask(service, "POST", "/api/svc/triggers", {
        workflowId,
        kind: "event",
        ...settings,
      });
      assert.equal(status, 400);
      assert.equal(data.error.problems[0]?.pointer, pointer);
    }
  });
});
