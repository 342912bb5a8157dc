import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { createWorkflow, startCliWorld, startWaitingRun, SUITECTL, type CliWorld } from "./support.ts";

/* Long on purpose: what holds for all commands is tried on one running service. */

let world: CliWorld;
before(async () => {
  world = await startCliWorld({
    settings: { programEnvironment: { PATH: process.env["PATH"] ?? "" } },
  });
});
after(() => world.close());

describe("answers", () => {
  test("are tabs and lines without headings in a pipe, ids with --quiet, the envelope with --json and --yaml", async () => {
    await world.provide("artifact");
    const plain = await world.run(["artifacts", "list"], { key: true });
    assert.match(plain.stdout, /^artifact_\w+\tOf a test\tnote\t/);
    const quiet = await world.run(["artifacts", "list", "--quiet"], { key: true });
    assert.match(quiet.stdout, /^artifact_\w+\n$/);
    const json = JSON.parse((await world.run(["artifacts", "list", "--json"], { key: true })).stdout);
    assert.equal(json.ok, true);
    assert.equal(`${json.data.artifacts[0].id}\n`, quiet.stdout);
    const yaml = parse((await world.run(["artifacts", "list", "--yaml"], { key: true })).stdout);
    assert.deepEqual(yaml, json);
    for (const { stdout } of [plain, quiet]) assert.doesNotMatch(stdout, /\u001b/);
  });

  test("never end with an error when the reader has seen enough", async () => {
    const { status, stdout, stderr } = await world.paste(
      "suitectl tools list --json | head -n 1; exit ${PIPESTATUS[0]}",
    );
    assert.equal(status, 0, stderr);
    assert.equal(stdout, "{\n");
    assert.equal(stderr, "");
  });

  test("lists go on where a page ended", async () => {
    for (let i = 0; i < 3; i++) await createWorkflow(world.service, `Page ${i}`, { nodes: [], edges: [] });
    const first = JSON.parse(
      (await world.run(["workflows", "list", "--limit", "1", "--json"], { key: true })).stdout,
    );
    const cursor = first.data.nextCursor;
    const second = JSON.parse(
      (await world.run(["workflows", "list", "--limit", "1", "--cursor", cursor, "--json"], { key: true }))
        .stdout,
    );
    assert.notEqual(first.data.workflows[0].id, second.data.workflows[0].id);
  });
});

