import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  checkValue,
  compileForm,
  TRUSTED_BOUNDS,
  validate,
  validateForm,
  type Dialect,
} from "../src/forms/index.ts";
import { checkText } from "../src/workers/schema-checker.ts";

/*
 * The official JSON-Schema-Test-Suite, where the corpus has a copy of it (`json-schema-test-suite/tests`). Tests that
 * need other documents are counted apart: nothing is fetched.
 */

/** What came out for one draft. */
export interface SuiteReport {
  readonly draft: string;
  readonly total: number;
  readonly right: number;
  readonly wrong: readonly string[];
  readonly unknown: number;
  readonly needRemote: number;
  readonly differ: number;
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  draft4: "draft-04",
  draft6: "draft-06",
  draft7: "draft-07",
  "draft2019-09": "2019-09",
  "draft2020-12": "2020-12",
};

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

/** The required part of every draft that we know. */
export function measureSuite(folder: string): readonly SuiteReport[] {
  const root = join(folder, "json-schema-test-suite", "tests");
  if (!existsSync(root)) return [];
  return Object.entries(DIALECTS).flatMap(([draft, dialect]) => {
    const at = join(root, draft);
    return existsSync(at) ? [measureDraft(at, draft, dialect)] : [];
  });
}

function measureDraft(at: string, draft: string, dialect: Dialect): SuiteReport {
  const counts = { total: 0, right: 0, unknown: 0, needRemote: 0, differ: 0 };
  const wrong: string[] = [];
  for (const file of readdirSync(at).filter((name) => name.endsWith(".json"))) {
    const groups: readonly Group[] = JSON.parse(readFileSync(join(at, file), "utf8"));
    for (const { description, schema, tests } of groups) {
      for (const test of tests) {
        // Formats are annotations by default; `checkValue` is the same validator without them.
        const verdict = checkValue(schema, test.data, { dialect, formats: false });
        const { reason = "" } = validate(schema, test.data, { dialect, hasDeadline: true });
        if (verdict === "unknown" && reason.includes("another document")) {
          counts.needRemote += 1;
          continue;
        }
        counts.total += 1;
        if (verdict === "unknown") counts.unknown += 1;
        else if ((verdict === "valid") === test.valid) counts.right += 1;
        else wrong.push(`${draft}/${file}: ${description}: ${test.description}`);
        if (differs(schema, test.data)) counts.differ += 1;
      }
    }
  }
  return { draft, ...counts, wrong };
}

/** True when the browser's way to a verdict and the server's lead to different ones. */
function differs(schema: unknown, data: unknown): boolean {
  const { form } = compileForm(schema, { formId: "suite", bounds: TRUSTED_BOUNDS });
  if (!form) return false;
  const server = checkText(JSON.stringify(schema), JSON.stringify(data));
  const browser = validateForm(form, JSON.parse(JSON.stringify(data)), { hasDeadline: true });
  return server.verdict !== browser.verdict;
}
