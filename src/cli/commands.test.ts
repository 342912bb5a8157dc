import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { hereDocument, shellWords } from "../kernel/shell.ts";
import { suitectl } from "./command-line.ts";
import { completionScript } from "./completion.ts";
import { EXIT_CODES, GLOBAL_OPTIONS } from "./conventions.ts";
import { parseCommandLine } from "./program.ts";
import { renderCliReference } from "./reference.ts";
import { loadTable } from "./table.ts";

const table = await loadTable();
const { commands: COMMANDS, examples: EXAMPLES, groups: GROUPS } = table;

describe("the table of commands", () => {
  test("paths, examples and options are unique, and groups are named", () => {
    assert.equal(new Set(COMMANDS.map(({ path }) => path)).size, COMMANDS.length);
    assert.equal(new Set(EXAMPLES.map(({ example }) => example.id)).size, EXAMPLES.length);
    const used = new Set(
      COMMANDS.filter(({ path }) => path.includes(" ")).map(({ path }) => path.split(" ")[0] ?? ""),
    );
    assert.deepEqual(GROUPS.map(({ name }) => name).sort(), [...used].sort());
    for (const { path, options = [] } of COMMANDS) {
      const names = [...options, ...GLOBAL_OPTIONS].map(({ name }) => name);
      assert.equal(new Set(names).size, names.length, path);
    }
    const codes = Object.values(EXIT_CODES).map(({ code }) => code);
    assert.equal(new Set(codes).size, codes.length);
  });

  test("a command line loads the commands that it can mean, and no others", async () => {
    const of = async (...argv: readonly string[]) =>
      new Set((await loadTable(argv)).commands.map(({ path }) => path.replace(/(?<= ).*/, "*")));
    assert.deepEqual(await of("runs", "list"), new Set(["runs *"]));
    assert.deepEqual(await of("--json", "runs", "list").then((found) => found.has("runs *")), true);
    assert.ok((await of("--help")).has("login"));
    assert.ok((await of("call", "tools")).has("call"));
    assert.ok((await of("help", "vault")).has("vault *"));
  });

  test("every command has an example but those that need an accident or another party", () => {
    const without = COMMANDS.filter(({ examples }) => examples.length === 0).map(({ path }) => path);
    assert.deepEqual(without, [
      "runs signal",
      "runs repair-all",
      "runs compare",
      "runs settle",
      "approvals request-changes",
      "approvals claim",
      "approvals release",
      "approvals delegate",
      "approvals reassign",
      "connections probe",
      "connections record",
      "vault authorize",
      "hold end",
    ]);
  });

  test("every line of an example is read by the program, and stands in the reference", () => {
    const reference = renderCliReference(table);
    for (const { command, example } of EXAMPLES) {
      assert.ok(reference.includes(example.text), example.id);
      const lines = example.text.split("\n").filter((line) => /^(\w+=\S+ )?suitectl /.test(line));
      assert.ok(
        lines.some((line) => line.includes(`suitectl ${command.path}`)),
        example.id,
      );
      for (const line of lines) {
        const [own = ""] = line.split(/ <<?|(?<=\S) > /);
        const words = shellWords(own.replace(/^\w+=\S+ /, "")).slice(1);
        const parsed = parseCommandLine(words, table);
        assert.ok("given" in parsed, `${example.id}: ${words.join(" ")}`);
      }
    }
    for (const { code, name } of Object.values(EXIT_CODES))
      assert.ok(reference.includes(`| ${code} | ${name} |`));
  });

  test("no example carries a key, and none could: no option takes one", () => {
    for (const { options = [] } of COMMANDS) {
      for (const { name } of options) assert.ok(!/^(api-)?key$|token|password|secret/.test(name), name);
    }
  });
});

describe("command lines", () => {
  test("are quoted for a shell", () => {
    const line = suitectl(table, "artifacts save", ["-"], { title: "It's" });
    assert.equal(line, `suitectl artifacts save - --title 'It'\\''s'`);
    assert.deepEqual(shellWords(line).slice(-1), ["It's"]);
    assert.equal(hereDocument("EOF\n{}"), "<<'EOF_'\nEOF\n{}\nEOF_");
    assert.equal(
      suitectl(table, "runs list", [], { limit: 3, json: true }),
      "suitectl runs list --limit 3 --json",
    );
    assert.equal(
      suitectl(table, "keys create", ["CI"], { scope: ["run", "write"] }),
      "suitectl keys create CI --scope run --scope write",
    );
  });

  test("that the program would not understand cannot be written", () => {
    for (const wrong of [
      () => suitectl(table, "workflow list"),
      () => suitectl(table, "workflows list", ["extra"]),
      () => suitectl(table, "workflows get"),
      () => suitectl(table, "workflows get", ["--json"]),
      () => suitectl(table, "workflows list", [], { limits: 3 }),
      () => suitectl(table, "workflows list", [], { limit: true }),
      () => suitectl(table, "workflows list", [], { json: "yes" }),
      () => suitectl(table, "artifacts export", ["x"], { format: "pdf" }),
      () => suitectl(table, "completion", ["csh"]),
    ]) {
      assert.throws(wrong, TypeError);
    }
  });

  test("are read back as they were written", () => {
    const parsed = parseCommandLine(
      ["workflows", "run", "w", "--inputs", '{"a":1}', "-w", "--idempotency-key=k", "--no-color"],
      table,
    );
    assert.ok("given" in parsed);
    const { given } = parsed;
    assert.equal(given.spec.path, "workflows run");
    assert.deepEqual(
      [
        given.argument("id"),
        given.option("inputs"),
        given.option("idempotency-key"),
        given.flag("watch"),
        given.flag("no-color"),
      ],
      ["w", '{"a":1}', "k", true, true],
    );
  });
});

describe("completion", () => {
  const complete = (...words: readonly string[]): readonly string[] => {
    const script = `${completionScript("bash", table)}
suitectl() { printf 'get_health\\nget_info\\n'; }
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_suitectl; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split("\n");
  };

  test("of bash offers commands, options, choices and the service's tools", () => {
    assert.deepEqual(complete("suitectl", "work"), ["workflows"]);
    assert.deepEqual(complete("suitectl", "workflows", "d"), ["dry-run", "diff"]);
    assert.deepEqual(complete("suitectl", "runs", "watch", "--un"), ["--until-waiting"]);
    assert.deepEqual(complete("suitectl", "artifacts", "export", "--format", "m"), ["markdown"]);
    assert.deepEqual(complete("suitectl", "vault", "add", "--kind", "o"), ["oauth2"]);
    assert.deepEqual(complete("suitectl", "connections", "add", "--kind", "o"), ["openapi"]);
    assert.deepEqual(complete("suitectl", "tools", "show", "get_h"), ["get_health"]);
    assert.deepEqual(complete("suitectl", "vault", "remove", "get_i"), ["get_info"]);
    assert.deepEqual(complete("suitectl", "completion", "z"), ["zsh"]);
  });

  test("of zsh and fish names every command and option", () => {
    for (const shell of ["zsh", "fish"] as const) {
      const script = completionScript(shell, table);
      for (const { path, options = [] } of COMMANDS) {
        assert.ok(script.includes(path.split(" ").at(-1) ?? ""), `${shell} ${path}`);
        for (const { name } of options) {
          assert.ok(script.includes(shell === "zsh" ? `--${name}[` : `-l ${name}`), `${shell} --${name}`);
        }
      }
    }
  });
});
