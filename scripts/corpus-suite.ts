import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  checkValue,
  compileForm,
  TRUSTED_BOUNDS,
  validate,
  validateForm,
  withCompanions,
  type Dialect,
  type JsonObject,
} from "../packages/forms/src/index.ts";
import { checkText } from "../src/workers/schema-checker.ts";

/*
 * The official JSON-Schema-Test-Suite, where the corpus has a copy of it (`json-schema-test-suite/tests`). Tests that
 * need other documents are counted apart: nothing is fetched.
 */

/** The results for one draft. */
export interface SuiteReport {
  readonly draft: string;
  readonly total: number;
  readonly right: number;
  readonly wrong: readonly string[];
  readonly unknown: number;
  readonly needRemote: number;
  /** How many of those are right once the documents of the suite are given. */
  readonly withRemote: number;
  readonly differ: number;
  readonly formats: { readonly total: number; readonly right: number; readonly wrong: readonly string[] };
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  draft4: "draft-04",
  draft6: "draft-06",
  draft7: "draft-07",
  "draft2019-09": "2019-09",
  "draft2020-12": "2020-12",
};

const SCHEMA_URIS: Readonly<Record<string, string>> = {
  draft4: "http://json-schema.org/draft-04/schema#",
  draft6: "http://json-schema.org/draft-06/schema#",
  draft7: "http://json-schema.org/draft-07/schema#",
  "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
  "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
};

interface Group {
  readonly description: string;
  readonly schema: JsonObject | boolean;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

/** The required part of every draft that we know, and its tests of formats. */
export function measureSuite(folder: string): readonly SuiteReport[] {
  const root = join(folder, "json-schema-test-suite");
  return Object.entries(DIALECTS).flatMap(([draft, dialect]) => {
    const at = join(root, "tests", draft);
    return existsSync(at) ? [measureDraft(at, draft, dialect, documentsOf(root, draft))] : [];
  });
}

/** The documents that tests of a draft refer to, by the address that the suite gives them. */
function documentsOf(root: string, draft: string): Readonly<Record<string, unknown>> {
  const at = join(root, "remotes");
  if (!existsSync(at)) return {};
  const paths = readdirSync(at, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".json") && (!path.startsWith("draft") || path.startsWith(`${draft}/`)),
  );
  return Object.fromEntries(
    paths.map((path) => [`http://localhost:1234/${path}`, JSON.parse(readFileSync(join(at, path), "utf8"))]),
  );
}

function groupsIn(at: string): readonly { readonly file: string; readonly group: Group }[] {
  if (!existsSync(at)) return [];
  return readdirSync(at)
    .filter((name) => name.endsWith(".json"))
    .flatMap((file) => {
      const groups: readonly Group[] = JSON.parse(readFileSync(join(at, file), "utf8"));
      return groups.map((group) => ({ file, group }));
    });
}

function measureDraft(
  at: string,
  draft: string,
  dialect: Dialect,
  documents: Readonly<Record<string, unknown>>,
): SuiteReport {
  const counts = { total: 0, right: 0, unknown: 0, needRemote: 0, withRemote: 0, differ: 0 };
  const wrong: string[] = [];
  for (const { file, group } of groupsIn(at)) {
    const { description, schema, tests } = group;
    for (const test of tests) {
      // Formats are annotations by default; `checkValue` is the same validator without them.
      const options = { dialect, formats: false };
      const verdict = checkValue(schema, test.data, options);
      const { reason = "" } = validate(schema, test.data, { dialect, hasDeadline: true });
      if (verdict === "unknown" && reason.includes("another document")) {
        counts.needRemote += 1;
        const given = { $schema: SCHEMA_URIS[draft] ?? "", ...(typeof schema === "object" && schema) };
        const then = checkValue(withCompanions(given, documents), test.data, options);
        if (then === (test.valid ? "valid" : "invalid")) counts.withRemote += 1;
        continue;
      }
      counts.total += 1;
      if (verdict === "unknown") counts.unknown += 1;
      else if ((verdict === "valid") === test.valid) counts.right += 1;
      else wrong.push(`${draft}/${file}: ${description}: ${test.description}`);
      if (differs(schema, test.data)) counts.differ += 1;
    }
  }
  return { draft, ...counts, wrong, formats: measureFormats(join(at, "optional", "format"), draft, dialect) };
}

function measureFormats(at: string, draft: string, dialect: Dialect): SuiteReport["formats"] {
  const wrong: string[] = [];
  let total = 0;
  for (const { file, group } of groupsIn(at))
    for (const test of group.tests) {
      total += 1;
      if (checkValue(group.schema, test.data, { dialect }) !== (test.valid ? "valid" : "invalid"))
        wrong.push(`${draft}/optional/format/${file}: ${test.description}`);
    }
  return { total, right: total - wrong.length, wrong };
}

/** True when the browser's way to a verdict and the server's lead to different ones. */
function differs(schema: unknown, data: unknown): boolean {
  const { form } = compileForm(schema, { formId: "suite", bounds: TRUSTED_BOUNDS });
  if (!form) return false;
  const server = checkText(JSON.stringify(schema), JSON.stringify(data));
  const browser = validateForm(form, JSON.parse(JSON.stringify(data)), { hasDeadline: true });
  return server.verdict !== browser.verdict;
}
