import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ConfigError, loadSettings } from "../../src/config.ts";
import type { Settings } from "../../src/ports/settings.ts";
import { startService, type TestService } from "../support/service.ts";

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
    const { fields } = rendered.envelope.data.form;
    assert.equal(fields.at(-1).label, `Day${fields.length - 1}`);
    const { formId } = rendered.envelope.data;
    const again = await service.call("get_rendered_form", { id: formId }, { key: true });
    assert.equal(again.envelope.data.form.fields.length, fields.length);
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
