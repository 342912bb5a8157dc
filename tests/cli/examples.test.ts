import assert from "node:assert/strict";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { loadTable } from "../../src/cli/table.ts";
import { parseCommandLine } from "../../src/cli/program.ts";
import { listOf } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../support/json.ts";
import { startCliWorld, type CliWorld } from "./support.ts";

const table = await loadTable();
const { commands: COMMANDS, examples: EXAMPLES } = table;

/** Examples that ask questions; terminal.test.ts runs them in a pseudo-terminal. */
const INTERACTIVE = ["login-device", "login", "form-fill", "form-fill-schema"];

let world: CliWorld;
before(async () => {
  world = await startCliWorld({ settings: { withSuite: true } });
});
after(() => world.close());

describe("every example of the table works when it is pasted into a shell", () => {
  for (const { example } of EXAMPLES) {
    if (example.needs.includes("terminal")) continue;
    test(example.id, async () => {
      fresh();
      for (const need of example.needs) await world.provide(need);
      // An example that does not say it needs a key must work without one.
      const key = example.needs.includes("key");
      const { status, stdout, stderr } = await world.paste(example.text, { key });
      assert.equal(status, 0, `${example.text}\n${stdout}\n${stderr}`);
      assert.doesNotMatch(`${stdout}${stderr}`, new RegExp(world.service.key));
    });
  }

  test("those that ask questions are the ones that the terminal test runs", () => {
    const asking = EXAMPLES.filter(({ example }) => example.needs.includes("terminal"));
    assert.deepEqual(
      asking.map(({ example }) => example.id),
      INTERACTIVE,
    );
  });
});

