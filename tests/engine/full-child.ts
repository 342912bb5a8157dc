import process from "node:process";
import { ADMIN, Bench, openRig } from "./harness.ts";
import { ASKING, HELD } from "./full-documents.ts";

/*
 * `node full-child.ts <database URL>`: fills the engine with as many runs as it takes, decides an approval of another run,
 * says so, and waits to be ended.
 */
const [databaseUrl = ""] = process.argv.slice(2);
const bench = new Bench();
bench.hold("long");
const rig = await openRig({ databaseUrl, bench });
const asking = await rig.start(await rig.workflow(ASKING));
await rig.engine.waitFor(asking.id, 120_000, "waiting");
const held = await rig.workflow(HELD);
for (let nth = 0; nth < 256; nth++) await rig.start(held);
for (const end = Date.now() + 60_000; bench.count("long") < 256 && Date.now() < end;) {
  await new Promise((resolve) => setTimeout(resolve, 20));
}
const { items } = await rig.services.store.read.approvals.list({ limit: 1 }, { runId: asking.id });
await rig.engine.decide({
  approvalId: items[0]?.id ?? "",
  verdict: "approved",
  reason: null,
  values: null,
  shownDigest: null,
  caller: ADMIN,
});
const { active } = await rig.engine.status();
process.stdout.write(`${JSON.stringify({ runId: asking.id, active })}\n`);
process.once("SIGTERM", () => {
  void rig.close().then(() => process.exit(0));
});
setInterval(() => undefined, 1_000);
