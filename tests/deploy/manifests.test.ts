import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse, parseAllDocuments } from "yaml";
import { SETTINGS } from "../../src/config-table.ts";
import { isJsonRecord, type JsonObject } from "../../src/kernel/json.ts";
import { SERVICE } from "../../src/kernel/service.ts";
import { at, textAt } from "../support/json.ts";
import { testPostgres } from "../support/postgres.ts";
import { startService } from "../support/service.ts";

/* The files in deploy/ fit what reads them, each other and the settings of the service. */

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string): string => readFileSync(path.join(ROOT, "deploy", file), "utf8");
const DRAIN_SECONDS = 30;

/** Kinds of Kubernetes that we use, and where their types are. */
const TYPES: Readonly<Record<string, string>> = {
  "apps/v1/Deployment": "kubernetes-types/apps/v1.js",
  "policy/v1/PodDisruptionBudget": "kubernetes-types/policy/v1.js",
  "v1/ConfigMap": "kubernetes-types/core/v1.js",
  "v1/Service": "kubernetes-types/core/v1.js",
  "v1/ServiceAccount": "kubernetes-types/core/v1.js",
};

type Manifest = JsonObject & { readonly apiVersion: string; readonly kind: string };

function documents(text: string): readonly Manifest[] {
  return parseAllDocuments(text).map((document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS();
  });
}

/** What the compiler says about a document as a value of its type: unknown members, wrong types, missing ones. */
async function typeErrors(all: readonly Manifest[]): Promise<string> {
  const lines = all.flatMap((document, n) => {
    const from = TYPES[`${document.apiVersion}/${document.kind}`];
    assert.ok(from, `${document.apiVersion}/${document.kind} has no types in this test`);
    return [
      `import type { ${document.kind} as T${n} } from "${from}";`,
      `export const d${n}: T${n} = ${JSON.stringify(document)};`,
    ];
  });
  const file = path.join(ROOT, "node_modules", `.manifests-${process.pid}.mts`);
  writeFileSync(file, lines.join("\n"));
  try {
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig", "--module", "nodenext"];
    await promisify(execFile)(path.join(ROOT, "node_modules/.bin/tsc"), [...flags, file], { cwd: ROOT });
    return "";
  } catch (error) {
    return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
  } finally {
    rmSync(file);
  }
}

test("the Kubernetes manifests are what their types say, and a mistake in one is found", async () => {
  const all = documents(read("kubernetes/workflow-ui.yaml"));
  assert.equal(await typeErrors(all), "");
  const text = read("kubernetes/workflow-ui.yaml");
  const wrong = text.replace("replicas: 3", 'replicas: "3"').replace("readinessProbe:", "readynessProbe:");
  const errors = await typeErrors(documents(wrong));
  assert.match(errors, /'string' is not assignable to type 'number'/);
  assert.match(errors, /readynessProbe/);
  const { resources, images } = parse(read("kubernetes/kustomization.yaml"));
  assert.deepEqual(
    resources,
    readdirSync(path.join(ROOT, "deploy/kubernetes")).filter((name) => name !== "kustomization.yaml"),
  );
  assert.equal(images[0].newTag, SERVICE.build);
});

test("several replicas drain, are spread and keep a budget; selectors and ports meet", () => {
  const all = documents(read("kubernetes/workflow-ui.yaml"));
  const one = (kind: string) => all.find((document) => document.kind === kind);
  const deployment = at(one("Deployment"), "spec");
  const template = at(deployment, "template");
  const pod = at(template, "spec");
  const container = at(pod, "containers", 0);
  const budget = at(one("PodDisruptionBudget"), "spec");
  const kept = Number(at(budget, "minAvailable"));
  assert.ok(Number(at(deployment, "replicas")) > kept && kept >= 1);
  for (const selector of [
    at(deployment, "selector", "matchLabels"),
    at(budget, "selector", "matchLabels"),
    at(one("Service"), "spec", "selector"),
  ]) {
    assert.ok(isJsonRecord(selector));
    assert.partialDeepStrictEqual(at(template, "metadata", "labels"), selector);
  }
  assert.equal(textAt(one("Service"), "spec", "ports", 0, "targetPort"), at(container, "ports", 0, "name"));
  assert.equal(at(one("ConfigMap"), "data", "SVC_DRAIN_SECONDS"), String(DRAIN_SECONDS));
  assert.ok(Number(at(pod, "terminationGracePeriodSeconds")) > DRAIN_SECONDS);
  assert.equal(at(container, "readinessProbe", "httpGet", "path"), "/readyz");
  assert.equal(at(container, "livenessProbe", "httpGet", "path"), "/livez");
  assert.equal(at(container, "securityContext", "readOnlyRootFilesystem"), true);
  assert.equal(at(pod, "securityContext", "runAsNonRoot"), true);
  assert.match(read("Dockerfile"), new RegExp(`USER ${Number(at(pod, "securityContext", "runAsUser"))}:`));
});

