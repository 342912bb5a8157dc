import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { startCliWorld, type CliWorld } from "../cli/support.ts";
import { json, startApiServer } from "../connections/api-server.ts";
import { serverEntry } from "../connections/everything.ts";

/*
 * Every command of a shell block in the README and the guides is run by a test: here when a running service is all that
 * it needs, otherwise by the test that this table names, or at least something of its kind is. docs/cli.md is left to tests/cli/examples.test.ts.
 */

/** Blocks that are pasted here, by their file and what they contain. */
const HERE: readonly { readonly file: string; readonly has: string }[] = [
  { file: "README.md", has: "curl" },
  { file: "docs/provenance.md", has: "suitectl provenance" },
  { file: "docs/storage.md", has: "suitectl retention" },
];

/** Which test runs the others. */
const ELSEWHERE: readonly (readonly [command: RegExp, test: string])[] = [
  [/^npm run package|^npx --package \S+ workflow-ui|^npx workflow-ui/, "tests/packages/npm-package.test.ts"],
  [/^docker |&& docker /, "tests/deploy/image.test.ts"],
  [/^npm start/, "tests/gateway/packed.test.ts"],
  [/^npm run generate$/, "tests/docs/adding-an-operation.test.ts"],
  [/^npm (?:test|run check)|^node_modules\/\.bin\/node --test/, "tests/packages/test-runner.test.ts"],
  [/^(?:npx )?suitectl /, "tests/cli/examples.test.ts"],
  [/^curl -X POST \S+\/api\/svc\/triggers /, "tests/triggers/schedules.test.ts"],
  [/^HEX=|^printf /, "tests/provenance/provenance.test.ts"],
];

interface ShellBlock {
  readonly file: string;
  readonly text: string;
}

const blocks: readonly ShellBlock[] = globSync("{README.md,CONTRIBUTING.md,docs/**/*.md}")
  .filter((file) => file !== "docs/cli.md")
  .flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = ""]) => ({ file, text })),
  );
const isHere = ({ file, text }: ShellBlock): boolean =>
  HERE.some((one) => one.file === file && text.includes(one.has));
const isRequest = ({ file, text }: ShellBlock): boolean =>
  file === "docs/connections.md" && /^api\b/m.test(text);

const operation = (operationId: string, more: object) => ({
  operationId,
  responses: { 200: { description: "Done" } },
  ...more,
});
const petId = { name: "petId", in: "path", required: true, schema: { type: "integer" } };
const body = { content: { "application/json": { schema: { type: "object" } } } };
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

describe("commands of the documentation", () => {
  let world: CliWorld;
  before(async () => {
    world = await startCliWorld({ settings: { programEnvironment: { PATH: process.env["PATH"] ?? "" } } });
    await world.provide("run");
  });
  after(() => world.close());

  it("are run by a test", () => {
    const missing: string[] = [];
    for (const block of blocks.filter((one) => !isHere(one) && !isRequest(one))) {
      for (const line of block.text.replaceAll(/\\\n\s*/g, "").split("\n")) {
        if (/^\s*(?:#|$)|^ {2,}/.test(line)) continue;
        const [, test] = ELSEWHERE.find(([command]) => command.test(line)) ?? [];
        if (test === undefined || !existsSync(test))
          missing.push(`${block.file}: ${line} (${test ?? "no test"})`);
      }
    }
    assert.deepEqual(missing, []);
  });

  for (const block of blocks.filter(isHere)) {
    it(`of ${block.file} work when they are pasted: ${block.text.split("\n", 1)[0]}`, async () => {
      const text = block.text.replaceAll("http://127.0.0.1:8080", world.service.url);
      const { status, stdout, stderr } = await world.paste(text, { key: true });
      assert.equal(status, 0, `${stdout}\n${stderr}`);
      assert.doesNotMatch(stdout, /"error"/);
    });
  }

  it("of docs/connections.md are answered when they are sent", async () => {
    let reads = 0;
    const api = await startApiServer({
      "GET /openapi.json": (request, response) => {
        reads += 1;
        // Changed after the probe and the first reading: two operations wait to be accepted then.
        const text = JSON.stringify(PETSTORE);
        const changed = text.replace(`{"type":"object"}`, `{"type":"object","required":["name"]}`);
        const now = reads > 2 ? changed.replaceAll(`"integer"`, `"integer","minimum":1`) : text;
        return json(JSON.parse(now))(request, response);
      },
      "GET /pet/1": json({ id: 1, name: "Rex" }),
    });
    const program = JSON.stringify([serverEntry("server-filesystem"), world.folder]);
    const text = blocks
      .filter(isRequest)
      .map((block) => block.text)
      .join("")
      .replace(/SUITE_URL=\S+ SUITE_API_KEY=…/, `SUITE_URL=${world.service.url}`)
      .replace("curl -sS", "curl -sS --fail-with-body")
      .replaceAll(
        /"url": "https:\/\/petstore3[^"]+"/g,
        `"url": "${api.url}/openapi.json", "allowPrivateOrigin": true`,
      )
      .replace(/"command": "npx", "args": \[[^\]]+\]/, `"command": "${process.execPath}", "args": ${program}`)
      .replace(`{"digest": "sha256:…"}`, "{}");
    const { status, stdout, stderr } = await world.paste(text, { key: true });
    await api.close();
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    assert.match(stdout, /Rex/);
  });

  it("are pasted from every block that is named", () => {
    assert.equal(blocks.filter(isHere).length, HERE.length);
  });
});
