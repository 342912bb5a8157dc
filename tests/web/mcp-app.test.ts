import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { after, describe, it } from "node:test";
import type { Frame, Page } from "playwright-core";
import { openPage, runAxe } from "../support/browser.ts";
import { startWeb } from "./setup.ts";

/*
 * A chat host in small: it reads `ui://svc/form` from the service, shows it in a sandboxed frame under the default
 * policy of the MCP Apps extension, and speaks the extension's protocol with it.
 */

/** What the extension prescribes for a view that declares no domains. */
const DEFAULT_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

const HOST = `<!doctype html><html lang="en"><title>Host</title><body>
<iframe title="App" src="/view" sandbox="allow-scripts" width="700" height="900"></iframe>
<script>
  window.seen = [];
  const frame = document.querySelector("iframe");
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
  addEventListener("message", async (event) => {
    if (event.source !== frame.contentWindow) return;
    const message = event.data;
    window.seen.push(message);
    if (message.method === "ui/initialize") {
      send({ id: message.id, result: { protocolVersion: "2026-01-26", hostInfo: { name: "test-host", version: "1" }, hostCapabilities: { serverTools: {}, openLinks: {} }, hostContext: { theme: window.theme ?? "dark" } } });
    } else if (message.method === "ui/notifications/initialized") {
      send({ method: "ui/notifications/tool-input", params: { arguments: window.toolInput ?? {} } });
      send({ method: "ui/notifications/tool-result", params: window.toolResult });
    } else if (message.method === "tools/call") {
      send({ id: message.id, result: await window.callTool(message.params) });
    } else if (message.id !== undefined) send({ id: message.id, result: {} });
  });
</script></body></html>`;

let host: Server;
let address: string;
let html: string;

