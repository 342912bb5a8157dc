import assert from "node:assert/strict";
import { createServer } from "node:http";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { ConfigError, loadSettings } from "../../src/config.ts";
import type { Settings } from "../../src/ports/settings.ts";
import { costOf } from "../security/main-thread.ts";
import { at, listAt, objectsAt } from "../support/json.ts";
import {
  startService,
  startServiceProcess,
  type ServiceProcess,
  type TestService,
  type ToolAnswer,
} from "../support/service.ts";

/** A schema of about `size` characters. */
function schemaOf(size: number): unknown {
  const description = "A number of parcels that are sent on this day.";
  const count = Math.ceil(size / 95);
  return {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`day${at}`, { type: "integer", description }]),
    ),
  };
}

describe("how large schemas may be", () => {
  let service: TestService;
  before(async () => {
    service = await startService({
      settings: { schemaBytes: { anonymous: 64 * 1_024, keyed: 256 * 1_024 } },
    });
  });
  after(() => service.close());

  test("a schema over the anonymous limit is refused with the way out, and rendered with a key", async () => {
    const schema = schemaOf(150_000);
    const refused = await service.call("render_json_schema_form", { schema });
    assert.equal(refused.envelope.ok, false);
    assert.match(refused.text, /larger than 65536 characters|more than 2000 objects/);
    assert.match(refused.text, /SVC_SCHEMA_LIMIT_KB/);
    const rendered = await service.call("render_json_schema_form", { schema }, { key: true });
    assert.equal(rendered.envelope.ok, true, rendered.text.slice(0, 500));
    assert.equal(rendered.envelope.data.renderStatus, "rendered");
    const { form, formId } = rendered.envelope.data;
    const { length } = listAt(form, "fields");
    assert.equal(at(form, "fields", -1, "label"), `Day${length - 1}`);
    const again = await service.call("get_rendered_form", { id: formId }, { key: true });
    assert.equal(listAt(again.envelope.data.form, "fields").length, length);
  });

  test("required fields are checked against the same limit", async () => {
    const schema = schemaOf(150_000);
    const refused = await service.call("validate_form_input", { schema, value: {} });
    assert.equal(refused.envelope.ok, false);
    const checked = await service.call("validate_form_input", { schema, value: {} }, { key: true });
    assert.equal(checked.envelope.data.valid, true);
  });

  test("a key's limit holds too", async () => {
    const refused = await service.call(
      "render_json_schema_form",
      { schema: schemaOf(400_000) },
      { key: true },
    );
    assert.match(refused.text, /larger than 262144 characters/);
  });
});

test("the sizes are settings with defaults, in MiB and KiB", () => {
  const read = (environment: Record<string, string>): Settings => {
    const settings = loadSettings([], environment);
    assert.ok(typeof settings === "object");
    return settings;
  };
  const { documentBytes, schemaBytes } = read({});
  assert.deepEqual(documentBytes, { keyed: 24 * 1_048_576, anonymous: 5 * 1_048_576 });
  assert.deepEqual(schemaBytes, { keyed: 1_048_576, anonymous: 65_536 });
  assert.equal(read({ SVC_DOCUMENT_LIMIT_MB: "40" }).documentBytes.keyed, 40 * 1_048_576);
  assert.equal(read({ SVC_ANONYMOUS_SCHEMA_LIMIT_KB: "8" }).schemaBytes.anonymous, 8_192);
  assert.throws(() => read({ SVC_DOCUMENT_LIMIT_MB: "0" }), ConfigError);
});

/** An API description of about `megabytes`, as dense as the large public ones. */
function largeApi(megabytes: number): string {
  const operation = (at: number): unknown => ({
    post: {
      operationId: `orders/create-${at}`,
      summary: `Create order ${at}`,
      parameters: [{ name: "owner", in: "path", required: true, schema: { type: "string" } }],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: `#/components/schemas/order-${at}` } } },
      },
      responses: { 200: { description: "Done" } },
    },
  });
  const properties = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `member_${at}`,
      {
        type: ["string", "null"],
        description: "What this member of the order is about.",
        examples: ["a", "b"],
      },
    ]),
  );
  const schema = { type: "object", required: ["member_0"], properties };
  const count = Math.ceil((megabytes * 1_048_576) / JSON.stringify(schema).length);
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Orders", version: "1" },
    paths: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`/repos/{owner}/orders-${at}`, operation(at)]),
    ),
    components: {
      schemas: Object.fromEntries(Array.from({ length: count }, (_, at) => [`order-${at}`, schema])),
    },
  });
}

describe("how large documents may be", () => {
  const documents = new Map([
    ["/seven.json", largeApi(7)],
    ["/thirteen.json", largeApi(13)],
    ["/most.json", largeApi(22)],
    ["/thirty.json", largeApi(30)],
  ]);
  const remote = createServer((request, response) => {
    response.end(documents.get(request.url ?? "") ?? "{}");
  });
  let service: ServiceProcess;
  let base = "";
  before(async () => {
    await new Promise<void>((resolve) => remote.listen(0, "127.0.0.1", resolve));
    const address = remote.address();
    assert.ok(address !== null && typeof address === "object");
    base = `http://127.0.0.1:${address.port}`;
    service = await startServiceProcess({ DATABASE_URL: "none", SVC_TRUSTED_HOSTS: "127.0.0.1" });
  });
  after(async () => {
    await service.stop();
    await new Promise((resolve) => remote.close(resolve));
  });

  const render = async (file: string, key: boolean): Promise<ToolAnswer<"render_openapi_operation_form">> => {
    const args = { operationId: "orders/create-7", serviceBaseUrl: `${base}/${file}.json` };
    for (let attempt = 1; ; attempt++) {
      const answer = await service.call("render_openapi_operation_form", args, { key });
      // On a busy machine the threads may still work on what the tests before left.
      if (attempt === 20 || answer.json?.error?.data?.code !== "overloaded") return answer;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };

  test("documents of 7, 13 and 22 MB are read for a caller with a key", async () => {
    for (const file of ["seven", "thirteen", "most"]) {
      const { envelope, text } = await render(file, true);
      assert.equal(envelope?.ok, true, text.slice(0, 500));
      const body = objectsAt(envelope.data.form, "fields").find(({ name }) => name === "body");
      assert.equal(listAt(body, "children").length, 60);
    }
  });

  test("without a key they are refused, and so is what is larger than the operator allows", async () => {
    const anonymous = await render("seven", false);
    assert.match(anonymous.text, /larger than 5242880 bytes/);
    assert.match(anonymous.text, /SVC_DOCUMENT_LIMIT_MB/);
    const large = await render("thirty", true);
    assert.match(large.text, /larger than 25165824 bytes/);
  });

  test("the thread that answers does not read them", async () => {
    const text = documents.get("/thirteen.json") ?? "";
    const parsing = cpuOf(() => JSON.parse(text));
    let least = Infinity;
    // A thread that reads them does so every time; what a busy machine adds, it adds to some of them.
    for (let attempt = 0; attempt < 4 && least >= parsing / 2; attempt++) {
      const { result, cpuMs } = await costOf(service, () => render("thirteen", true));
      assert.equal(result.envelope?.ok, true, result.text.slice(0, 500));
      least = Math.min(least, cpuMs);
    }
    assert.ok(least < parsing / 2, `${least} ms, parsing takes ${parsing} ms`);
  });
});

function cpuOf(work: () => unknown): number {
  const { user, system } = process.threadCpuUsage();
  work();
  const after = process.threadCpuUsage();
  return (after.user - user + after.system - system) / 1_000;
}
