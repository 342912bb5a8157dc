import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { startCliWorld, startRun, startWaitingRun, type CliWorld } from "./support.ts";
import { openProgram, openTerminal } from "./terminal.ts";

let world: CliWorld;
before(async () => {
  world = await startCliWorld();
});
after(() => world.close());

const keyed = (): { SUITE_API_KEY: string } => ({ SUITE_API_KEY: world.service.key });

/** What the list of processes shows of one. A bare Linux has no `ps`. */
function commandOf(pid: number): string {
  return process.platform === "linux"
    ? readFileSync(`/proc/${pid}/cmdline`, "utf8")
    : execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" });
}

describe("login in a terminal", () => {
  test("reads the key from a hidden prompt and keeps it for its owner alone", async () => {
    const terminal = openTerminal(world, ["login"]);
    await terminal.until("browser): ");
    terminal.type(world.service.key);
    const command = commandOf(terminal.pid);
    assert.match(command, /suitectl/);
    terminal.type("\r");
    assert.equal(await terminal.ended, 0);
    assert.ok(!terminal.raw.includes(world.service.key), "the key is not shown");
    assert.ok(!command.includes(world.service.key), "the key is not in the process list");
    const file = join(world.folder, "config", "workflow-ui", "suitectl.json");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const listed = await world.run(["keys", "list"]);
    assert.equal(listed.status, 0, listed.stderr);
  });

  test("a kept key that others may read is refused", async () => {
    const file = join(world.folder, "config", "workflow-ui", "suitectl.json");
    chmodSync(file, 0o644);
    const refused = await world.run(["keys", "list"]);
    assert.equal(refused.status, 4);
    assert.match(refused.stderr, /can be read by others.*\n.*chmod 600/);
    chmodSync(file, 0o600);
    assert.equal((await world.run(["logout"])).status, 0);
    assert.equal((await world.run(["keys", "list"])).status, 4);
  });

  test("a key that the service does not accept is not kept", async () => {
    const terminal = openTerminal(world, ["login"]);
    await terminal.answer("browser): ", "this-key-is-not-valid-at-all\r");
    assert.equal(await terminal.ended, 4);
    assert.match(terminal.text, /A valid API key is required/);
    const file = join(world.folder, "config", "workflow-ui", "suitectl.json");
    assert.ok(!readFileSync(file, "utf8").includes("not-valid"));
  });
});

