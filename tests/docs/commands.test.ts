import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { after, before, describe, it } from "node:test";
import { createWorkflow, startCliWorld, startRun, type CliWorld } from "../cli/support.ts";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { serverEntry } from "../connections/everything.ts";
import { TEST_KEY } from "../support/service.ts";
import { publish } from "../triggers/support.ts";

/*
 * The commands of the README and the guides are executed as a reader does it: page by page, each page's blocks in order
 * in one shell, against one service. docs/cli.md is pasted by tests/cli/examples.test.ts.
 */

/** Commands that are not executed here, why, and the test that does what they do. */
const EXCEPTIONS: readonly {
  readonly command: RegExp;
  readonly why: string;
  readonly test: string;
}[] = [
  {
    command: /^npx --package \S+ workflow-ui|^npx workflow-ui/,
    why: "it is the service itself, from a package that is not on npm yet",
    test: "tests/packages/npm-package.test.ts",
  },
  {
    command: /^npm run package/,
    why: "it builds the web app again, and starts the service after that",
    test: "tests/packages/npm-package.test.ts",
  },
  {
    command: /^docker /,
    why: "it takes a container engine and minutes",
    test: "tests/deploy/image.test.ts",
  },
  { command: /^npm start/, why: "it is the service itself", test: "tests/gateway/packed.test.ts" },
  {
    command: /^npm run (?:generate|check)$|^node_modules\/\.bin\/node --test/,
    why: "it needs the changes that the guide makes before",
    test: "tests/docs/adding-an-operation.test.ts",
  },
  {
    command: /suitectl form fill/,
    why: "it asks questions on a terminal",
    test: "tests/cli/terminal.test.ts",
  },
  {
    command: /^suitectl vault add crm/,
    why: "a person signs in at the other service",
    test: "tests/vault/oauth.test.ts",
  },
];

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PETSTORE_URL = "https://petstore3.swagger.io/api/v3/openapi.json";

const operation = (operationId: string, more: object) => ({
  operationId,
  responses: { 200: { description: "Done" } },
  ...more,
});
const petId = { name: "petId", in: "path", required: true, schema: { type: "integer" } };
const pet = {
  type: "object",
  properties: { name: { type: "string" }, photoUrls: { type: "array", items: { type: "string" } } },
};
const body = { content: { "application/json": { schema: pet } } };
/** The parts of the Petstore that the guide names. */
const PETSTORE = {
  openapi: "3.0.3",
  info: { title: "Petstore", version: "1" },
  paths: {
    "/pet": { post: operation("addPet", { requestBody: body }) },
    "/pet/findByStatus": {
      get: operation("findPetsByStatus", {
        parameters: [{ name: "status", in: "query", schema: { type: "string" } }],
      }),
    },
    "/pet/{petId}": {
      get: operation("getPetById", { parameters: [petId] }),
      delete: operation("deletePet", { parameters: [petId] }),
    },
  },
};

/** What a reader has ready or fills in before the commands of a page work, and what shows that they did. */
interface Page {
  readonly prepare?: (world: CliWorld) => Promise<void>;
  readonly replaced?: (
    world: CliWorld,
  ) => Promise<readonly (readonly [written: string | RegExp, by: string])[]>;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The folder that the page is read in, where that is the clone. */
  readonly cwd?: string;
  readonly shows: RegExp;
}

