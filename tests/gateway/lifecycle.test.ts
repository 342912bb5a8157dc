import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { configurationMarkdown, SETTINGS } from "../../src/config-table.ts";
import { ConfigError, loadSettings } from "../../src/config.ts";
import { defineTool } from "../../src/ports/operations.ts";
import { inputOf } from "../../src/model/common.ts";
import { jsonObject } from "../../src/tools/shapes.ts";
import { startService, startServiceProcess } from "../support/service.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "lifecycle-"));
});
after(() => rm(folder, { recursive: true, force: true }));

function runMain(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ status: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, ...args],
      { env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        resolve({ status: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
      },
    );
  });
}

describe("settings", () => {
  it("--help prints every row of the table", async () => {
    const { status, stdout } = await runMain(["--help"]);
    assert.equal(status, 0);
    for (const { env, flag, meaning } of SETTINGS) {
      assert.ok(
        stdout.includes(env) && stdout.includes(meaning) && (flag === null || stdout.includes(flag)),
        env,
      );
    }
  });

  it("a wrong value is one clear line and exit status 2", async () => {
    for (const [args, env, message] of [
      [["--port", "99999"], {}, /PORT must be a whole number from 0 to 65535/],
      [[], { SVC_API_KEY: "too-short" }, /SVC_API_KEY must have 24 characters or more/],
      [["--no-such-flag"], {}, /--no-such-flag is not a known flag/],
    ] as const) {
      const { status, stderr } = await runMain(args, env);
      assert.equal(status, 2);
      assert.match(stderr, message);
      assert.equal(stderr.trim().split("\n").length, 1);
    }
  });

  it("refuses each kind of wrong value, and never shows a secret", () => {
    for (const [env, message] of [
      [{ PORT: "eighty" }, /PORT/],
      [{ PORT: "-1" }, /PORT/],
      [{ BASE_URL: "ftp://x" }, /BASE_URL/],
      [{ BASE_URL: "https://user:pass@x" }, /BASE_URL/],
      [{ DATABASE_URL: "mysql://x" }, /DATABASE_URL/],
      [{ DATABASE_URL: "postgres://a,b/x?target_session_attrs=standby" }, /must be read-write or primary/],
      [{ SVC_API_KEY: "canary-with-a-space-in-it canary" }, /SVC_API_KEY/],
      [{ SVC_TRUSTED_HOSTS: "good.example,bad host" }, /SVC_TRUSTED_HOSTS/],
      [{ SVC_TRUSTED_PROXIES: "10.0.0.7,proxy.example" }, /SVC_TRUSTED_PROXIES has "proxy\.example"/],
      [{ SVC_TRUSTED_PROXIES: "10.0.0.0/33" }, /SVC_TRUSTED_PROXIES/],
      [{ SVC_TRUSTED_PROXIES: "fd00::/8/8" }, /SVC_TRUSTED_PROXIES/],
      [{ SVC_TRUSTED_PROXIES: "10.0.0.0/" }, /SVC_TRUSTED_PROXIES/],
      [{ SUITE_DOCS_URL: "nonsense" }, /SUITE_DOCS_URL/],
      [{ SUITE_DOCS_KEY: "canary" }, /SUITE_DOCS_KEY/],
      [{ LOG_LEVEL: "loud" }, /LOG_LEVEL/],
      [{ LOG_FORMAT: "xml" }, /LOG_FORMAT must be one of text, json/],
      [{ SVC_OPEN: "maybe" }, /SVC_OPEN/],
      [{ SVC_SECURITY_CONTACT: "me@example.com" }, /SVC_SECURITY_CONTACT must be a mailto:/],
      [{ SVC_ROLE: "king" }, /SVC_ROLE/],
      [{ OTEL_EXPORTER_OTLP_ENDPOINT: "x" }, /OTEL_EXPORTER_OTLP_ENDPOINT/],
    ] as const) {
      assert.throws(
        () => loadSettings([], env),
        (error) =>
          error instanceof ConfigError && message.test(error.message) && !error.message.includes("canary"),
        JSON.stringify(env),
      );
    }
  });

  it("flags win over the environment, empty values count as unset", () => {
    const settings = loadSettings(["--port=9000", "--role", "worker", "--with-suite"], {
      PORT: "1",
      HOST: "",
      SUITE_AI_GATEWAY_URL: "http://ai.example/",
      SVC_TRUSTED_PROXIES: " 10.0.0.7, fd00::/8,",
    });
    assert.partialDeepStrictEqual(settings, {
      port: 9000,
      role: "worker",
      withSuite: true,
      host: "127.0.0.1",
      baseUrl: "http://127.0.0.1:9000",
      trustedProxies: ["10.0.0.7", "fd00::/8"],
      siblings: { ai_gateway: { url: "http://ai.example", key: null } },
    });
  });

  it("the folder of the data, the format of the log and the browser are settings", () => {
    const settings = loadSettings(["--data", "somewhere", "--no-open"], {
      SVC_OPEN: "true",
      LOG_FORMAT: "text",
    });
    assert.partialDeepStrictEqual(settings, {
      databaseUrl: `sqlite:${join("somewhere", "workflow-ui.db")}`,
      logFormat: "text",
      opensBrowser: false,
    });
    assert.partialDeepStrictEqual(loadSettings([], { SVC_DATA: "elsewhere", DATABASE_URL: "none" }), {
      databaseUrl: "none",
    });
    for (const flag of ["--no-port", "--no-open=true", "--no-such"])
      assert.throws(() => loadSettings([flag], {}), ConfigError, flag);
  });

  it("docs/configuration.md is the table", async () => {
    assert.equal(
      await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8"),
      configurationMarkdown(),
    );
  });
});