describe("exit statuses", () => {
  const cases: readonly (readonly [
    what: string,
    args: readonly string[],
    status: number,
    message: RegExp,
    key?: boolean,
  ])[] = [
    ["an unknown command", ["workflow", "list"], 2, /Did you mean workflows/],
    ["an unknown option", ["status", "--jsn"], 2, /Did you mean --json/],
    ["a missing argument", ["tools", "call"], 2, /missing required argument/],
    ["a wrong choice", ["completion", "csh"], 2, /bash, zsh, fish/],
    ["a wrong number", ["workflows", "list", "--limit", "0"], 2, /1 to 100/],
    ["arguments that are no JSON", ["tools", "call", "get_health", "--args", "{"], 2, /not JSON/],
    ["arguments that do not fit", ["tools", "call", "get_artifact", "--args", "{}"], 2, /\/id/],
    [
      "several that do not fit, each on a line",
      ["tools", "call", "get_artifact", "--args", '{"idd":1}'],
      2,
      /\/id: [^\n]+\n[^]*\/idd: [^\n]+Rename/,
    ],
    ["a parameter that is not known", ["tools", "call", "get_artifact", "--arg", "name=x"], 2, /It takes id/],
    ["an unknown tool", ["tools", "show", "get_helth"], 3, /Did you mean get_health/],
    ["a record that is not there", ["runs", "get", "run_gone"], 3, /no run/],
    ["a file that is not there", ["artifacts", "save", "gone.json"], 3, /no file/, true],
    ["no key", ["keys", "list"], 4, /suitectl login/],
    ["a degraded answer", ["handoffs", "send", "docs", "--yes"], 6, /Next: /, true],
    ["what needs agreement where nobody can be asked", ["runs", "cancel", "run_x"], 2, /--yes/, true],
    ["a rejection without a reason", ["approvals", "reject", "x"], 2, /--reason/, true],
    ["a proof that is none", ["provenance", "verify", "key.txt"], 2, /must hold one object|neither JSON/],
  ];
  for (const [what, args, status, message, key] of cases) {
    test(`${status}: ${what}`, async () => {
      const ended = await world.run(args, { key: key === true });
      assert.equal(ended.status, status, ended.stderr);
      assert.match(ended.stderr, message);
      assert.equal(ended.stdout, "");
    });
  }

  test("5: a workflow that another caller has changed", async () => {
    const id = await createWorkflow(world.service, "Contested", { nodes: [], edges: [] });
    const change = ["workflows", "update", id, "--description", "x", "--revision", "1"];
    assert.equal((await world.run(change, { key: true })).status, 0);
    const late = await world.run([...change, "--json"], { key: true });
    assert.equal(late.status, 5, late.stderr);
    assert.equal(JSON.parse(late.stdout).data.error.code, "conflict");
  });

  test("5: a step whose outcome is known is not settled again", async () => {
    await world.provide("run");
    const settled = await world.run(["runs", "settle", "latest", "health", "--outcome", "failed"], {
      key: true,
    });
    assert.equal(settled.status, 5, settled.stderr);
    assert.equal((await world.run(["runs", "settle", "latest", "health"], { key: true })).status, 2);
  });

  test("7: too many requests, with how long to wait", async () => {
    const limited = await startCliWorld({
      limits: { anonymous: { perSecond: 0.01, burst: 1 }, localFactor: 1 },
    });
    try {
      let ended = await limited.run(["tools", "show", "get_health"]);
      for (let i = 0; i < 5 && ended.status === 0; i++)
        ended = await limited.run(["tools", "show", "get_health"]);
      assert.equal(ended.status, 7, ended.stderr);
      assert.match(ended.stderr, /Next: /);
    } finally {
      await limited.close();
    }
  });

  test("7: nothing listens there", async () => {
    const { status, stderr } = await world.run(["status", "--url", "http://127.0.0.1:9"]);
    assert.equal(status, 7);
    assert.match(stderr, /nothing listens there/);
    assert.match(stderr, /Next: Start it with npx workflow-ui/);
  });

  test("1: a value that does not fit, a workflow with errors, workflows that differ", async () => {
    const value = await world.run(["forms", "validate", "list_templates"], { stdin: '{"limit":1000,"x":1}' });
    assert.equal(value.status, 1);
    assert.match(value.stdout, /^\/limit\t/m);
    const broken = await world.run(["workflows", "validate", "-"], {
      stdin: "nodes:\n  - {id: a, type: tool, tool: gone}\nedges: []\n",
    });
    assert.equal(broken.status, 1, broken.stderr);
    assert.match(broken.stdout, /^error\t\/nodes\/0\/tool\t/m);
    writeFileSync(
      join(world.folder, "work", "a.yaml"),
      "name: A\nnodes:\n  - {id: a, type: tool, tool: get_health}\nedges: []\n",
    );
    writeFileSync(
      join(world.folder, "work", "b.yaml"),
      "name: B\nnodes:\n  - {id: b, type: tool, tool: get_health}\nedges: []\n",
    );
    const differ = await world.run(["workflows", "diff", "a.yaml", "b.yaml"]);
    assert.equal(differ.status, 1, differ.stderr);
    assert.match(differ.stdout, /^-\tstep\ta\t/m);
    assert.match(differ.stdout, /^\+\tstep\tb\t/m);
  });
});

describe("help", () => {
  test("of the program and of every command is shown with status 0, with examples", async () => {
    const whole = await world.run(["--help"]);
    assert.equal(whole.status, 0);
    assert.match(whole.stdout, /Exit status: 0 ok/);
    const one = await world.run(["workflows", "run", "--help"]);
    assert.equal(one.status, 0);
    assert.match(one.stdout, /Examples:[\s\S]*suitectl workflows run latest --watch/);
    assert.match(one.stdout, /--json/);
    const group = await world.run(["workflows"]);
    assert.equal(group.status, 2);
    assert.match(group.stderr, /dry-run/);
    assert.match((await world.run(["--version"])).stdout, /^\d+\.\d+\.\d+\n$/);
  });
});

describe("the entry point", () => {
  test("hands over to the Node of the packages when its own is too old, exit status included", async () => {
    const pretend = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.1.0'}})";
    const old = (args: string): Promise<{ status: number | null; stdout: string }> =>
      world.paste(`'${process.execPath}' --import "${pretend}" '${SUITECTL}' ${args}`);
    assert.match((await old("--version")).stdout, /^\d+\.\d+\.\d+\n$/);
    assert.equal((await old("keys list")).status, 4);
    assert.equal((await old("status")).status, 0);
  });
});

