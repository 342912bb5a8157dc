import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { serverEntry, startEverything } from "../connections/everything.ts";
import { rest } from "../connections/rest.ts";
import { EVERYTHING, fileArguments, MEMORY, type Arguments } from "../connections/server-arguments.ts";
import { bridgeToHttp } from "../connections/stdio-bridge.ts";
import { ensureBuilt, leaveBrowser, openPage, settled, takeBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { enterKey, moveTo } from "./support.ts";

/*
 * Every tool of the official MCP servers from npm is listed in the web app, drawn as a form, sent from it and answered.
 * Over REST, execute_mcp_tool and workflow steps: tests/connections/mcp-servers.test.ts. What asks a person in the
 * middle of a call: connection-questions.test.ts.
 */

interface Source {
  readonly body: Readonly<Record<string, unknown>>;
  readonly close: () => unknown;
}

/** Declares the walk over one transport. */
export function walkServers(transport: "stdio" | "HTTP"): void {
  let service: TestService;
  let browser: Browser;
  let folder: string;

  before(async () => {
    await ensureBuilt();
    folder = await mkdtemp(join(tmpdir(), "mcp-walk-"));
    await writeFile(join(folder, "a.txt"), "one\ntwo\n");
    await writeFile(join(folder, "m0.txt"), "moved");
    const settings = { programEnvironment: { PATH: process.env["PATH"] ?? "" } };
    [service, browser] = await Promise.all([startService({ settings }), takeBrowser()]);
  });
  after(async () => {
    if (browser !== undefined) await leaveBrowser(browser);
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const program = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Source => ({
    body: { command: process.execPath, args, env },
    close: () => undefined,
  });
  const bridged = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const server = await bridgeToHttp(args, env);
    return { body: { url: server.url, allowPrivateOrigin: true }, close: () => server.close() };
  };
  const start = transport === "stdio" ? program : bridged;
  const servers: readonly {
    readonly name: string;
    readonly source: () => Source | Promise<Source>;
    readonly given: () => Readonly<Record<string, Arguments>>;
  }[] = [
    {
      name: "everything",
      async source() {
        if (transport === "stdio") return program([serverEntry("server-everything"), "stdio"]);
        const server = await startEverything();
        return { body: { url: server.url, allowPrivateOrigin: true }, close: () => server.close() };
      },
      given: () => EVERYTHING,
    },
    {
      name: "files",
      source: () => start([serverEntry("server-filesystem"), folder]),
      given: () => fileArguments(folder, "b.txt"),
    },
    {
      name: "memory",
      source: () =>
        start([serverEntry("server-memory")], { MEMORY_FILE_PATH: join(folder, `${transport}.jsonl`) }),
      given: () => MEMORY,
    },
  ];

  for (const { name, source, given } of servers) {
    it(`server-${name} over ${transport}: every tool is listed, drawn, sent and answered`, async () => {
      const { body, close } = await source();
      const { page, faults, ...opened } = await openPage(browser, { baseUrl: service.url });
      try {
        const added = await rest(service, "POST", "", { name, kind: "mcp", ...body });
        assert.equal(added.status, 201, JSON.stringify(added.body));
        const tools: readonly string[] = added.body.data.definitions
          .map((definition: { name: string }) => definition.name)
          .filter((tool: string) => !tool.includes("elicitation"));
        const known = given();
        const order = [...Object.keys(known), ...tools.filter((tool) => !(tool in known))];
        assert.deepEqual(order.toSorted(), tools.toSorted(), "every tool, and nothing that is not there");
        await page.goto("/");
        await enterKey(page, service.key);
        for (const tool of order) await sendFrom(page, name, tool, known[tool]);
        await moveTo(page, `/connections/${name}`);
        await settled(page);
        for (const tool of tools)
          assert.ok((await page.getByRole("button", { name: tool }).count()) > 0, `${tool} is not listed`);
        assert.deepEqual(faults, []);
        const { calls } = (await rest(service, "GET", "/calls?limit=100")).body.data;
        const own = calls.filter((call: { connection: string }) => call.connection === name);
        assert.equal(own.length, order.length, "each was called once");
      } finally {
        await opened.close();
        await close();
      }
    });
  }
}

/** Opens a tool by a link that fills its form, or has the form filled with an example, and sends it. */
async function sendFrom(
  page: Page,
  connection: string,
  tool: string,
  given: Arguments | undefined,
): Promise<void> {
  const args = typeof given === "function" ? given(0) : given;
  const value = args === undefined ? "" : `#${new URLSearchParams({ v: JSON.stringify(args) }).toString()}`;
  await moveTo(page, `/connections/${connection}?pick=${tool}${value}`);
  await page.getByText(`${connection}:${tool}`, { exact: true }).waitFor();
  await settled(page);
  const example = page.getByRole("button", { name: "Load example" });
  if (args === undefined && (await example.count()) > 0) {
    await example.click();
    // The code that makes examples comes when it is asked for.
    await page.getByRole("button", { name: "Undo", disabled: false }).waitFor();
  }
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const response = page.getByRole("region", { name: "Response" });
  const isAnswered = await response
    .getByText(/^(?:Done|The server refused it|Not sent.*|No answer.*)$/)
    .waitFor()
    .then(
      () => true,
      () => false,
    );
  const text = await (isAnswered ? response : page.getByRole("main")).innerText();
  assert.ok(isAnswered && text.includes("Done"), `${connection}:${tool} ${text.slice(0, 2_000)}`);
}
