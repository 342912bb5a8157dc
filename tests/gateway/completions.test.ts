import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { OperationName } from "../../packages/client/client.ts";
import { SIBLING_NAMES } from "../../src/ports/settings.ts";
import { textAt } from "../support/json.ts";
import type { Completion } from "../support/json-rpc.ts";
import { runToApproval, startService, type TestService } from "../support/service.ts";

/** What `completion/complete` offers, and to whom. */

let service: TestService;
const hidden: Record<string, string> = {};

const call = async <N extends OperationName>(name: N, args: unknown) => {
  const { envelope, text } = await service.call(name, args, { key: true });
  assert.equal(envelope?.ok, true, `${name}: ${text}`);
  return envelope.data;
};

before(async () => {
  service = await startService();
  const { workflow } = await call("create_workflow", {
    name: "Quarterly closing",
    nodes: [{ id: "ask", type: "approval", approval: { title: "Close?" } }],
    edges: [],
  });
  hidden["workflow"] = workflow.id;
  const run = await runToApproval(service, workflow.id);
  hidden["run"] = run.id;
  hidden["approval"] = run.approvals[0].id;
  const confidential = { title: "Secret figures", privacy: "confidential", content: "1" };
  hidden["artifact"] = (await call("save_artifact", { artifact: confidential })).artifact.id;
});
after(() => service.close());

async function complete(ref: object, name: string, value: string, { key = false } = {}): Promise<Completion> {
  const { json, text } = await service.rpc(
    "completion/complete",
    { ref, argument: { name, value } },
    key ? { authorization: `Bearer ${service.key}` } : {},
  );
  assert.ok(json.result, text);
  return json.result.completion;
}

const template = (kind: string) => ({ type: "ref/resource", uri: `svc://${kind}/{id}` });
const prompt = (name: string) => ({ type: "ref/prompt", name });
const PROMPT_ARGUMENTS = {
  workflow: "workflowId",
  run: "runId",
  approval: "approvalId",
  artifact: "artifactId",
};

describe("completion", () => {
  it("of resource templates gives ids by their beginning, a part, or the record's name", async () => {
    for (const kind of ["workflow", "run", "artifact"]) {
      const id = hidden[kind] ?? "";
      for (const value of ["", id.slice(0, 9), id.slice(-5)]) {
        const { values, total, hasMore } = await complete(template(kind), "id", value, { key: true });
        assert.ok(values.includes(id), `${kind} ${value}`);
        assert.deepEqual([total, hasMore], [values.length, false]);
      }
      assert.deepEqual((await complete(template(kind), "id", "zzz-none", { key: true })).values, []);
      assert.deepEqual((await complete(template(kind), "other", "", { key: true })).values, []);
    }
    const named = await complete(template("workflow"), "id", "quarterly", { key: true });
    assert.deepEqual(named.values, [hidden["workflow"]]);
    const templates = await complete(template("template"), "id", "release");
    assert.equal(templates.values[0], "release-gate");
  });

  it("of rendered forms gives the ids of those that are kept", async () => {
    await call("render_json_schema_form", {
      schema: { type: "object", properties: { a: { type: "string" } } },
    });
    const { envelope } = await service.call("list_rendered_forms", {}, { key: true });
    const ids = envelope.data.forms.map((form: { id: string }) => form.id);
    const { values } = await complete(template("rendered-form"), "id", "", { key: true });
    assert.ok(ids.length > 0);
    assert.deepEqual(values.toSorted(), ids.toSorted());
  });

  it("of prompt arguments gives ids, tools, siblings and event types", async () => {
    const { prompts } = service.app.services.catalog;
    const withArgument = (argument: string) =>
      prompts.filter((one) => one.arguments.some(({ name }) => name === argument)).map(({ name }) => name);
    for (const [kind, argument] of Object.entries(PROMPT_ARGUMENTS)) {
      const names = withArgument(argument);
      assert.ok(names.length > 0, argument);
      for (const name of names) {
        const { values } = await complete(prompt(name), argument, "", { key: true });
        assert.ok(values.includes(hidden[kind] ?? ""), `${name} ${argument}`);
      }
    }
    const [first = ""] = withArgument("subjectId");
    const subjects = await complete(prompt(first), "subjectId", "", { key: true });
    for (const kind of ["workflow", "run", "artifact"])
      assert.ok(subjects.values.includes(hidden[kind] ?? ""));
    const [sending = ""] = withArgument("targetService");
    assert.deepEqual((await complete(prompt(sending), "targetService", "")).values, [...SIBLING_NAMES]);
    const [watching = ""] = withArgument("eventName");
    const events = await complete(prompt(watching), "eventName", "run.succ");
    assert.deepEqual(events.values, ["svc.run.succeeded"]);
    const [tool = ""] = withArgument("toolName");
    assert.equal((await complete(prompt(tool), "toolName", "get_heal")).values[0], "get_health");
    assert.deepEqual((await complete(prompt(tool), "purpose", "")).values, []);
    assert.deepEqual((await complete(prompt(tool), "__proto__", "")).values, []);
  });

  it("names nothing private to an anonymous caller", async () => {
    const requests = [
      ...["workflow", "run", "artifact", "rendered-form", "template"].map(
        (kind) => [template(kind), "id"] as const,
      ),
      ...service.app.services.catalog.prompts.flatMap(({ name, arguments: all }) =>
        all.map((argument) => [prompt(name), argument.name] as const),
      ),
    ];
    for (const [ref, name] of requests) {
      const { values } = await complete(ref, name, "");
      for (const id of Object.values(hidden))
        assert.ok(!values.includes(id), `${JSON.stringify(ref)} ${name}`);
    }
    const refused = await service.rpc(
      "completion/complete",
      { ref: template("run"), argument: { name: "id", value: "" } },
      { authorization: "Bearer nonsense" },
    );
    assert.equal(refused.status, 401);
  });

  it("has 100 values at most and says how many there are", async () => {
    for (let made = 0; made < 105; made++)
      await call("save_artifact", { artifact: { title: `Page ${made}`, privacy: "public", content: "x" } });
    const { values, total, hasMore } = await complete(template("artifact"), "id", "artifact_");
    assert.deepEqual([values.length, total, hasMore], [100, 105, true]);
    assert.equal(new Set(values).size, 100);
  });

  it("refuses what is not there and says what is", async () => {
    const unknown = await service.rpc("completion/complete", {
      ref: { type: "ref/resource", uri: "svc://wrkflow/{id}" },
      argument: { name: "id", value: "" },
    });
    assert.equal(unknown.json.error.code, -32602);
    assert.match(textAt(unknown.json.error.data.problems[0], "expected"), /svc:\/\/workflow\/\{id\}/);
  });
});
