import assert from "node:assert/strict";
import { it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject } from "../../src/kernel/json.ts";
import { startService, TEST_KEY } from "../support/service.ts";

it("what every tool answers fits the output schema that clients get", async () => {
  const service = await startService();
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  const { json } = await service.rpc("tools/list");
  let good = 0;
  for (const { name, inputSchema, outputSchema } of json.result.tools) {
    const args = Object.fromEntries(
      inputSchema.required.map((member) => [member, sample(inputSchema.properties[member])]),
    );
    const answer = await service.rpc(
      "tools/call",
      { name, arguments: args },
      { "x-suite-api-key": TEST_KEY },
    );
    const { ok } = answer.envelope;
    const validate = ajv.compile(outputSchema);
    assert.ok(
      validate(answer.envelope),
      `${name}: ${JSON.stringify(validate.errors?.slice(0, 3))} ${answer.text.slice(0, 500)}`,
    );
    if (ok) good += 1;
  }
  assert.ok(good >= 40, `${good} tools succeed with the least arguments`);
  await service.close();
});

function sample(schema: unknown): unknown {
  if (!isObject(schema)) return "sample";
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  if (schema["type"] === "object") return { title: "Sample" };
  if (schema["type"] === "array") return [];
  if (schema["type"] === "number") return schema["minimum"] ?? 1;
  return schema["type"] === "boolean" ? true : "sample";
}
