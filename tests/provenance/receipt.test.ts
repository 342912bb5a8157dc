import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isReceipt } from "../../src/provenance/proof-shape.ts";
import { verifyReceipt, type ReceiptVerdicts, type RunReceipt } from "../../src/provenance/receipt.ts";
import { verifySignature } from "../../src/provenance/signing.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let runId = "";

before(async () => {
  service = await startService();
  const made = await service.call(
    "create_workflow",
    {
      name: "Receipt",
      nodes: [
        { id: "look", type: "tool", title: "Look", tool: "get_health" },
        { id: "say", type: "transform", title: "Say", value: { said: "hello" } },
      ],
      edges: [{ from: "look", to: "say" }],
    },
    { key: true },
  );
  const started = await service.call(
    "run_workflow",
    { id: made.envelope.data.workflow.id, inputs: {} },
    { key: true },
  );
  runId = started.envelope.data.run.id;
  for (let n = 0; n < 4_800; n++) {
    const { envelope } = await service.call("get_workflow_run", { id: runId }, { key: true });
    if (envelope.data.run.status === "succeeded") return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail("the run did not end");
});
after(() => service?.close());

async function fetched(query = "", keyed = true): Promise<{ status: number; body: string }> {
  const response = await service.fetch(`/api/svc/runs/${runId}/receipt${query}`, {
    headers: keyed ? { authorization: `Bearer ${service.key}` } : {},
  });
  return { status: response.status, body: await response.text() };
}

async function receiptOf(query = ""): Promise<RunReceipt> {
  const { body } = await fetched(query);
  const { receipt } = JSON.parse(body).data;
  assert.ok(isReceipt(receipt));
  return receipt;
}

const failures = (verdicts: ReceiptVerdicts): readonly string[] =>
  [...verdicts.entries.flatMap((entry) => Object.values(entry)), verdicts.run, verdicts.document]
    .filter(({ verdict }) => verdict === "fail")
    .map(({ detail }) => detail);

const verdictsOf = (receipt: RunReceipt): ReceiptVerdicts => verifyReceipt(receipt, {}, verifySignature);

test("a receipt proves the run, its steps, its contents and its workflow", async () => {
  const receipt = await receiptOf("?content=true");
  const verdicts = verdictsOf(receipt);
  assert.deepEqual(failures(verdicts), []);
  assert.equal(receipt.entries.length, 3);
  assert.deepEqual(
    verdicts.entries.map(({ content }) => content.verdict),
    ["pass", "pass", "pass"],
  );
  assert.equal(verdicts.document.verdict, "pass");
  assert.deepEqual(
    verifyReceipt(receipt, { trustedKeys: [] }, verifySignature).entries[0]?.key.verdict,
    "fail",
  );
});

test("without contents it discloses none, and says so", async () => {
  const receipt = await receiptOf();
  assert.deepEqual(failures(verdictsOf(receipt)), []);
  assert.ok(receipt.entries.every(({ content, salt }) => content === null && salt === null));
  assert.ok(!JSON.stringify(receipt).includes("hello"));
  assert.ok(verdictsOf(receipt).entries.every(({ content }) => content.verdict === "not_checked"));
});

test("a changed letter anywhere is found", async () => {
  const receipt = await receiptOf("?content=true");
  // The times of keys are not signed; they count when they come from trusted keys.
  const text = JSON.stringify(receipt);
  const keys = { from: text.indexOf('"keys":'), to: text.indexOf('"entries":') };
  const missed: string[] = [];
  for (let place = 0; place < text.length; place += 23) {
    if (place >= keys.from && place < keys.to) continue;
    const letter = text.charAt(place) === "a" ? "b" : "a";
    const changed = text.slice(0, place) + letter + text.slice(place + 1);
    let value: unknown;
    try {
      value = JSON.parse(changed);
    } catch {
      continue;
    }
    if (isReceipt(value) && failures(verdictsOf(value)).length === 0)
      missed.push(changed.slice(place - 40, place + 40));
  }
  assert.deepEqual(missed, []);
});

test("a record of another run, and a run without its end, are refused", async () => {
  const receipt = await receiptOf("?content=true");
  assert.deepEqual(failures(verdictsOf({ ...receipt, entries: receipt.entries.slice(0, 2) })), [
    "No record says how this run ended.",
  ]);
  assert.match(failures(verdictsOf({ ...receipt, runId: "run_other" }))[0] ?? "", /is of another run/);
});

test("a private run has no receipt for callers who may not read it", async () => {
  assert.equal((await fetched("", false)).status, 404);
  const missing = await service.fetch("/api/svc/runs/run_missing/receipt", {
    headers: { authorization: `Bearer ${service.key}` },
  });
  assert.equal(missing.status, 404);
});
