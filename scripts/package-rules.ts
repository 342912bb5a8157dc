import { posix } from "node:path";

/*
 * What the two packages may import and who may reach into them (docs/adr/0013). Their sources stand in src/forms and
 * web/src/forms; the web app is a user of the packages like any other.
 */

/** The framework-free files of web/src/forms: the state of a form, and the worker that checks it. */
const STATE = new Set([
  "web/src/forms/check-worker.ts",
  "web/src/forms/field-at.ts",
  "web/src/forms/form-store.ts",
  "web/src/forms/labels.ts",
  "web/src/forms/logic.ts",
  "web/src/forms/no-worker.ts",
  "web/src/forms/open-worker.ts",
  "web/src/forms/secrets.ts",
  "web/src/forms/validate.ts",
]);

/** The parts of the web app that the renderer draws with; they are published with it. */
const PRIMITIVES = new Set([
  "web/src/lib/cx.ts",
  "web/src/ui/bytes.ts",
  "web/src/ui/badge.tsx",
  "web/src/ui/button.tsx",
  "web/src/ui/long-text.tsx",
  "web/src/ui/menu.tsx",
  "web/src/ui/plain-editor.tsx",
  "web/src/ui/popover.ts",
  "web/src/ui/segmented.tsx",
]);

const CORE = /^@workflow-ui\/forms(\/check|\/hints|\/sample)?$/;
/** What is published inside forms-react; anything else has to be weighed against its size budget. */
const RENDERER_PACKAGES = /^(react|lucide-react)$/;
/** Writes the names of this service into examples, so it is not part of the package. */
const OURS = new Set(["src/forms/examples.ts"]);

const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+)["']([^"']+)["']/gm;

/** The imports of a file that belong to a package, or use one, and are not allowed. */
export function packageViolations(file: string, source: string): string[] {
  if (/\.(test|testsuite)\.ts$/.test(file)) return [];
  const rule = ruleOf(file);
  if (rule === null) return [];
  return [...source.matchAll(SPECIFIER)].flatMap(
    ([, specifier = ""]) => rule(specifier, target(file, specifier)) ?? [],
  );
}

type Rule = (specifier: string, path: string | null) => string | null;

function ruleOf(file: string): Rule | null {
  if (STATE.has(file)) return stateRule;
  if (file.startsWith("web/src/forms/")) return rendererRule;
  if (PRIMITIVES.has(file)) return primitiveRule;
  if (file.startsWith("web/src/")) return appRule;
  return null;
}

/** The file of this repository that an import names; null for a package. */
function target(file: string, specifier: string): string | null {
  if (specifier.startsWith("#")) return `src/${specifier.slice(1)}`;
  return specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : null;
}

const appRule: Rule = (specifier, path) => {
  if (path === null || OURS.has(path)) return null;
  if (path.startsWith("src/forms/") || path.startsWith("web/src/forms/"))
    return `imports ${specifier}: the app uses only the public API, @workflow-ui/forms and @workflow-ui/forms-react (packages/*/index.ts); export there what is missing`;
  return null;
};

const stateRule: Rule = (specifier, path) => {
  if (
    path !== null &&
    (STATE.has(path) || (path.startsWith("src/forms/") && !OURS.has(path) && path !== "src/forms/index.ts"))
  )
    return null;
  return `imports ${specifier}: the state of a form uses single files of #forms and others that STATE in scripts/package-rules.ts lists`;
};

const rendererRule: Rule = (specifier, path) => {
  if (path === null && (CORE.test(specifier) || RENDERER_PACKAGES.test(specifier))) return null;
  if (path !== null && (PRIMITIVES.has(path) || (path.startsWith("web/src/forms/") && !STATE.has(path))))
    return null;
  return `imports ${specifier}: the renderer is a package and uses only @workflow-ui/forms (packages/forms/index.ts), its own files, and what scripts/package-rules.ts lists`;
};

const primitiveRule: Rule = (specifier, path) => {
  if (path === null ? RENDERER_PACKAGES.test(specifier) : PRIMITIVES.has(path)) return null;
  return `imports ${specifier}: it is published with the renderer and uses only what scripts/package-rules.ts lists`;
};

/** Imports that must be found; where one is let through, the check is blind. */
export const PACKAGE_CANARIES = [
  ["web/src/pages/canary.tsx", 'import { FormStore } from "../forms/form-store.ts";'],
  ["web/src/pages/canary.tsx", 'const { compileForm } = await import("#forms/compile.ts");'],
  ["web/src/forms/canary.tsx", 'import { router } from "../router.tsx";'],
  ["web/src/forms/canary.tsx", 'import { Popover } from "radix-ui";'],
  ["web/src/forms/logic.ts", 'import { useState } from "react";'],
  ["web/src/ui/button.tsx", 'import { toast } from "../shell/notices.ts";'],
] as const;
