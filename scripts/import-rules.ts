import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import process from "node:process";
import {
  LAYERS,
  MODULES,
  PACKAGE_IMPORTS,
  WEB_GROUPS,
  WEB_PACKAGES,
  WEB_SHARED,
  type Module,
} from "./layers.ts";

/*
 * Enforces scripts/layers.ts: a module of src/ imports only the modules that its row names, types included, and a row
 * names only modules before it, so that nothing imports upwards or in a circle. app.ts, main.ts and config.ts wire the
 * service and may import everything; no module may import them, or anything outside src/ but the packages in the table.
 * The same holds for the groups of web/src, which use only the public API of the packages, and for packages/. Tests are
 * not looked at.
 */

const WIRING = new Set(["app", "main", "config", "config-table"]);
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)["']([^"']+)["']/g;

/** An import that the table does not allow, or a fault of the table. */
interface Violation {
  readonly file: string;
  readonly message: string;
}

/** Rows that would allow imports upwards or in a circle. */
function faultsOf(table: readonly Module[]): Violation[] {
  const file = "scripts/layers.ts";
  const found: Violation[] = [];
  const earlier = new Set<string>();
  let highest = 0;
  for (const { name, layer, imports } of table) {
    const level = LAYERS.indexOf(layer);
    if (level < highest) found.push({ file, message: `${name} stands behind a module of a higher layer` });
    for (const imported of imports)
      if (!earlier.has(imported)) found.push({ file, message: `${name} imports ${imported}, not before it` });
    highest = Math.max(highest, level);
    earlier.add(name);
  }
  return found;
}

/** The module of a path: its folder under src/, its own name when it stands right under src/, or a package. */
function moduleOf(path: string): string {
  const packed = MODULES.find(({ folder }) => folder !== undefined && path.startsWith(`${folder}/`));
  if (packed) return packed.name;
  const [first = ""] = path.replace(/^src\//, "").split("/");
  return first.replace(/\.ts$/, "");
}

function violationsIn(file: string, source: string, modules: ReadonlyMap<string, Module>): Violation[] {
  const from = moduleOf(file);
  if (WIRING.has(from)) return [];
  const module = modules.get(from);
  if (!module) return [{ file, message: `src/${from} is not in scripts/layers.ts` }];
  const found: Violation[] = [];
  for (const [, specifier = ""] of source.matchAll(IMPORT)) {
    if (!specifier.startsWith(".")) continue;
    const target = posix.join(posix.dirname(file), specifier);
    // The version stands in the manifest only.
    if (target === "package.json") continue;
    // The command line is a user of the typed client like any other.
    if (from === "cli" && target === "packages/client/client.ts") continue;
    const to = moduleOf(target);
    if (!target.startsWith("src/") && !modules.has(to)) {
      found.push({ file, message: `imports ${target}, which is outside src/` });
      continue;
    }
    if (to !== from && !module.imports.includes(to)) {
      found.push({ file, message: `imports ${target}: ${from} may not import from ${to}` });
    }
  }
  return found;
}

/** Imports of the web app and the packages that go upwards, or out of what is shared. */
function clientViolations(file: string, source: string): Violation[] {
  return [...source.matchAll(IMPORT)]
    .filter(([, specifier = ""]) => !(file.startsWith("packages/") ? packageMay : webMay)(file, specifier))
    .map(([, specifier]) => ({
      file,
      message: `imports ${specifier}, which scripts/layers.ts does not allow`,
    }));
}

function packageMay(file: string, specifier: string): boolean {
  const [, name = ""] = file.split("/");
  if (!specifier.startsWith(".")) return PACKAGE_IMPORTS[name]?.includes(specifier) ?? false;
  return posix.join(posix.dirname(file), specifier).startsWith(`packages/${name}/`);
}

function webMay(file: string, specifier: string): boolean {
  if (specifier.startsWith("#")) return WEB_SHARED.includes(moduleOf(`src/${specifier.slice(1)}`));
  if (specifier.startsWith("@workflow-ui/")) return WEB_PACKAGES.test(specifier);
  if (!specifier.startsWith(".")) return true;
  const target = posix.join(posix.dirname(file), specifier);
  if (!target.startsWith("web/src/")) return false;
  const [from, to] = [groupOf(file), groupOf(target)];
  return from === null || to === null || to <= from;
}

/** The group of a file of the web app; null where other rules hold. */
function groupOf(file: string): number | null {
  const [first = ""] = file.replace(/^web\/src\//, "").split("/");
  const group = WEB_GROUPS.findIndex((names) => names.includes(first.replace(/\.tsx?$/, "")));
  return group === -1 ? null : group;
}

const modules = new Map(MODULES.map((module) => [module.name, module]));

// The canaries: if one of these were let through, the check would be blind.
const canaries = [
  violationsIn("src/kernel/canary.ts", 'import { x } from "../gateway/server.ts";', modules),
  violationsIn("src/kernel/canary.ts", 'import type { X } from "../app.ts";', modules),
  faultsOf([
    { name: "low", layer: "core", purpose: "", imports: ["high"] },
    { name: "high", layer: "domains", purpose: "", imports: [] },
  ]),
  clientViolations("web/src/lib/canary.ts", 'import { x } from "../pages/home.tsx";'),
  clientViolations("web/src/pages/canary.ts", 'import { x } from "#storage/open.ts";'),
  clientViolations("packages/client/canary.ts", 'import { x } from "../../src/kernel/json.ts";'),
  clientViolations("packages/forms/src/state/canary.ts", 'import { useState } from "react";'),
  clientViolations("packages/forms-react/src/canary.tsx", 'import { x } from "../../../web/src/lib/x.ts";'),
  clientViolations("packages/forms-react/src/ui/canary.tsx", 'import { Popover } from "radix-ui";'),
  clientViolations("web/src/pages/canary.tsx", 'import { x } from "../../../packages/forms/src/index.ts";'),
  clientViolations("web/src/pages/canary.tsx", 'await import("@workflow-ui/forms-react/form.tsx");'),
];
if (canaries.some(({ length }) => length !== 1)) {
  console.error("The import check no longer sees a forbidden import (a canary was let through).");
  process.exit(1);
}

const files = globSync("src/**/*.ts").filter((file) => !file.endsWith(".test.ts"));
const violations = [
  ...faultsOf(MODULES),
  ...files.flatMap((file) => violationsIn(file, readFileSync(file, "utf8"), modules)),
  ...globSync(["web/src/**/*.{ts,tsx}", "packages/client/*.ts", "packages/*/src/**/*.{ts,tsx}"])
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .flatMap((file) => clientViolations(file, readFileSync(file, "utf8"))),
];
for (const { file, message } of violations) console.error(`${file} ${message}`);
if (violations.length > 0) process.exit(1);
console.log(`${files.length} files import only what scripts/layers.ts allows.`);
