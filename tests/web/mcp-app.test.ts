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
<iframe title="Form" src="/view" sandbox="allow-scripts" width="700" height="900"></iframe>
<script>
  window.seen = [];
  const frame = document.querySelector("iframe");
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
  addEventListener("message", async (event) => {
    if (event.source !== frame.contentWindow) return;
    const message = event.data;
    window.seen.push(message);
    if (message.method === "ui/initialize") {
      send({ id: message.id, result: { protocolVersion: "2026-01-26", hostInfo: { name: "test-host", version: "1" }, hostCapabilities: { serverTools: {} }, hostContext: { theme: "dark" } } });
    } else if (message.method === "ui/notifications/initialized") {
      send({ method: "ui/notifications/tool-input", params: { arguments: { toolName: "create_local_artifact" } } });
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
  assert.equal(content.mimeType, "text/html;profile=mcp-app");
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

async function viewOf(page: Page): Promise<Frame> {
  const element = await page.locator("iframe").elementHandle();
  const frame = await element?.contentFrame();
  if (frame === null || frame === undefined) throw new Error("The host shows no view.");
  return frame;
}

async function axeIn(view: Frame): Promise<readonly string[]> {
  return (await runAxe(view)).map((violation) => `${violation.id} ${violation.where.join(" ")}`);
}