const web = startWeb(async () => {
  const read = await web.service.rpc("resources/read", { uri: "ui://svc/form" });
  const [content] = read.json.result.contents;
  assert.ok(content);
  assert.equal(content["mimeType"], "text/html;profile=mcp-app");
  html = content.text;
  host = createServer((request, response) => {
    const view = request.url === "/view";
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (view) response.setHeader("content-security-policy", DEFAULT_POLICY);
    response.end(view ? html : HOST);
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  const bound = host.address();
  assert.ok(typeof bound === "object" && bound !== null);
  address = `http://127.0.0.1:${bound.port}/`;
});
after(async () => {
  host?.close();
});

describe("the MCP App", () => {
  it("is one file: no script, style, image or request from anywhere", () => {
    assert.doesNotMatch(html, /<script[^>]+src=|<link[^>]+href=|@import|url\((?!["']?data:)/);
  });

  it("shows the form of a rendering tool in a host under the default policy, and runs the tool through the host", async () => {
    const { page, faults, close } = await openPage(web.browser, { width: 800, height: 1000 });
    const rendered = await web.service.call("render_mcp_tool_form", { toolName: "create_local_artifact" });
    await page.exposeFunction(
      "callTool",
      async (params: { name: string; arguments: unknown }) =>
        (await web.service.rpc("tools/call", params)).json.result,
    );
    await page.addInitScript(`window.toolResult = ${JSON.stringify(rendered.json.result)}`);
    await page.goto(address);
    const view = await viewOf(page);
    await view.getByRole("textbox", { name: "Title" }).fill("Made in a chat");
    assert.equal(await view.evaluate("document.documentElement.dataset.theme"), "dark");
    const broken = await axeIn(view);
    await view.getByRole("button", { name: /Run create_local_artifact/ }).click();
    await view.getByRole("region", { name: "Result" }).getByText("Done").waitFor();
    const seen: { method?: string; params?: { name?: string; arguments?: unknown; height?: number } }[] =
      await page.evaluate("window.seen");
    const methods = seen.map((message) => message.method);
    await close();
    assert.deepEqual(broken, []);
    assert.deepEqual(faults, []);
    assert.ok(methods.includes("ui/notifications/size-changed"));
    assert.ok(methods.includes("ui/update-model-context"));
    const call = seen.find((message) => message.method === "tools/call");
    assert.deepEqual(call?.params, { name: "create_local_artifact", arguments: { title: "Made in a chat" } });
  });
});

describe("the cards of the endpoint for agents", () => {
  /** Calls a tool at /mcp, and shows what its app makes of the result. */
  async function shown(name: string, args: object, theme: "light" | "dark") {
    const rpc = (method: string, params: object) =>
      web.service.fetch("/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${web.service.key}` },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
    const { result: listed } = JSON.parse(await (await rpc("tools/list", {})).text());
    const uri = listed.tools.find((tool: { name: string }) => tool.name === name)._meta.ui.resourceUri;
    const { result: read } = JSON.parse(await (await rpc("resources/read", { uri })).text());
    html = read.contents[0].text;
    const { result } = JSON.parse(await (await rpc("tools/call", { name, arguments: args })).text());
    const watched = await openPage(web.browser, { width: 720, height: 920 });
    const { page } = watched;
    await page.exposeFunction("callTool", async (params: object) => {
      return JSON.parse(await (await rpc("tools/call", params)).text()).result;
    });
    await page.addInitScript(
      `window.theme = "${theme}"; window.toolInput = ${JSON.stringify(args)}; window.toolResult = ${JSON.stringify(result)}`,
    );
    await page.goto(address);
    return { ...watched, uri, view: await viewOf(page), data: result.structuredContent.data };
  }
  const opened = async (page: Page): Promise<unknown> => {
    const seen: { method?: string; params?: { url?: string } }[] = await page.evaluate("window.seen");
    return seen.find(({ method }) => method === "ui/open-link")?.params?.url;
  };
  const WORKFLOW = {
    name: "Save after approval",
    nodes: [
      { id: "health", type: "tool", tool: "get_health" },
      {
        id: "ask",
        type: "approval",
        approval: {
          title: "Keep the report?",
          show: { status: { $ref: "steps.health.outputs.data.status" } },
        },
      },
      { id: "keep", type: "tool", tool: "save_artifact", with: { artifact: { title: "Report" } } },
    ],
    edges: [
      { from: "health", to: "ask" },
      { from: "ask", to: "keep", port: "approved" },
    ],
    publish: true,
  };

  for (const theme of ["light", "dark"] as const) {
    it(`show a plan, a run, an approval and a form in a host, ${theme}`, async () => {
      const plan = await shown("write_workflow", WORKFLOW, theme);
      assert.equal(plan.uri, "ui://svc/plan");
      await plan.view.getByRole("heading", { name: /Save after approval.*can run/ }).waitFor();
      await plan.view.getByText("1 write").waitFor();
      await plan.view.getByText("A person decides: Keep the report?").waitFor();
      assert.equal(await plan.view.evaluate("document.documentElement.dataset.theme"), theme);
      const broken = [...(await axeIn(plan.view))];

      const run = await shown("run", { workflow: plan.data.id, waitSeconds: 20 }, theme);
      assert.equal(run.uri, "ui://svc/run");
      await run.view.getByRole("heading", { name: /Run.*waiting/ }).waitFor();
      await run.view.getByText("Waits for a person: Keep the report?").waitFor();
      broken.push(...(await axeIn(run.view)));
      const [{ id, link, shownDigest }] = run.data.run.approvals;
      // As they were executed, not by name.
      assert.deepEqual(
        run.data.run.steps.map((step: { id: string }) => step.id),
        ["health", "ask"],
      );
      await run.view.getByRole("button", { name: "Decide in the browser" }).first().click();
      // A sandboxed page opens nothing itself: the host does.
      await run.page.waitForFunction(`window.seen.some(({ method }) => method === "ui/open-link")`);
      assert.equal(await opened(run.page), link);

      const seen = await shown("get", { kind: "approval", id }, theme);
      await seen.view.getByRole("heading", { name: /Keep the report\?.*waiting/ }).waitFor();
      await seen.view.getByText("healthy").waitFor();
      broken.push(...(await axeIn(seen.view)));
      const decided = await shown("decide", { approval: id, verdict: "approved", shownDigest }, theme);
      assert.equal(decided.uri, "ui://svc/approval");
      await decided.view.getByRole("heading", { name: /Keep the report\?.*approved/ }).waitFor();
      broken.push(...(await axeIn(decided.view)));
      // The card of the run that waited looks again through the host.
      await run.view.getByRole("button", { name: "Refresh" }).click();
      await run.view.getByRole("heading", { name: /Run.*(succeeded|running)/ }).waitFor();

      const form = await shown("render_form", { tool: "create_local_artifact" }, theme);
      assert.equal(form.uri, "ui://svc/form");
      await form.view.getByRole("textbox", { name: "Title" }).fill("Made at the endpoint for agents");
      broken.push(...(await axeIn(form.view)));
      await form.view.getByRole("button", { name: /Run create_local_artifact/ }).click();
      await form.view.getByRole("region", { name: "Result" }).getByText("Done").waitFor();

      const other = await shown("get", { kind: "template", id: "form-intake-approval" }, theme);
      await other.view.getByText("form-intake-approval").first().waitFor();
      const faults = [plan, run, seen, decided, form, other].flatMap((each) => each.faults);
      for (const { close } of [plan, run, seen, decided, form, other]) await close();
      assert.deepEqual([...broken, ...faults], []);
    });
  }
});

async function viewOf(page: Page): Promise<Frame> {
  const element = await page.locator("iframe").elementHandle();
  const frame = await element?.contentFrame();
  if (frame === null || frame === undefined) throw new Error("The host shows no view.");
  return frame;
}

async function axeIn(view: Frame): Promise<readonly string[]> {
  return (await runAxe(view)).map((violation) => `${violation.id} ${violation.where.join(" ")}`);
}