describe("keys", () => {
  test("are written to a file for their owner alone, work, and stop working when revoked", async () => {
    const file = join(world.folder, "work", "ci.key");
    const made = await world.run(
      ["keys", "create", "CI", "--scope", "admin", "--expires-in", "1h", "--to", "ci.key", "--json"],
      { key: true },
    );
    assert.equal(made.status, 0, made.stderr);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const token = readFileSync(file, "utf8").trim();
    assert.match(token, /^suite_live_/);
    assert.ok(!made.stdout.includes(token) && !made.stderr.includes(token));
    const env = { SUITE_API_KEY: token };
    assert.equal((await world.run(["keys", "list"], { env })).status, 0);
    const again = await world.run(["keys", "create", "CI", "--scope", "admin", "--to", "ci.key"], {
      key: true,
    });
    assert.equal(again.status, 5, "a file that exists is not touched");
    const { id } = JSON.parse(made.stdout).data.key;
    assert.equal((await world.run(["keys", "revoke", id, "--yes"], { key: true })).status, 0);
    const refused = await world.run(["keys", "list"], { env });
    assert.equal(refused.status, 4);
    assert.ok(!refused.stderr.includes(token));
  });

  test("that are mistyped onto the command line are not repeated on the screen", async () => {
    const secret = "suite_live_abc_SECRETSECRETSECRET_0";
    for (const args of [
      ["login", secret],
      ["status", `--key=${secret}`],
      ["status", `--api-key=plain-${secret}`],
    ]) {
      const { status, stdout, stderr } = await world.run(args);
      assert.equal(status, 2);
      assert.ok(!`${stdout}${stderr}`.includes("SECRETSECRET"), stderr);
    }
  });
});

describe("keys on the database", () => {
  test("a lost key is replaced by an operator with the database, without any key", async () => {
    const made = await world.run([
      "keys",
      "create",
      "Operator",
      "--scope",
      "admin",
      "--database",
      "--to",
      "operator.key",
    ]);
    assert.equal(made.status, 0, made.stderr);
    const token = readFileSync(join(world.folder, "work", "operator.key"), "utf8").trim();
    const env = { SUITE_API_KEY: token };
    assert.equal((await world.run(["keys", "list"], { env })).status, 0);
    const quiet = await world.run(["keys", "list", "--database", "--quiet", "--limit", "1"]);
    assert.match(quiet.stdout, /^key_\w+\n$/);
    assert.notEqual((await world.run(["keys", "create", "X", "--scope", "run", "--to", "x.key"])).status, 0);
    assert.ok(!existsSync(join(world.folder, "work", "x.key")), "no file is left without a key in it");
  });
});

describe("forms in a pipe", () => {
  test("an operation of this service is called with the key, and its status is the exit status", async () => {
    const listed = await world.run(
      ["form", "fill", "--operation", "GET /api/svc/handoffs", "--value", "{}", "--yes", "--json"],
      {
        key: true,
      },
    );
    assert.equal(listed.status, 0, listed.stderr);
    assert.equal(JSON.parse(listed.stdout).data.body.ok, true);
    const refused = await world.run([
      "form",
      "fill",
      "--operation",
      "GET /api/svc/handoffs",
      "--value",
      "{}",
      "--yes",
    ]);
    assert.equal(refused.status, 4);
    const path = JSON.stringify({ path: { id: "run_gone" } });
    const missing = await world.run([
      "form",
      "fill",
      "--operation",
      "GET /api/svc/runs/{id}",
      "--value",
      path,
      "--yes",
    ]);
    assert.equal(missing.status, 3, missing.stderr);
  });

  test("a value that does not fit is refused before anything is sent, and nothing is sent without agreement", async () => {
    const wrong = await world.run(["form", "fill", "list_templates", "--value", '{"limit":0}', "--yes"]);
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /\/limit: Must be 1 or more/);
    const unasked = await world.run(["form", "fill", "list_templates"], { stdin: "{}" });
    assert.equal(unasked.status, 2);
    assert.match(unasked.stderr, /--yes/);
    const printed = await world.run(["form", "fill", "list_templates", "--print"], {
      stdin: '{"limit":9007199254740993}',
    });
    assert.equal(printed.status, 2, "the limit is 100");
  });

  test("an event's payload is shown as fields", async () => {
    const shown = await world.run(["form", "show", "--event", "svc.run.failed"]);
    assert.equal(shown.status, 0, shown.stderr);
    assert.match(shown.stdout, /^data.*\.status\tconstant\trequired/m);
  });
});

