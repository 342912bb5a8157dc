import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { OperationError, type InputOf, type OperationName } from "../../packages/client/client.ts";
import { isObject, type JsonObject } from "../../src/kernel/json.ts";
import { builtInTemplates } from "../../src/workflows/templates/index.ts";
import { startServiceProcess, TEST_KEY, type ServiceProcess } from "../support/service.ts";
import { eventually } from "./support.ts";

/* What a person does who tries the service out: start it with its siblings, take a template, run its example. */

describe("example inputs of templates, on a fresh service with its reference siblings", () => {
  let folder = "";
  let service: ServiceProcess;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "workflow-ui-examples-"));
    service = await startServiceProcess({ DATABASE_URL: `sqlite:${join(folder, "examples.db")}` }, [
      "--with-suite",
    ]);
  });
  after(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const call = <N extends OperationName>(name: N, args: InputOf<N>, meta: JsonObject = {}) =>
    eventually(() =>
      service.client.call(name, args, { meta }).catch((error: unknown) => {
        // On a busy machine an answer may say when to come again.
        if (error instanceof OperationError && error.retryAfterSeconds !== null) return null;
        throw error;
      }),
    );

  for (const { id: templateId } of builtInTemplates) {
    it(`${templateId} runs through`, async () => {
      const { template } = await call("get_template", { id: templateId });
      const { workflow } = await call("instantiate_template", { templateId });
      await call("publish_workflow", { id: workflow.id });
      const started = await call("run_workflow", { id: workflow.id, inputs: template.exampleInputs });
      const run = await eventually(async () => {
        const { run: now } = await call("get_workflow_run", { id: started.run.id });
        for (const approval of now.approvals ?? []) {
          if (approval.status !== "pending") continue;
          const meta = approval.form == null ? {} : { "svc/values": valuesFor(approval.form) };
          await call("approve_step", { id: approval.id }, meta);
        }
        return now.finishedAt === null ? null : now;
      });
      assert.deepEqual(
        [run.status, run.error],
        ["succeeded", null],
        JSON.stringify(run.steps).slice(0, 4_000),
      );
    });
  }

  it("gives anybody the same examples, and public records only", async () => {
    const read = await service.call("get_template", { id: "artifact-review-publish" });
    const { artifactId } = read.envelope.data.template.exampleInputs;
    const artifact = await service.call("get_artifact", { id: artifactId });
    assert.equal(artifact.envelope.data.artifact.privacy, "public");
    const listed = await service.fetch("/api/svc/runs", { headers: { authorization: `Bearer ${TEST_KEY}` } });
    assert.equal(listed.status, 200);
  });
});

/** Something for each required field of a form. */
function valuesFor(form: JsonObject): JsonObject {
  const { properties, required } = form;
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return Object.fromEntries(
    names.map((name) => {
      const property = isObject(properties) && isObject(properties[name]) ? properties[name] : {};
      return [name, property["type"] === "object" ? {} : property["type"] === "boolean" ? true : "Fine"];
    }),
  );
}
