import { writeFile } from "node:fs/promises";
import process from "node:process";
import lighthouse from "lighthouse";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGS, ensureBuilt, findChromium } from "../../tests/support/browser.ts";
import { freePort } from "../../tests/support/ports.ts";
import { startService } from "../../tests/support/service.ts";
import { seed } from "../../tests/web/support.ts";

/*
 * `npm run lighthouse`: Lighthouse in the local Chromium on the five pages that people see first, on records that need
 * no key (it reloads pages, and a reload forgets the key). Writes bench/results/lighthouse.md and fails when a page is
 * below its bar.
 */

const BARS = { performance: 0.9, accessibility: 1, "best-practices": 0.95 } as const;

await ensureBuilt();
const service = await startService();
const port = await freePort();
const browser = await chromium.launch({
  executablePath: await findChromium(),
  args: [...CHROMIUM_ARGS, `--remote-debugging-port=${port}`],
});
const { workflowId } = await seed(service);
await service.call("publish_workflow", { id: workflowId }, { key: true });
const inputs = { title: "Sign-up", schema: { type: "object" }, values: {} };
const started = await service.call("run_workflow", { id: workflowId, inputs }, { key: true });
const pages = [
  ["Home", "/"],
  ["Tools", "/tools/create_local_artifact"],
  ["Editor", `/workflows/${workflowId}`],
  ["Run", `/runs/${started.envelope.data.run.id}`],
  ["Approval", "/approvals"],
] as const;

const rows: string[] = [];
const below: string[] = [];
try {
  for (const [name, path] of pages) {
    const result = await lighthouse(`${service.url}${path}`, {
      port,
      output: "json",
      logLevel: "error",
      formFactor: "desktop",
      screenEmulation: { mobile: false, width: 1350, height: 940, deviceScaleFactor: 1, disabled: false },
      throttling: {
        rttMs: 40,
        throughputKbps: 10_240,
        cpuSlowdownMultiplier: 1,
        requestLatencyMs: 0,
        downloadThroughputKbps: 0,
        uploadThroughputKbps: 0,
      },
      onlyCategories: Object.keys(BARS),
    });
    const { categories, audits, lighthouseVersion, runtimeError } = result.lhr;
    // Without it a page that was not measured is a page of zeros.
    if (runtimeError !== undefined) throw new Error(`${name}: ${runtimeError.message}`);
    const scores = Object.entries(BARS).map(([category, bar]) => {
      const score: number = categories[category]?.score ?? 0;
      if (score < bar) {
        const failed = (categories[category]?.auditRefs ?? [])
          .filter(
            ({ id, weight }: { id: string; weight: number }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9,
          )
          .map(({ id }: { id: string }) => id);
        below.push(`${name}: ${category} ${Math.round(score * 100)} (${failed.join(", ")})`);
      }
      return Math.round(score * 100);
    });
    if (rows.length === 0) process.stdout.write(`Lighthouse ${lighthouseVersion}\n`);
    rows.push(`| ${name} | ${scores.join(" | ")} |`);
    process.stdout.write(`${rows.at(-1)}\n`);
  }
} finally {
  await browser.close();
  await service.close();
}
const table = ["| page | performance | accessibility | best practices |", "|---|--:|--:|--:|", ...rows].join(
  "\n",
);
await writeFile(
  new URL("../results/lighthouse.md", import.meta.url),
  `# Lighthouse\n\n\`npm run lighthouse\` on ${new Date().toISOString().slice(0, 10)}, desktop, ${process.platform}.\n\n${table}\n`,
);
if (below.length > 0) {
  process.stderr.write(`Below the bar:\n${below.join("\n")}\n`);
  process.exitCode = 1;
}
process.exit();