describe("following", () => {
  test("a run in a pipe is one line for each change, and its outcome", async () => {
    const id = await startWaitingRun(world.service);
    const watching = world.run(["runs", "watch", id], { key: true });
    const { envelope } = await world.service.call("list_approvals", { limit: 1 }, { key: true });
    await world.service.call(
      "reject_step",
      { id: envelope.data.approvals[0]?.id, reason: "No." },
      { key: true },
    );
    const { status, stdout } = await watching;
    assert.equal(status, 1);
    assert.doesNotMatch(stdout, /\u001b|\r/);
    assert.match(stdout, new RegExp(`\\t${id}\\tfailed`));
  });

  test("events goes on as they happen and ends with SIGINT", async () => {
    await world.provide("artifact");
    const child = spawn(
      process.execPath,
      [SUITECTL, "events", "tail", "--type", "svc.artifact.*", "--after", "0", "--json"],
      { env: { ...world.env, SUITE_API_KEY: world.service.key } },
    );
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<{ type: string; id: string }> =>
      JSON.parse(String((await lines.next()).value));
    const { envelope } = await world.service.call("list_artifacts", {}, { key: true });
    const kept = [];
    for (let i = 0; i < envelope.data.artifacts.length; i++) kept.push(await next());
    assert.ok(kept.every(({ type }) => type === "svc.artifact.saved"));
    await world.provide("artifact");
    const live = await next();
    assert.ok(kept.every(({ id }) => id !== live.id));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    child.kill("SIGINT");
    assert.equal(await ended, 0);
  });
});

describe("proofs", () => {
  test("are checked offline, and one that was changed fails", async () => {
    await world.provide("artifact");
    const proof = await world.run(["provenance", "proof", "latest"], { key: true });
    assert.equal(proof.status, 0, proof.stderr);
    const offline = { SUITE_URL: "http://127.0.0.1:9" };
    const good = await world.run(["provenance", "verify", "-"], { stdin: proof.stdout, env: offline });
    assert.equal(good.status, 0, good.stderr);
    assert.match(good.stdout, /^inclusion\tpass\t/m);
    const keys = await (await world.service.fetch("/.well-known/provenance.json")).text();
    writeFileSync(join(world.folder, "work", "keys.json"), keys);
    const trusted = await world.run(["provenance", "verify", "-", "--keys", "keys.json"], {
      stdin: proof.stdout,
      env: offline,
    });
    assert.match(trusted.stdout, /^key\tpass\t/m);
    const forged = proof.stdout.replace(/"kind": "[a-z_]+"/, '"kind": "approval_decided"');
    const bad = await world.run(["provenance", "verify", "-"], { stdin: forged, env: offline });
    assert.equal(bad.status, 1);
    assert.match(bad.stdout, /\tfail\t/);
  });

  test("hold after a rotation of the signing key, which needs a key and a yes", async () => {
    await world.provide("artifact");
    const before = await world.run(["provenance", "proof", "latest"], { key: true });
    assert.notEqual((await world.run(["provenance", "rotate", "--yes"], {})).status, 0);
    assert.notEqual((await world.run(["provenance", "rotate"], { key: true })).status, 0);
    const rotated = await world.run(["provenance", "rotate", "--yes", "--json"], { key: true });
    assert.equal(rotated.status, 0, rotated.stderr);
    const { id } = JSON.parse(rotated.stdout).data.key;
    const document = await (await world.service.fetch("/.well-known/provenance.json")).text();
    assert.ok(document.includes(id) && !rotated.stdout.includes("rivate"));
    writeFileSync(join(world.folder, "work", "rotated.json"), document);
    await world.provide("artifact");
    const later = await world.run(["provenance", "proof", "latest"], { key: true });
    for (const { stdout: stdin } of [before, later]) {
      const checked = await world.run(["provenance", "verify", "-", "--keys", "rotated.json"], { stdin });
      assert.equal(checked.status, 0, checked.stdout);
      assert.match(checked.stdout, /^key\tpass\t/m);
    }
  });
});