describe("commands that the service prints work when they are pasted", () => {
  test("of share packets", async () => {
    fresh();
    const artifact = { title: 'It\'s "quoted" $HOME `x`', type: "note", lines: ["EOF", "ARTIFACT"] };
    const { envelope } = await world.service.call("create_share_packet", { artifact });
    const { save, export: exported } = envelope.data.packet.suitectl;
    const saved = await world.paste(`${save}\n`, { key: true });
    assert.equal(saved.status, 0, saved.stderr);
    const text = await world.paste(`${exported}\n`);
    assert.equal(text.status, 0, text.stderr);
    assert.match(text.stdout, /It's "quoted" \$HOME/);
    const { envelope: listed } = await world.service.call("list_artifacts", {}, { key: true });
    assert.equal(listed.data.artifacts[0]?.title, artifact.title);
  });

  test("of generated tool specs", async () => {
    const toolchain = ["create_local_artifact", "validate_form_input", "test_mcp_tool", "list_templates"];
    const { envelope } = await world.service.call("generate_tool_specs", {
      toolchain,
      topic: "It's a topic",
    });
    for (const { tool, suitectl } of envelope.data.specs) {
      const { status, stderr } = await world.paste(suitectl);
      assert.equal(status, 0, `${tool}: ${stderr}`);
    }
  });

  test("of generate_suitectl_command", async () => {
    await world.provide("artifact");
    const { envelope: listed } = await world.service.call("list_artifacts", {}, { key: true });
    const artifactId = listed.data.artifacts[0]?.id;
    assert.ok(artifactId);
    for (const wish of [
      {},
      { artifactId },
      { artifactId, action: "export" },
      { artifactId, action: "share" },
      { artifactId, target: "sandbox" },
      { artifactId, target: "docs", action: "report" },
      { templateId: "release-gate" },
      { templateId: "release-gate", protected: true },
      { target: "get_health" },
      { target: "get_health", action: "show" },
      { target: "runs" },
      { target: "workflows", action: "list" },
      { target: "sandbox", action: "run it" },
      { target: "vault" },
      { target: "completion" },
    ]) {
      const { envelope } = await world.service.call("generate_suitectl_command", wish);
      assert.equal(envelope.ok, true, JSON.stringify(wish));
      const { status, stderr } = await world.paste(envelope.data.command, { key: true });
      assert.equal(status, 0, `${envelope.data.command}: ${stderr}`);
    }
    const keyed = await world.service.call("generate_suitectl_command", { target: "create_workflow" });
    assert.partialDeepStrictEqual(keyed.envelope.data, { path: "tools call", needsKey: true, access: "key" });
    const wrong = await world.service.call("generate_suitectl_command", {
      target: "workflow",
      action: "lst",
    });
    assert.equal(wrong.envelope.data.error.code, "invalid_input");
    const dash = await world.service.call("generate_suitectl_command", {
      artifactId: "--url=https://elsewhere",
    });
    assert.equal(dash.envelope.data.error.code, "invalid_input");
  });

  test("of every tool's form are read by the program as that tool's call", async () => {
    const { json } = await world.service.rpc("tools/list");
    const lines: string[] = [];
    for (const { name } of json.result.tools) {
      const { envelope } = await world.service.call("render_mcp_tool_form", { toolName: name });
      for (const example of objectsAt(envelope.data.form, "examples"))
        if (example["kind"] === "suitectl") lines.push(textAt(example, "text"));
    }
    assert.ok(lines.length > 80, `${lines.length}`);
    const calls = await wordsOf(lines);
    for (const words of calls) {
      const parsed = parseCommandLine(words, table);
      assert.ok("given" in parsed, words.join(" "));
      assert.equal(parsed.given.spec.path, "tools call");
      assert.ok(parsed.given.argument("tool").length > 2);
      JSON.parse(parsed.given.option("args") ?? "");
    }
  });

  test("of the list are the table's, and one is found by its id", async () => {
    const { envelope } = await world.service.call("list_cli_examples");
    assert.equal(envelope.data.count, EXAMPLES.length);
    const [first] = EXAMPLES;
    assert.ok(first);
    const { envelope: one } = await world.service.call("get_cli_example", { id: first.example.id });
    assert.equal(one.data.example.text, first.example.text);
    const { envelope: none } = await world.service.call("get_cli_example", { id: "workflow-run" });
    assert.equal(none.data.error.code, "not_found");
    assert.ok(listOf(none.data.error.details["nearest"]).includes("workflows-run"));
    const { json } = await world.service.rpc("resources/read", { uri: "svc://cli/examples" });
    assert.match(json.result.contents[0]?.text ?? "", /suitectl workflows run latest/);
  });

  test("of the README and the guides are commands of the program", async () => {
    const root = new URL("../../", import.meta.url);
    const files = globSync("{README.md,docs/*.md}", { cwd: root });
    const texts = files
      .filter((file) => file !== "docs/cli.md" && file !== "docs/tools.md")
      .map((file) => readFileSync(new URL(file, root), "utf8"));
    const found = (pattern: RegExp): readonly string[] =>
      texts.flatMap((text) => [...text.matchAll(pattern)].map(([, line = ""]) => line.trim()));
    // Lines of shell blocks are pasted, so they must be whole; running text may name a command without its arguments.
    const blocks = await wordsOf(found(/^(?:npx |\$ )?(suitectl [^\n#|<>]+)/gm));
    assert.ok(blocks.length > 0);
    for (const words of blocks) assert.ok("given" in parseCommandLine(words, table), words.join(" "));
    for (const line of found(/`(suitectl [a-z-]+ [^`]+)`/g)) {
      const path = line.split(" ");
      const known = COMMANDS.some(
        (command) => command.path === path.slice(1, 3).join(" ") || command.path === path[1],
      );
      assert.ok(known, line);
    }
  });
});

/** An empty folder to work in, with the files that examples name. */
function fresh(): void {
  const folder = join(world.folder, "work");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, "key.txt"), `${world.service.key}\n`, { mode: 0o600 });
}

/** The words that a shell makes of command lines, without running the program. */
async function wordsOf(lines: readonly string[]): Promise<readonly (readonly string[])[]> {
  const script = `suitectl() { printf '%s\\0' "$@"; printf '\\n\\0'; }\n${lines.join("\n")}\n`;
  const { stdout, status, stderr } = await world.paste(script);
  assert.equal(status, 0, stderr);
  const calls: string[][] = [[]];
  for (const word of stdout.split("\0")) {
    if (word === "\n") calls.push([]);
    else calls.at(-1)?.push(word);
  }
  return calls.filter((words) => words.length > 1);
}