test("every setting that a file in deploy/ names is one", () => {
  const compose = parse(read("compose.yaml"));
  const config = documents(read("kubernetes/workflow-ui.yaml")).find(({ kind }) => kind === "ConfigMap");
  const settings = at(config, "data");
  assert.ok(isJsonRecord(settings));
  const unit = [...read("workflow-ui.service").matchAll(/\b([A-Z][A-Z_]+)=/g)].map(([, name]) => name ?? "");
  const image = /^ENV (.*)$/m.exec(read("Dockerfile"))?.[1] ?? "";
  const named = [
    ...Object.keys(compose.services.app.environment),
    ...Object.keys(settings),
    ...unit,
    ...image.split(" ").map((pair) => pair.split("=")[0] ?? ""),
    ...[...read("kubernetes/kustomization.yaml").matchAll(/literal=([A-Z_]+)=/g)].map(
      ([, name]) => name ?? "",
    ),
  ];
  const ofPrograms = ["HOME", "NODE_ENV", "XDG_CACHE_HOME", "NAME", "MALLOC_MMAP_THRESHOLD_"];
  const known = new Set([...SETTINGS.map(({ env }) => env), ...ofPrograms]);
  // Directives of systemd that look like a variable.
  const directives = new Set(["AF_INET", "AF_UNIX"]);
  assert.deepEqual(
    named.filter((name) => !known.has(name) && !directives.has(name)),
    [],
  );
  assert.ok(named.length > 10);
  assert.equal(compose.services.app.stop_grace_period, "45s");
  assert.equal(compose.services.app.depends_on.db.condition, "service_healthy");
  assert.equal(compose.services.app.read_only, true);
});

test("systemd reads its unit without a complaint", (t) => {
  if (spawnSync("systemd-analyze", ["--version"]).status !== 0) return t.skip("no systemd-analyze");
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", "deploy/workflow-ui.service"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  assert.equal(stderr.includes("workflow-ui.service"), false, stderr);
  assert.match(read("workflow-ui.service"), /^TimeoutStopSec=45$/m);
});

test("the dashboard and the alerts ask for figures that /metrics has, and name sections of the runbook", async (t) => {
  const server = await testPostgres();
  const service = await startService({ settings: { databaseUrl: await server.createDatabase() } });
  t.after(async () => {
    await service.close();
    await server.stop();
  });
  const nodes = [{ id: "badly", type: "tool", tool: "get_artifact", with: { id: "none" } }];
  const made = await service.call("create_workflow", { name: "Figures", nodes, edges: [] }, { key: true });
  await service.call("run_workflow", { id: made.envelope.data.workflow.id }, { key: true });
  let text = "";
  for (let n = 0; n < 5_000 && !text.includes('outcome="failed"'); n++)
    text = await (await service.fetch("/metrics")).text();
  const lines = text.split("\n");
  const types = new Map(
    lines
      .filter((line) => line.startsWith("# TYPE "))
      .map((line) => [line.split(" ")[2] ?? "", line.split(" ")[3]]),
  );
  const { groups } = parse(read("alerts.yaml"));
  const { panels } = JSON.parse(read("grafana-dashboard.json"));
  const rules: { expr: string; annotations: { runbook: string } }[] = groups[0].rules;
  const expressions: readonly string[] = [
    ...rules.map(({ expr }) => expr),
    ...panels.flatMap((panel: { targets: { expr: string }[] }) => panel.targets.map(({ expr }) => expr)),
  ];
  assert.ok(expressions.length > 40);
  for (const expression of expressions) {
    for (const [, name = "", labels = ""] of expression.matchAll(
      /\b((?:svc|process|nodejs)_\w+)(?:\{([^}]*)\})?/g,
    )) {
      const base = name.replace(/_(?:bucket|sum|count)$/, "");
      assert.ok(types.has(name) || types.get(base) === "histogram", `${name} is not in /metrics`);
      for (const [, label = ""] of labels.matchAll(/(\w+)=/g)) {
        if (label === "instance" || label === "job") continue;
        assert.ok(
          lines.some((line) => line.startsWith(`${name}{`) && line.includes(`${label}="`)),
          `${name} has no label ${label}`,
        );
      }
    }
  }
  const titles = readFileSync(path.join(ROOT, "docs/runbook.md"), "utf8").matchAll(/^## (.+)$/gm);
  const sections = new Set([...titles].map(([, title = ""]) => title.toLowerCase().replaceAll(" ", "-")));
  for (const { annotations } of rules)
    assert.ok(sections.has(annotations.runbook.split("#")[1] ?? ""), annotations.runbook);
});