describe("form fill in a terminal", () => {
  test("asks for a tool's fields, says what is wrong, previews, and calls the tool", async () => {
    const terminal = openTerminal(world, ["form", "fill", "create_local_artifact"]);
    await terminal.answer(/Title \* \(text, required\)[\s\S]*› /, "\r");
    await terminal.until("This field is required.");
    await terminal.answer("› ", "Release notes\r");
    for (const label of ["Type", "Description", "Source service", "Source ref"]) {
      await terminal.answer(new RegExp(`${label}[\\s\\S]*› `), "\r");
    }
    await terminal.answer(/Schema[\s\S]*› /, '{"a"\r');
    await terminal.until("That is not JSON");
    await terminal.answer("› ", '{"type":"object"}\r');
    await terminal.until("This would be sent:");
    await terminal.answer("Send it?", "y\r");
    assert.equal(await terminal.ended, 0);
    assert.match(terminal.text, /"mode": "generated_snapshot"/);
  });

  test("nothing is sent when the answer is no, or after Ctrl-C", async () => {
    const count = async (): Promise<number> =>
      (await world.service.call("list_artifacts", {}, { key: true })).envelope.data.artifacts.length;
    const before = await count();
    const refused = openTerminal(world, ["form", "fill", "save_artifact"], keyed());
    await refused.answer(/Artifact[\s\S]*› /, '{"title":"Not sent"}\r');
    await refused.answer("Send it?", "n\r");
    assert.equal(await refused.ended, 130);
    const interrupted = openTerminal(world, ["form", "fill", "save_artifact"], keyed());
    await interrupted.answer(/Artifact[\s\S]*› /, "\u0003");
    assert.equal(await interrupted.ended, 130);
    assert.equal(await count(), before);
  });

  // As text: an object with a member named `then` would be taken for a promise.
  const ONLY_FOR_TWO =
    '{"if":{"properties":{"kind":{"const":"two"}},"required":["kind"]},"then":{"required":["reason"],"properties":{"reason":{"type":"string"}}}}';
  const SCHEMA = {
    type: "object",
    required: ["name", "kind", "contact", "token"],
    properties: {
      name: { type: "string", minLength: 3 },
      kind: { enum: ["one", "two", "three"] },
      size: { type: "integer", minimum: 1, maximum: 9 },
      big: { type: "integer", format: "int64" },
      fast: { type: "boolean" },
      token: { type: "string", format: "password" },
      tags: { type: "array", items: { type: "string" }, minItems: 1 },
      labels: { type: "object", additionalProperties: { type: "integer" } },
      contact: {
        oneOf: [
          {
            title: "E-mail",
            type: "object",
            required: ["email"],
            properties: { email: { type: "string", format: "email" } },
          },
          { title: "Phone", type: "object", required: ["phone"], properties: { phone: { type: "string" } } },
        ],
      },
    },
    allOf: [JSON.parse(ONLY_FOR_TWO)],
  };

  test("variants, lists, maps, conditions, secrets and limits; the value goes to standard output", async () => {
    writeFileSync(join(world.folder, "work", "schema.json"), JSON.stringify(SCHEMA));
    const line = "suitectl form fill --schema schema.json > value.json";
    const terminal = openProgram(world, "bash", ["-c", line]);
    await terminal.answer(/Name \*[\s\S]*› /, "ab\r");
    await terminal.until("at least 3 characters");
    await terminal.answer("› ", "Ada\r");
    await terminal.answer(/Kind \*[\s\S]*2\) two[\s\S]*› /, "2\r");
    await terminal.answer(/Size[\s\S]*› /, "12\r");
    await terminal.until("9 or less");
    await terminal.answer("› ", "7\r");
    await terminal.answer(/Big[\s\S]*› /, "9007199254740993\r");
    await terminal.answer(/Fast[\s\S]*› /, "y\r");
    await terminal.answer("(not shown) ", "s3cret-of-the-form\r");
    await terminal.answer(/Tags 1[\s\S]*› /, "first\r");
    await terminal.answer("add another item?", "n\r");
    await terminal.answer(/Labels: fill it in\?/, "y\r");
    await terminal.answer("name of a member", "blue\r");
    await terminal.answer(/blue[\s\S]*› /, "3\r");
    await terminal.answer("name of a member", "\r");
    await terminal.answer(/Contact[\s\S]*2\) Phone[\s\S]*› /, "2\r");
    await terminal.answer(/Phone \*[\s\S]*› /, "123\r");
    await terminal.answer(/Reason \*[\s\S]*› /, "because\r");
    assert.equal(await terminal.ended, 0, terminal.text);
    assert.ok(!terminal.raw.includes("s3cret-of-the-form"));
    const text = readFileSync(join(world.folder, "work", "value.json"), "utf8");
    assert.match(text, /9007199254740993/, "numbers beyond 2^53 stay exact");
    assert.deepEqual(
      { ...JSON.parse(text), big: 0 },
      {
        name: "Ada",
        kind: "two",
        size: 7,
        big: 0,
        fast: true,
        token: "s3cret-of-the-form",
        tags: ["first"],
        labels: { blue: 3 },
        contact: { phone: "123" },
        reason: "because",
      },
    );
  });

  test(":json opens the editor, and what it leaves behind is used", async () => {
    const editor = join(world.folder, "bin", "editor");
    writeFileSync(editor, '#!/bin/sh\nprintf \'{"title":"From the editor"}\' > "$2"\n', { mode: 0o755 });
    const terminal = openTerminal(world, ["form", "fill", "save_artifact"], {
      ...keyed(),
      EDITOR: `${editor} --wait`,
    });
    await terminal.answer(/Artifact[\s\S]*› /, ":json\r");
    await terminal.until('"title": "From the editor"');
    await terminal.answer("Send it?", "y\r");
    assert.equal(await terminal.ended, 0, terminal.text);
    assert.match(terminal.text, /"persisted": true/);
  });

  test("control characters from the service are made visible", async () => {
    await world.service.call(
      "save_artifact",
      { artifact: { title: "\u001b[31mred\u001b]0;x\u0007", privacy: "public" } },
      { key: true },
    );
    const terminal = openTerminal(world, ["artifacts", "list"], keyed());
    assert.equal(await terminal.ended, 0);
    assert.ok(!terminal.raw.includes("\u001b[31mred") && !terminal.raw.includes("\u001b]0;"));
    assert.match(terminal.text, /\\u\{1b\}\[31mred/);
  });
});

