import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;

before(async () => {
  service = await startService();
});
after(() => service.close());

const MAIN = { type: "object", properties: { home: { $ref: "types.json#/$defs/address" } } };
const TYPES = { $defs: { address: { type: "object", properties: { city: { type: "string" } } } } };

async function send(body: unknown) {
  const response = await fetch(`${service.url}/api/svc/forms`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, envelope: JSON.parse(await response.text()) };
}

describe("POST /api/svc/forms", () => {
  it("renders a schema with the documents that it refers to", async () => {
    const alone = await send({ schema: MAIN });
    assert.equal(alone.envelope.data.form.fields[0].widget, "json");
    const { status, envelope } = await send({
      schema: MAIN,
      companions: { "types.json": TYPES },
      title: "Home",
    });
    assert.equal(status, 200);
    const { form, formId } = envelope.data;
    assert.equal(form.title, "Home");
    assert.deepEqual(
      form.fields[0].children.map(({ name }: { readonly name: string }) => name),
      ["city"],
    );
    assert.notEqual(formId, alone.envelope.data.formId);
  });

  it("draws it as its hints want it, and keeps it that way", async () => {
    const schema = { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } };
    const { envelope } = await send({ schema, hints: { "ui:order": ["b", "a"], a: { "ui:colour": 1 } } });
    const names = (form: JsonObject) => objectsAt(form, "fields").map(({ name }) => name);
    assert.deepEqual(names(envelope.data.form), ["b", "a"]);
    assert.ok(
      envelope.data.form.notes.some(
        ({ schemaPath }: { readonly schemaPath: string }) => schemaPath === "/x-ui-schema/a/ui:colour",
      ),
    );
    const again = await service.call("get_rendered_form", { id: envelope.data.formId });
    if (envelope.data.stored.status === "stored")
      assert.deepEqual(names(again.envelope.data.form), ["b", "a"]);
    else assert.equal(envelope.data.stored.status, "not_configured");
  });

  it("says what is wrong with a request, and bounds all documents together", async () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [{}, "/schema"],
      [{ schema: MAIN, hints: "x" }, "/hints"],
      [{ schema: MAIN, companions: { "a.json": 1 } }, "/companions/a.json"],
      [{ schema: MAIN, colour: 1 }, "/colour"],
    ];
    for (const [body, pointer] of cases) {
      const { status, envelope } = await send(body);
      assert.equal(status, 400);
      assert.equal(envelope.data.error.problems[0].pointer, pointer);
    }
    const { status, envelope } = await send({
      schema: MAIN,
      companions: { "types.json": { ...TYPES, description: "x".repeat(70_000) } },
    });
    assert.equal(status, 400);
    assert.equal(envelope.data.error.details.bound, "too_large");
  });
});