let petstore: ApiServer;
const PAGES: Readonly<Record<string, Page>> = {
  "README.md": {
    cwd: ROOT,
    replaced: () => Promise.resolve([["suite_live_…", TEST_KEY]]),
    shows: /"structuredContent"/,
  },
  "docs/agents.md": { shows: /sales/ },
  "docs/connections.md": {
    replaced: (world) => {
      const program = JSON.stringify([serverEntry("server-filesystem"), world.folder]);
      return Promise.resolve([
        ["SUITE_API_KEY=…", ""],
        ["curl -sS", "curl -sS --fail-with-body"],
        [`"url": "${PETSTORE_URL}"`, `"url": "${petstore.url}/openapi.json", "allowPrivateOrigin": true`],
        // The page adds the same API in two ways.
        [/^suitectl connections add (.*)$/m, "api DELETE /petstore\nsuitectl connections add $1 --private"],
        [PETSTORE_URL, `${petstore.url}/openapi.json`],
        [/"command": "npx", "args": \[[^\]]+\]/, `"command": "${process.execPath}", "args": ${program}`],
        [`{"digest": "sha256:…"}`, "{}"],
      ]);
    },
    shows: /Rex[^]*Rex/,
  },
  "docs/install.md": { cwd: ROOT, shows: /health\thealthy/ },
  "docs/provenance.md": { env: { SALT: "ab".repeat(32) }, shows: /inclusion\tpass[^]*= [0-9a-f]{64}$/m },
  "docs/repair.md": { prepare: (world) => world.provide("failed-run"), shows: /run_/ },
  "docs/storage.md": { shows: /365/ },
  "docs/triggers.md": {
    env: { KEY: TEST_KEY },
    replaced: async ({ service }) => [
      ["curl -X", "curl --fail-with-body -X"],
      ["workflow_…", await publish(service)],
    ],
    shows: /"cron":"0 7 \* \* 1-5"/,
  },
  "docs/vault.md": {
    prepare: ({ folder }) => {
      writeFileSync(join(folder, "work", "token.txt"), "a-token-of-the-docs\n", { mode: 0o600 });
      return Promise.resolve();
    },
    env: { WEATHER_KEY: "a-key-of-the-docs" },
    stdin: "a-password-of-the-docs\n",
    shows: /issues[^]*weather[^]*erp/,
  },
  "docs/workflows.md": {
    replaced: async ({ service }) => {
      const paid = { id: "paid", type: "wait", wait: { signal: "payment", timeoutMs: 86_400_000 } };
      return [["RUN_ID", await startRun(service, { nodes: [paid], edges: [] })]];
    },
    shows: /payment/,
  },
};

/** The lines of a page's shell blocks, without those that are executed elsewhere. */
function commandsOf(file: string): { readonly text: string; readonly left: readonly string[] } {
  const left: string[] = [];
  const lines = [...readFileSync(file, "utf8").matchAll(/^```sh\n(.*?)^```/gms)]
    .flatMap(([, text = ""]) => text.trimEnd().split("\n"))
    .filter((line) => {
      const isLeft = EXCEPTIONS.some(({ command }) => command.test(line));
      if (isLeft) left.push(line);
      return !isLeft;
    });
  return { text: lines.join("\n"), left };
}

const files = globSync("{README.md,CONTRIBUTING.md,docs/**/*.md}").filter((file) => file !== "docs/cli.md");

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe("commands of the documentation", () => {
  let world: CliWorld;
  let reads = 0;
  before(async () => {
    petstore = await startApiServer({
      "GET /openapi.json": (request, response) => {
        reads += 1;
        // Changed after the probe and the first reading: two operations wait to be accepted then.
        const text = JSON.stringify(PETSTORE);
        const changed = text.replace(`{"type":"object",`, `{"type":"object","required":["name"],`);
        const now = reads > 2 ? changed.replaceAll(`"integer"`, `"integer","minimum":1`) : text;
        return json(JSON.parse(now))(request, response);
      },
      "GET /pet/1": json({ id: 1, name: "Rex" }),
    });
    world = await startCliWorld({ settings: { programEnvironment: { PATH: process.env["PATH"] ?? "" } } });
    await createWorkflow(world.service, "Of the documentation", { nodes: [], edges: [] });
    await world.provide("run");
  });
  after(async () => {
    await world?.close();
    await petstore?.close();
  });

  for (const file of files) {
    const { text } = commandsOf(file);
    if (text.trim() === "") continue;
    it(`of ${file} work in order`, async (t) => {
      if (!hasCurl && /\bcurl -/.test(text)) return t.skip("curl is not installed");
      const page = PAGES[file];
      assert.ok(page !== undefined, `${file} has commands: say in PAGES what they need and what they show`);
      await page.prepare?.(world);
      let pasted = text.replaceAll("http://127.0.0.1:8080", world.service.url);
      for (const [written, by] of (await page.replaced?.(world)) ?? []) {
        const before = pasted;
        pasted = pasted.replaceAll(typeof written === "string" ? written : new RegExp(written, "gm"), by);
        assert.notEqual(pasted, before, `${file} does not have ${written}`);
      }
      const { status, stdout, stderr } = await world.paste(pasted, { key: true, ...page });
      assert.equal(status, 0, `${pasted}\n${stdout}\n${stderr}`);
      assert.doesNotMatch(stdout, /"error":/);
      assert.match(stdout, page.shows);
    });
  }

  it("are executed elsewhere where an exception says so, and no exception is left over", () => {
    const left = files.flatMap((file) => commandsOf(file).left);
    for (const { command, test } of EXCEPTIONS) {
      assert.ok(existsSync(test), test);
      assert.ok(
        left.some((line) => command.test(line)),
        `${command} is in no page`,
      );
    }
    assert.deepEqual(
      Object.keys(PAGES).filter((file) => !files.includes(file) || commandsOf(file).text.trim() === ""),
      [],
      "a page without commands",
    );
  });
});