describe("runs watch in a terminal", () => {
  test("draws the run as it goes on, says who is waited for, and ends with its outcome", async () => {
    const id = await startWaitingRun(world.service);
    const terminal = openTerminal(world, ["runs", "watch", id], keyed());
    await terminal.until("0/1  waiting");
    await terminal.until("‖ ask");
    await terminal.until("Waits for a person: suitectl approvals approve approval_");
    const { envelope } = await world.service.call("list_approvals", { limit: 1 }, { key: true });
    await world.service.call("approve_step", { id: envelope.data.approvals[0]?.id }, { key: true });
    await terminal.until("1/1  succeeded");
    assert.equal(await terminal.ended, 0);
    assert.match(terminal.text, /█{24} 1\/1/);
    assert.match(terminal.raw, /\u001b\[\d+A/, "it is drawn in place");
    assert.ok(terminal.raw.endsWith("\u001b[?25h"), "the cursor is back");
  });

  test("a run that fails ends with status 1, and Ctrl-C leaves a run alone", async () => {
    const failing = await startRun(world.service, {
      nodes: [{ id: "gone", type: "tool", tool: "get_workflow", with: { id: "workflow_gone" } }],
      edges: [],
    });
    const failed = openTerminal(world, ["runs", "watch", failing], keyed());
    await failed.until("✗ gone");
    assert.equal(await failed.ended, 1);
    const id = await startWaitingRun(world.service);
    const left = openTerminal(world, ["runs", "watch", id], keyed());
    await left.until("‖ ask");
    left.type("\u0003");
    assert.equal(await left.ended, 130);
    const { envelope } = await world.service.call("get_workflow_run", { id }, { key: true });
    assert.equal(envelope.data.run.status, "waiting");
  });

  test("without colours there are none", async () => {
    const terminal = openTerminal(world, ["runs", "list"], { ...keyed(), NO_COLOR: "1" });
    assert.equal(await terminal.ended, 0);
    assert.doesNotMatch(terminal.raw, /\u001b\[\d+m/);
  });
});

describe("a slow answer", () => {
  test("is announced on a terminal and nowhere else", async () => {
    const slow = createServer((_request, response) => {
      setTimeout(() => response.end(JSON.stringify({ ok: true, data: { flow: [] } })), 1_500);
    }).listen(0, "127.0.0.1");
    await once(slow, "listening");
    const address = slow.address();
    assert.ok(address !== null && typeof address === "object");
    const url = `http://127.0.0.1:${address.port}`;
    const terminal = openTerminal(world, ["demo", "show", "--url", url]);
    await terminal.until(/Waiting for the service … \d s/);
    assert.equal(await terminal.ended, 0);
    const piped = await world.run(["demo", "show", "--url", url]);
    assert.deepEqual([piped.status, piped.stdout, piped.stderr], [0, "", ""]);
    slow.close();
  });
});

describe("approving in a terminal", () => {
  test("shows what is decided, asks for the form's values, and sends them with the digest", async () => {
    const form = { type: "object", required: ["note"], properties: { note: { type: "string" } } };
    const id = await startRun(world.service, {
      nodes: [{ id: "ask", type: "approval", approval: { title: "Ship it?", show: { build: 7 }, form } }],
      edges: [],
    });
    const terminal = openTerminal(world, ["approvals", "approve", "latest:pending"], keyed());
    await terminal.until('"build": 7');
    await terminal.answer(/Note \*[\s\S]*› /, "fine\r");
    await terminal.answer("Approve this?", "y\r");
    assert.equal(await terminal.ended, 0, terminal.text);
    const { envelope } = await world.service.call("get_workflow_run", { id }, { key: true });
    assert.equal(envelope.data.run.status, "succeeded");
    assert.deepEqual(envelope.data.run.approvals?.[0]?.values, { note: "fine" });
  });
});
