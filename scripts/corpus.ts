import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync, existsSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { compileForm, TRUSTED_BOUNDS } from "../packages/forms/src/index.ts";
import { runAnchor } from "./corpus-anchor.ts";
import { corpusFolder } from "./corpus-folder.ts";
import {
  measureConstructs,
  measureOperations,
  measureSchemas,
  type NamedSchema,
  type SchemaReport,
} from "./corpus-measure.ts";
import { corpusPage } from "./corpus-page.ts";
import { measureSuite } from "./corpus-suite.ts";

/*
 * `npm run corpus -- FOLDER`: compiles every schema of a corpus, opens every valid instance in its form and
 * saves it again, asks for every verdict, and writes what came out to docs/corpus.md. `--no-anchor` leaves out
 * react-jsonschema-form, `--print` writes nothing. `--memory` is how it runs itself to measure the compiler's memory.
 */

const flags = process.argv.slice(2);
const folder = corpusFolder(flags);

/** A corpus need not have every part. */
function readJson(path: string): unknown {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null;
}

function texts(path: string): { name: string; text: string }[] {
  if (!existsSync(path)) return [];
  return readdirSync(path).map((name) => ({ name, text: readFileSync(join(path, name), "utf8") }));
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** Schemas that refer to files beside them get those as embedded resources: nothing is fetched. */
function embed(schema: unknown, companions: Readonly<Record<string, unknown>>): unknown {
  const root = record(schema);
  const text = JSON.stringify(schema);
  const old = typeof root["id"] === "string" && root["$id"] === undefined;
  const stated = root[old ? "id" : "$id"];
  const base = typeof stated === "string" ? stated.replace(/#.*$/, "") : "https://corpus.invalid/root.json";
  const wanted = new Map<string, unknown>();
  const add = (from: string): void => {
    for (const [name, companion] of Object.entries(companions)) {
      if (wanted.has(name) || !from.includes(`${name}#`)) continue;
      wanted.set(name, companion);
      add(JSON.stringify(companion));
    }
  };
  add(text);
  if (wanted.size === 0) return schema;
  const embedded = [...wanted].map(([name, companion]) => [
    `embedded ${name}`,
    { ...record(companion), [old ? "id" : "$id"]: URL.parse(name, base)?.href ?? name },
  ]);
  return { ...root, definitions: { ...record(root["definitions"]), ...Object.fromEntries(embedded) } };
}

const companions = Object.fromEntries(
  texts(join(folder, "schemastore-deps")).map(({ name, text }) => [name, JSON.parse(text)]),
);
const names = existsSync(join(folder, "schemastore")) ? readdirSync(join(folder, "schemastore")) : [];
const store: NamedSchema[] = names.map((name) => {
  const at = join(folder, "schemastore", name);
  return {
    set: "SchemaStore",
    name,
    schema: embed(readJson(join(at, "schema.json")), companions),
    positive: texts(join(at, "positive")),
    negative: texts(join(at, "negative")),
  };
});
const given = readJson(join(folder, "mcp-tools.json"));
const tools: NamedSchema[] = (Array.isArray(given) ? given : []).map((tool) => {
  const { server, name, inputSchema } = record(tool);
  return {
    set: "MCP tools",
    name: `${String(server)}:${String(name)}`,
    schema: inputSchema,
    positive: [],
    negative: [],
  };
});
const operations = measureOperations(
  texts(join(folder, "openapi")).map(({ name, text }) => ({
    name: name.replace(/\.json$/, ""),
    document: JSON.parse(text),
  })),
);
const constructs = measureConstructs(record(readJson(join(folder, "constructs", "constructs.json"))));
const schemas = [...store, ...tools, ...operations.bodies];

/** The peak of a process of its own that holds the corpus and compiles all of it; nothing else runs there. */
function compilerMemory(): number {
  const arguments_ = [fileURLToPath(import.meta.url), folder, "--memory"];
  return Number(execFileSync(process.execPath, arguments_, { encoding: "utf8" }));
}

if (flags.includes("--memory")) {
  for (const { schema } of schemas) compileForm(schema, { formId: "memory", bounds: TRUSTED_BOUNDS });
  process.stdout.write(String(process.resourceUsage().maxRSS / 1_024));
  process.exit(0);
}
const compilerMb = compilerMemory();
const reports: readonly SchemaReport[] = await measureSchemas(schemas);
const anchor = flags.includes("--no-anchor") ? null : await runAnchor(schemas);
const memoryMb = process.resourceUsage().maxRSS / 1_024;
const suite = measureSuite(folder);
const measured = `Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}, ${Math.round(totalmem() / 2 ** 30)} GB, ${(loadavg()[0] ?? 0).toFixed(1)} processes running on average in the last minute.`;
const page = corpusPage({ reports, constructs, operations, anchor, suite, compilerMb, memoryMb, measured });
process.stdout.write(`${page}\n`);
if (!flags.includes("--print")) writeFileSync(new URL("../docs/corpus.md", import.meta.url), page);