describe("doctor", () => {
  test("finds what is wrong and says how to fix it", async () => {
    const fine = await world.run(["doctor", "--json"], { key: true });
    assert.equal(fine.status, 0, fine.stdout);
    const findings: { name: string; state: string }[] = JSON.parse(fine.stdout).data.findings;
    for (const name of [
      "Node",
      "Installation",
      "Web app",
      "Chromium",
      "Disk",
      "Database",
      "Service",
      "Clock",
      "Readiness",
      "Key",
      "Siblings",
    ]) {
      assert.ok(
        findings.some((finding) => finding.name === name),
        name,
      );
    }
    const file = join(world.folder, "work", "damaged.db");
    writeFileSync(file, "this is no database");
    const ill = await world.run(["doctor"], {
      env: { SUITE_URL: "http://127.0.0.1:9", DATABASE_URL: `sqlite:${file}` },
    });
    assert.equal(ill.status, 1);
    assert.match(ill.stdout, /^Database\tbroken\t/m);
    assert.match(ill.stdout, /^Service\tbroken\tnot running/m);
    assert.match(ill.stderr, /Service: Start it with npx workflow-ui/);
    assert.equal(readFileSync(file, "utf8"), "this is no database");
  });
});

describe("connections", () => {
  test("probe sends a POST only with --kind mcp, and then finds an MCP server at any path", async () => {
    let posts = 0;
    const server = createServer((request, response) => {
      if (request.method !== "POST") return void response.writeHead(404).end();
      posts += 1;
      // An MCP server whose address does not say so: our own gateway under another path.
      const body = Readable.toWeb(request);
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      void fetch(`${world.service.url}/api/mcp`, { method: "POST", headers, body, duplex: "half" }).then(
        async (answer) =>
          response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text()),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const probe = ["connections", "probe", `http://127.0.0.1:${address.port}/agent`, "--private", "--quiet"];
    try {
      const plain = await world.run(probe, { key: true });
      assert.deepEqual([plain.stdout, posts], ["http\n", 0], plain.stderr);
      const asked = await world.run([...probe, "--kind", "mcp"], { key: true });
      assert.equal(asked.stdout, "mcp\n", asked.stderr);
      assert.ok(posts > 0);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test("add --env takes a variable from the environment or from the vault, never from the command line", async () => {
    const program = fileURLToPath(new URL("../connections/moody-program.mjs", import.meta.url));
    const kept = ["vault", "add", "region-token", "--kind", "environment", "--host", "programs"];
    assert.equal((await world.run(kept, { key: true, stdin: "sk-of-the-vault" })).status, 0);
    const add = (...env: readonly string[]) =>
      world.run(
        `connections add programs --kind mcp --json --command ${process.execPath} --command-arg ${program}`
          .split(" ")
          .concat(env.flatMap((word) => ["--env", word])),
        { key: true, env: { REGION: "north" } },
      );
    const unset = await add("NOT_SET_ANYWHERE");
    assert.equal(unset.status, 2);
    assert.match(unset.stderr, /NOT_SET_ANYWHERE is not set/);
    const added = await add("REGION", "TOKEN=region-token");
    assert.equal(added.status, 0, added.stderr);
    assert.deepEqual(JSON.parse(added.stdout).data.connection.env, {
      REGION: { set: true },
      TOKEN: { credential: "region-token" },
    });
    assert.doesNotMatch(added.stdout, /north|sk-of-the-vault/);
  });
});

describe("speed", () => {
  async function timed(work: () => Promise<unknown>): Promise<number> {
    const began = performance.now();
    await work();
    return performance.now() - began;
  }

  test("--help takes less than 4 bare starts of Node, tools list less than 8", async () => {
    let [bare, help, list] = [Infinity, Infinity, Infinity];
    // In turns and the quickest of each: what else the machine does slows all of them. The first fill the compile cache.
    for (let round = 0; round < 40 && (round < 5 || help >= bare * 4 || list >= bare * 8); round++) {
      bare = Math.min(bare, await timed(() => world.paste(`exec '${process.execPath}' -e 0`)));
      help = Math.min(help, await timed(() => world.run(["--help"])));
      list = Math.min(list, await timed(() => world.run(["tools", "list"])));
    }
    const figures = `bare ${bare.toFixed(0)} ms, --help ${help.toFixed(0)} ms, tools list ${list.toFixed(0)} ms`;
    assert.ok(help < bare * 4, figures);
    assert.ok(list < bare * 8, figures);
  });
});
