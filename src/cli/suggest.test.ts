import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseCommandLine } from "./program.ts";
import { AppError } from "../kernel/errors.ts";
import { shellWord } from "../kernel/shell.ts";
import { tools } from "../registry.ts";
import { suggestCommand, type CommandWish } from "./suggest.ts";
import { loadTable } from "./table.ts";

const table = await loadTable();
const { commands: COMMANDS, groups: GROUPS } = table;

const suggest = (wish: CommandWish) => suggestCommand(wish, { tools, table });

describe("the command for a wish", () => {
  for (const { path, access } of COMMANDS) {
    test(`${path}: is known, complete and says whether it needs a key`, () => {
      const [group = "", verb] = path.split(" ");
      const found = suggest({ target: group, ...(verb !== undefined && { action: verb }) });
      assert.equal(found.path, path);
      assert.equal(found.needsKey, access === "key");
      assert.equal(suggest({ target: path }).path, path);
      assert.equal(suggest({ action: path }).path, path);
      assert.ok(found.text.includes(`suitectl ${path}`), found.text);
    });
  }

  test("a tool's call needs a key exactly when the tool does", () => {
    for (const { name, access } of tools) {
      const found = suggest({ target: name });
      assert.equal(found.path, "tools call", name);
      assert.equal(found.needsKey, access !== "public", name);
      assert.equal(suggest({ target: name, action: "show" }).needsKey, false, name);
    }
  });

  test("a group alone is answered with a command of it, and with `protected` with one that needs a key", () => {
    for (const { name } of GROUPS) {
      const ofGroup = COMMANDS.filter(({ path }) => path.startsWith(`${name} `));
      const found = suggest({ target: name });
      assert.ok(found.path.startsWith(`${name} `), found.path);
      const keyed = suggest({ target: name, protected: true });
      assert.equal(
        keyed.needsKey,
        ofGroup.some(({ access }) => access === "key") ||
          ofGroup[0]?.examples.some(({ needs }) => needs.includes("key")),
        `${name}: ${keyed.path}`,
      );
    }
  });

  test("a record that is not public is read with a key", () => {
    assert.equal(suggest({ target: "workflows", action: "get" }).needsKey, false);
    assert.equal(suggest({ target: "workflows", action: "get", protected: true }).needsKey, true);
    assert.equal(suggest({ artifactId: "artifact_1", action: "export", protected: true }).needsKey, true);
  });

  test("what is unknown is answered with the nearest commands", () => {
    for (const [wish, near] of [
      [{ target: "workflow", action: "lst" }, "workflows list"],
      [{ target: "vault", action: "destroy" }, "vault remove"],
      [{ target: "vualt" }, "vault list"],
      [{ artifactId: "artifact_1", action: "exprt" }, "artifacts export"],
      [{ templateId: "release-gate", action: "erase" }, "templates show"],
      [{ action: "approve it" }, "approvals approve"],
      [{ target: "create_workfow" }, "create_workflow"],
    ] as const) {
      assert.throws(
        () => suggest(wish),
        (error) =>
          error instanceof AppError &&
          error.code === "invalid_input" &&
          String(error.info.nextAction).includes(near),
        JSON.stringify(wish),
      );
    }
  });

  test("is read by the program as what was wished", () => {
    const { text } = suggest({ artifactId: "it's", action: "show" });
    assert.equal(text, `suitectl artifacts show ${shellWord("it's")}`);
    assert.ok("given" in parseCommandLine(["artifacts", "show", "it's"], table));
  });
});
