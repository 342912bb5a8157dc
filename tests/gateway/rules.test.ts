import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Problem } from "../../packages/client/client.ts";
import { at } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";

/*
 * The parameter schemas are fixed by the interface. What they cannot say is checked all the same, before anything is
 * done, and answered like what they say.
 */

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

async function problemsOf(name: string, args: unknown, meta?: unknown): Promise<readonly Problem[]> {
  const { json, envelope, text } = await service.call(name, args, {
    key: true,
    ...(meta !== undefined && { meta }),
  });
  assert.equal(json.result?.isError, true, text);
  assert.equal(envelope.data.error.code, "invalid_arguments", text);
  return envelope.data.error.problems;
}

describe("rules beyond the schema", () => {
  const cases: readonly (readonly [tool: string, args: unknown, pointer: string, expected: RegExp])[] = [
    ["list_workflows", { limit: 2.5 }, "/limit", /whole number from 1 to 100/],
    ["list_templates", { limit: 2.5 }, "/limit", /whole number/],
    ["list_approvals", { limit: 1.01 }, "/limit", /whole number/],
    ["generate_tool_specs", { output_mode: "workflw" }, "/output_mode", /"workflow"/],
    ["preview_layout_artifact", { document: { title: "x" }, viewport: "mobil" }, "/viewport", /"mobile"/],
    ["export_layout_artifact", { document: { title: "x" }, format: "pdf" }, "/format", /"html"/],
    ["execute_ascii_conversion", { image: "x", resolution: 20.5 }, "/resolution", /whole number/],
    ["render_json_schema_form", { schema: { type: "strng" } }, "/schema/type", /Use "string"/],
    [
      "render_json_schema_form",
      { schema: { properties: { "a/b": { items: { type: ["integr", "null"] } } } } },
      "/schema/properties/a~1b/items/type",
      /Use "integer"/,
    ],
    ["render_webhook_schema_form", { schema: { type: "objct" } }, "/schema/type", /Use "object"/],
    ["validate_form_input", { schema: { type: "objct" }, value: {} }, "/schema/type", /Use "object"/],
    ["render_webhook_schema_form", {}, "/eventName", /schema/],
    ["reject_step", { id: "approval_x" }, "/reason", /says why/],
    ["reject_step", { id: "approval_x", reason: "  " }, "/reason", /says why/],
    ["update_artifact", { id: "artifact_x" }, "/artifact", /properties that change/],
    ["create_docs_report", {}, "/artifact", /title/],
    ["create_sheet_export", { artifact: {} }, "/artifact", /title/],
    ["create_catalog_entry", {}, "/artifact", /title/],
    ["trigger_sandbox", {}, "/artifact", /title/],
    ["trigger_browsercheck", {}, "/artifact", /title/],
    ["trigger_evals", {}, "/artifact", /title/],
    ["verify_svc_provenance", {}, "/recordId", /hash/],
  ];
  for (const [tool, args, pointer, expected] of cases) {
    it(`${tool} ${JSON.stringify(args)}`, async () => {
      const problems = await problemsOf(tool, args);
      assert.deepEqual(
        problems.map((problem) => problem.pointer),
        [pointer],
      );
      assert.match(`${problems[0]?.expected} ${problems[0]?.fix}`, expected);
    });
  }

  it("what a schema calls optional and the tool needs, its description calls required", () => {
    for (const [name, parameter] of [
      ["reject_step", "reason"],
      ["update_artifact", "artifact"],
      ["create_docs_report", "artifact"],
      ["create_sheet_export", "artifact"],
      ["create_catalog_entry", "artifact"],
      ["trigger_sandbox", "artifact"],
      ["trigger_browsercheck", "artifact"],
      ["trigger_evals", "artifact"],
    ] as const) {
      const schema: unknown = service.app.services.catalog.tool(name)?.input.properties[parameter];
      assert.match(JSON.stringify(schema), /"description":"Required: /, name);
    }
  });

  it("types that older drafts and Swagger write still make a form", async () => {
    const schema = { type: "object", properties: { a: { type: "any" }, f: { type: "file" } } };
    assert.equal((await service.call("render_json_schema_form", { schema })).envelope.ok, true);
  });
});

describe("keys of _meta", () => {
  const wrong: readonly (readonly [key: string, value: unknown, fix: RegExp])[] = [
    ["svc/cursr", "x", /"svc\/cursor"/],
    ["svc/idempotencykey", "x", /"svc\/idempotencyKey"/],
    ["svc/nothing_like_it_at_all", 1, /Remove it/],
    ["idempotencyKey", "x", /"svc\/idempotencyKey"/],
    ["idempotency_key", "x", /"svc\/idempotencyKey"/],
    ["svc:limit", 3, /"svc\/limit"/],
    ["scv/limit", 3, /"svc\/limit"/],
    ["svc/limit", 2.5, /whole number from 1 to 100/],
    ["svc/limit", 1_000, /whole number from 1 to 100/],
    ["svc/cursor", 7, /nextCursor/],
    ["svc/document", [], /an object/],
    ["svc/expectedRevision", "3", /whole number/],
    ["svc/decisions", { a: "maybe" }, /"approved", "rejected" or "changes_requested"/],
  ];
  for (const [key, value, fix] of wrong) {
    it(`${key}: ${JSON.stringify(value)} is a problem`, async () => {
      const problems = await problemsOf("list_workflows", {}, { [key]: value });
      assert.equal(problems.length, 1);
      assert.equal(problems[0]?.pointer, `/_meta/${key.replaceAll("/", "~1")}`);
      assert.match(problems[0]?.fix ?? "", fix);
    });
  }

  it("those of other namespaces, of the protocol and of ours pass", async () => {
    const meta = {
      progressToken: 1,
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "com.example/cursor": 1,
      "claudecode/toolUseId": "x",
      "io.modelcontextprotocol/related-task": { taskId: "t" },
      "svc/limit": 3,
    };
    assert.equal((await service.call("list_artifacts", {}, { key: true, meta })).envelope.ok, true);
  });

  it("are reported with the problems of the arguments, and by resources and prompts", async () => {
    const problems = await problemsOf("list_workflows", { limt: 3 }, { "svc/cursr": "x" });
    assert.deepEqual(problems.map(({ pointer }) => pointer).sort(), ["/_meta/svc~1cursr", "/limt"]);
    const [prompt] = service.app.services.catalog.prompts;
    for (const [method, params] of [
      ["resources/read", { uri: "svc://workflows" }],
      ["prompts/get", { name: prompt?.name, arguments: {} }],
    ] as const) {
      const { json } = await service.rpc(method, { ...params, _meta: { "svc/cursr": "x" } });
      assert.equal(json.error.code, -32602);
      assert.match(json.error.data.problems[0]?.fix ?? "", /"svc\/cursor"/);
    }
  });
});

describe("validate_form_input", () => {
  it("says that it checked required fields only", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const { envelope } = await service.call("validate_form_input", { schema, value: { n: "not a number" } });
    assert.partialDeepStrictEqual(envelope.data, { valid: true, checked: "required", requiredFields: 1 });
    const tool = service.app.services.catalog.tool("validate_form_input");
    assert.match(tool?.description ?? "", /^Checks required fields only/);
  });

  it("is not what the webhook template relies on: a payload of the wrong type is set aside", async () => {
    const { document } = (await service.call("get_template", { id: "webhook-triage" })).envelope.data
      .template;
    const dryRun = async (payload: unknown) => {
      const { envelope } = await service.call(
        "dry_run_workflow",
        {
          nodes: document["nodes"],
          edges: document["edges"],
          inputs: {
            eventName: "incident.opened",
            schema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
            payload,
          },
        },
        { meta: { "svc/document": document } },
      );
      return at(envelope.data.outputs, "malformed");
    };
    assert.equal(at(await dryRun({ id: "seven" }), "event"), "incident.opened");
    assert.equal(await dryRun({ id: 7 }), null);
  });
});
