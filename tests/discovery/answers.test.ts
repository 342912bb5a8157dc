import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { plainSchema } from "../../src/discovery/declarations.ts";
import { isObject } from "../../src/kernel/json.ts";
import { resources, tools } from "../../src/registry.ts";
import { startService, type TestService } from "../support/service.ts";

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: "sample",
  number: 1,
  boolean: true,
  object: { title: "Sample", type: "object" },
  array: [],
};

/** Values for the required parameters only. */
function minimal(schema: Record<string, unknown>): Record<string, unknown> {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  return Object.fromEntries(
    required.map((name) => {
      const property = properties[name];
      const type = isObject(property) ? String(property["type"]) : "string";
      return [name, SAMPLES[type]];
    }),
  );
}

test("tools/list shows hints that follow from what each tool declares", async () => {
  const service = await startService({ settings: { databaseUrl: "none" } });
  try {
    const listed = (await service.rpc("tools/list")).json.result.tools;
    assert.deepEqual(
      listed.map(({ name }) => name),
      tools.map(({ name }) => name),
    );
    for (const tool of tools) {
      const shown = listed.find(({ name }) => name === tool.name);
      assert.ok(shown);
      assert.equal(shown.annotations["readOnlyHint"], tool.effect === "none", tool.name);
      assert.equal(shown.annotations["openWorldHint"], tool.openWorld, tool.name);
      if (tool.effect !== "none") {
        assert.equal(shown.annotations["destructiveHint"], tool.effect === "destructive", tool.name);
        assert.equal(shown.annotations["idempotentHint"], tool.idempotent, tool.name);
      }
      assert.equal(shown.title, tool.title);
      assert.equal(shown.outputSchema["type"], "object", tool.name);
    }
  } finally {
    await service.close();
  }
});

for (const databaseUrl of [undefined, "none"]) {
  describe(`answers keep to their declared schema${databaseUrl === "none" ? " without storage" : ""}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(databaseUrl === undefined ? {} : { settings: { databaseUrl } });
    });
    after(() => service.close());
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);

    for (const tool of tools.filter(({ access }) => access === "public")) {
      test(tool.name, async () => {
        const answer = await service.call(tool.name, minimal(plainSchema(tool.input)));
        assert.equal(answer.status, 200, answer.text);
        const { ok, data } = answer.envelope;
        assert.equal(typeof ok, "boolean", answer.text);
        assert.ok(isObject(data), answer.text);
        assert.equal(answer.json.result.isError ?? false, !ok);
        if (ok) {
          const check = ajv.compile(plainSchema(tool.output));
          assert.ok(check(data), `${JSON.stringify(check.errors)}\n${answer.text.slice(0, 2000)}`);
        } else {
          assert.ok(isObject(data["error"]) || data["status"] === "degraded", answer.text);
        }
      });
    }

    test("every resource without a variable reads as a JSON object", async () => {
      for (const { uri } of resources.filter((resource) => !resource.uri.includes("{"))) {
        const answer = await service.rpc("resources/read", { uri });
        const [content] = answer.json.result?.contents ?? [];
        const document: unknown = JSON.parse(content?.text ?? "null");
        assert.ok(
          isObject(document) && Object.keys(document).length > 1,
          `${uri}: ${answer.text.slice(0, 500)}`,
        );
      }
    });

    test("every resource with a variable says not found for a record that is not there", async () => {
      for (const { uri } of resources.filter((resource) => resource.uri.includes("{"))) {
        const answer = await service.rpc("resources/read", { uri: uri.replace("{id}", "does-not-exist") });
        assert.ok(
          answer.json.error?.code !== -32603 && (answer.json.error ?? answer.json.result),
          answer.text,
        );
      }
    });
  });
}