describe("start and stop", () => {
  it("prints a new key once at the first start, and SIGTERM ends it cleanly", async () => {
    const env = { DATABASE_URL: `sqlite:${join(folder, "first.db")}`, SVC_API_KEY: "", LOG_LEVEL: "silent" };
    const lines: string[] = [];
    const first = await startServiceProcess(env, [], (line) => lines.push(line));
    const key = lines
      .map((line) => /API key, shown this once: (suite_live_\S+)/.exec(line)?.[1])
      .find((found) => found !== undefined);
    assert.ok(key, lines.join("\n"));
    const call = { name: "save_artifact", arguments: { artifact: { title: "kept" } } };
    assert.equal((await first.rpc("tools/call", call, { authorization: `Bearer ${key}` })).envelope.ok, true);
    assert.equal(await first.stop(), 0);
    const again: string[] = [];
    const second = await startServiceProcess(env, [], (line) => again.push(line));
    assert.doesNotMatch(again.join("\n"), /suite_live_/);
    assert.equal((await second.rpc("tools/call", call, { "x-suite-api-key": key })).envelope.ok, true);
    assert.equal(await second.stop(), 0);
  });

  it("a second signal ends it at once, whatever is under way", async () => {
    const service = await startServiceProcess({ DATABASE_URL: "none", SVC_DRAIN_SECONDS: "600" });
    const { host, port } = new URL(service.url);
    const slow = connect(Number(port), "127.0.0.1");
    slow.on("error", () => undefined);
    // A request that is not sent whole keeps the first signal waiting.
    slow.write(
      `POST /api/mcp HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
    );
    assert.equal((await service.fetch("/livez")).status, 200);
    const ended = service.stop();
    await until(() =>
      service.fetch("/livez").then(
        () => false,
        () => true,
      ),
    );
    assert.equal(service.child.exitCode, null, "it waits for the request");
    service.child.kill("SIGTERM");
    assert.equal(await ended, 1);
    slow.destroy();
  });

  it("says where to report a vulnerability, if its operator does", async () => {
    const named = await startService({ settings: { securityContact: "mailto:security@example.com" } });
    const answer = await named.fetch("/.well-known/security.txt");
    const lines = (await answer.text()).trimEnd().split("\n");
    assert.match(answer.headers.get("content-type") ?? "", /^text\/plain/);
    assert.equal(lines[0], "Contact: mailto:security@example.com");
    const expires = Date.parse(lines[1]?.replace("Expires: ", "") ?? "");
    assert.ok(expires > Date.now() && expires < Date.now() + 365 * 86_400_000);
    assert.equal(lines[2], `Canonical: ${named.url}/.well-known/security.txt`);
    await named.close();
    const unnamed = await startService();
    assert.equal((await unnamed.fetch("/.well-known/security.txt")).status, 404);
    await unnamed.close();
  });

  it("a port in use is one clear line", async () => {
    const service = await startService();
    const { status, stderr } = await runMain(["--port", String(service.port)], { DATABASE_URL: "none" });
    assert.equal(status, 1);
    assert.match(stderr, /is in use; set PORT to another one/);
    await service.close();
  });

  it("drains: requests at hand are answered, new ones find no listener", async () => {
    const release = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const slow = defineTool({
      name: "slow",
      title: "Slow",
      description: "Answers when the test lets go.",
      input: inputOf({}),
      output: jsonObject(),
      access: "public",
      effect: "none",
      openWorld: false,
      async run() {
        started.resolve();
        await release.promise;
        return { done: true };
      },
    });
    const service = await startService({ registry: { tools: [slow], resources: [], prompts: [] } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const idle = await readyz(service.port, agent);
    assert.equal(idle.status, 200);
    const pending = service.call("slow");
    await started.promise;
    const closing = service.app.close(20_000);
    // A load balancer is answered so while others are still served; then the socket closes.
    for (const _ of [1, 2]) assert.equal((await readyz(service.port, new Agent())).status, 503);
    await until(() =>
      readyz(service.port, new Agent()).then(
        () => false,
        (error: unknown) => /ECONNREFUSED/.test(String(error)),
      ),
    );
    release.resolve();
    const answer = await pending;
    assert.deepEqual([answer.status, answer.envelope], [200, { ok: true, data: { done: true } }]);
    assert.equal(answer.headers.get("connection"), "close");
    await closing;
    agent.destroy();
  });
});

async function until(met: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 120_000;
  while (!(await met())) {
    assert.ok(Date.now() < end, "it takes too long");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function readyz(port: number, agent: Agent): Promise<{ status: number | undefined }> {
  return new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", path: "/readyz", agent }, (response) => {
      response.resume();
      response.on("end", () => resolve({ status: response.statusCode }));
    })
      .on("error", reject)
      .end();
  });
}
