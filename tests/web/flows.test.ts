import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { recordDocuments } from "../../src/provenance/documents.ts";
import { ensureBuilt, leaveBrowser, openPage, takeBrowser, type WatchedPage } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { enterKey, giveKey, moveTo, seed, showExpertView, traces } from "./support.ts";

/* Long on purpose: the cases share one browser and one service. */

let service: TestService;
let browser: Browser;
let apiUrl = "";
/** Describes an API of many operations. */
const api = createServer((_request, response) => {
  const paths = Object.fromEntries(
    Array.from({ length: 640 }, (_, n) => [
      `/things/${n}`,
      {
        get: {
          summary: `Look at thing ${n}`,
          parameters: [
            { name: "size", in: "query", required: true, schema: { type: "integer", title: "Size" } },
          ],
          responses: { 200: { description: "A thing" } },
        },
      },
    ]),
  );
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ openapi: "3.1.0", info: { title: "Large API", version: "1" }, paths }));
});
const SERVERLESS = `document: { dsl: 1.0.0, namespace: test, name: from-elsewhere, version: 1.0.0 }
do:
  - ask:
      call: http
      with: { method: get, endpoint: https://example.org }
  - keep:
      set: { done: true }
`;

before(async () => {
  await new Promise<void>((done) => api.listen(0, "127.0.0.1", done));
  const address = api.address();
  assert.ok(address !== null && typeof address === "object");
  apiUrl = `http://127.0.0.1:${address.port}`;
  await ensureBuilt();
  [service, browser] = await Promise.all([
    startService({ settings: { trustedHosts: [`127.0.0.1:${address.port}`] } }),
    takeBrowser(),
  ]);
});
after(async () => {
  if (browser !== undefined) await leaveBrowser(browser);
  await service?.close();
  api.closeAllConnections();
  await new Promise((done) => api.close(done));
});

/** Opens a page, runs a test on it, and wants no uncaught error and no violation of the policy. */
async function on(path: string, work: (page: Page, watched: WatchedPage) => Promise<void>): Promise<void> {
  const watched = await openPage(browser, { baseUrl: service.url, width: 1400 });
  await watched.page.goto(path);
  await work(watched.page, watched);
  const { faults } = watched;
  await watched.close();
  assert.deepEqual(faults, []);
}

describe("the web app", () => {
  it("operates a tool: finds it, checks the form, runs it, keeps the call and the result", async () => {
    await on("/tools", async (page) => {
      await page.getByLabel("Search tools").fill("create_local");
      await page.getByRole("link", { name: /create_local_artifact/ }).click();
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("alert").filter({ hasText: "1 problem" }).waitFor();
      await page.getByRole("textbox", { name: "Title" }).fill("A first artifact");
      await page.getByText("What will be sent").click();
      await page.getByRole("group", { name: "request" }).getByText("A first artifact").waitFor();
      await page.getByRole("button", { name: "Run" }).click();
      const result = page.getByRole("region", { name: "Result" });
      await result.getByText("Done").waitFor();
      await result.getByText("generated snapshot").waitFor();
      await result.getByRole("radio", { name: "Raw" }).click();
      await result.getByText('"structuredContent"').waitFor();
      await page.getByRole("tab", { name: "History" }).click();
      await page.getByText("A first artifact").waitFor();
      await page.getByRole("tab", { name: "Copy as" }).click();
      await page.getByRole("group", { name: "curl" }).getByText("create_local_artifact").waitFor();
      await page.getByRole("group", { name: "TypeScript" }).waitFor();
      await page.getByRole("tab", { name: "Operate" }).click();
      await page.getByRole("button", { name: "Copy link" }).click();
      const link: string = await page.evaluate("navigator.clipboard.readText()");
      await page.goto(link.replace(/^https?:\/\/[^/]+/, ""));
      assert.equal(await page.getByRole("textbox", { name: "Title" }).inputValue(), "A first artifact");
    });
  });

  it("shows in the form what the service finds wrong with the arguments", async () => {
    await on("/tools/create_local_artifact", async (page) => {
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("button", { name: "Send anyway" }).click();
      const result = page.getByRole("region", { name: "Result" });
      await result.getByText("Refused").waitFor();
      await result.getByText("/title").waitFor();
      await result.getByText('"title" is required.').first().waitFor();
      await page.getByRole("alert").filter({ hasText: '"title" is required.' }).waitFor();
    });
  });

  it("leads from a 401 to the key field and on, and keeps the key in memory only", async () => {
    await on("/tools/save_artifact", async (page) => {
      await page.getByRole("radio", { name: "JSON" }).click();
      await page.locator("form .cm-content").click();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText('{"artifact": {"title": "Kept", "content": {"n": 1}}}');
      await page.getByRole("button", { name: "Run" }).click();
      await giveKey(page, "not-the-key-0123456789-abcdef");
      await page.getByText("did not accept the last key").waitFor();
      await giveKey(page, service.key);
      await page.getByRole("region", { name: "Result" }).getByText("Done").waitFor();
      await page.getByRole("button", { name: "Key in use" }).waitFor();
      const left = await traces(page);
      assert.ok(left.includes("Kept"), "the scan sees what the page keeps");
      assert.ok(!left.includes(service.key), "the key is in no storage, address or markup");
      await page.reload();
      await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
    });
  });

  it("leaves the key nowhere after a tool, an artifact, a handoff and a run", async () => {
    await on("/tools/list_artifacts", async (page) => {
      await enterKey(page, service.key);
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("region", { name: "Result" }).getByText("Done").waitFor();
      await page.getByRole("button", { name: "Copy link" }).click();
      const { workflowId, artifactId } = await seed(service);
      await moveTo(page, `/artifacts/${artifactId}`);
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.getByRole("textbox", { name: "Title" }).fill("Saved with a key");
      await page.getByRole("button", { name: "Save as a new version" }).click();
      await page.getByRole("heading", { level: 1, name: "Saved with a key" }).waitFor();
      await moveTo(page, "/handoffs");
      await page.getByRole("button", { name: "Preview packet" }).click();
      await page.getByRole("button", { name: "Send now" }).click();
      await page.getByText(/^Not done/).waitFor();
      await moveTo(page, `/workflows/${workflowId}?tab=runs`);
      await page.getByRole("button", { name: "Run draft" }).click();
      const dialog = page.getByRole("dialog", { name: "Run draft" });
      await dialog.getByRole("textbox", { name: "Title" }).fill("With a key");
      await dialog.getByRole("radio", { name: "JSON" }).click();
      await dialog.locator(".cm-content").first().click();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText('{"title": "T", "schema": {"type": "object"}, "values": {}}');
      await dialog.getByRole("button", { name: "Run draft" }).click();
      await page.waitForURL("**/runs/run_*");
      const left = await traces(page);
      assert.ok(left.includes("list_artifacts"), "the scan sees what the page keeps");
      assert.ok(!left.includes(service.key), "the key is in no storage, address or markup");
      const copied: string = await page.evaluate("navigator.clipboard.readText()");
      assert.ok(!copied.includes(service.key), "nor in what was copied");
    });
  });

  it("says that it is offline, keeps the form, and goes on when the connection is back", async () => {
    await on("/tools/create_local_artifact", async (page, { context }) => {
      await page.getByRole("textbox", { name: "Title" }).fill("Written offline");
      await context.setOffline(true);
      await page.getByText("You are offline").waitFor();
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("region", { name: "Result" }).getByText("cannot be reached").waitFor();
      await context.setOffline(false);
      await page.getByText("You are offline").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("region", { name: "Result" }).getByText("Done").waitFor();
    });
  });

  it("makes a workflow from a template, runs it, decides with a form, and proves it", async () => {
    await on("/templates", async (page) => {
      await enterKey(page, service.key);
      const card = page.getByRole("listitem").filter({ hasText: "Form intake with approval" });
      await card.getByRole("button", { name: "Use it" }).click();
      await page.getByRole("tab", { name: "Plan" }).click();
      await page.getByText("Review the submission").first().waitFor();
      await page.getByRole("button", { name: "More" }).click();
      const file = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: "Export as Arazzo" }).click();
      assert.match((await file).suggestedFilename(), /arazzo/);
      await page.getByRole("button", { name: "Publish" }).click();
      await page.getByText("is published for people here").waitFor();
      await page.getByRole("tab", { name: "Versions" }).click();
      await page.getByRole("button", { name: "Compare with the draft" }).click();
      await page.getByText("What the draft changes").waitFor();
      await page.getByRole("button", { name: "Run v1" }).click();
      const dialog = page.getByRole("dialog", { name: "Run version 1" });
      await dialog.getByRole("textbox", { name: "Title" }).fill("Sign-up");
      await dialog.getByRole("radio", { name: "JSON" }).click();
      await dialog.locator(".cm-content").first().click();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(
        '{"title": "Sign-up", "schema": {"type": "object", "required": ["name"]}, "values": {"name": "Ada"}}',
      );
      await dialog.getByRole("button", { name: "Run version 1" }).click();
      await page.waitForURL("**/runs/run_*");
      await page.getByRole("link", { name: "Decide" }).click();
      await page.getByRole("button", { name: "Reject" }).click();
      await page.getByText("Say why: the run").waitFor();
      await page.getByRole("textbox", { name: "Note", exact: true }).fill("Looks good");
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByText("Approved. The run goes on.").waitFor();
      await moveTo(page, "/runs");
      await page
        .getByRole("link", { name: /Form intake/ })
        .first()
        .click();
      await page.getByText("succeeded").first().waitFor();
      await page.getByRole("link", { name: "Provenance" }).last().click();
      await page.getByText(/Inclusion: pass/).waitFor();
      await page.getByText(/Signature: /).waitFor();
    });
  });

  it("shows a run as confirmed only when the services that had to confirm it did", async () => {
    const start = async (nodes: readonly object[]): Promise<string> => {
      const made = await service.call("create_workflow", { name: "Doubt", nodes, edges: [] }, { key: true });
      const { id } = made.envelope.data.workflow;
      const { envelope } = await service.call("run_workflow", { id }, { key: true });
      return envelope.data.run.id;
    };
    const preview = { target: "docs", capability: "report", dryRun: true };
    const doubtful = await start([{ id: "post", type: "handoff", handoff: preview }]);
    const plain = await start([{ id: "check", type: "tool", tool: "get_health" }]);
    await on("/runs", async (page) => {
      await enterKey(page, service.key);
      await moveTo(page, `/runs/${doubtful}`);
      await page.getByText("1 step is not confirmed").waitFor();
      await page.getByText("Only a preview packet was prepared").waitFor();
      await page.getByText("not confirmed", { exact: true }).waitFor();
      await moveTo(page, `/runs/${plain}`);
      await page.getByText("confirmed", { exact: true }).waitFor();
      assert.equal(await page.getByText(/not confirmed/).count(), 0);
    });
  });

  it("names a record by what it speaks of, a document by its path", async () => {
    await recordDocuments(service.app.services, ["/llms.txt"]);
    await on(`/provenance?by=url&value=${encodeURIComponent("/llms.txt")}`, async (page) => {
      await page.getByRole("button", { name: /discovery document.*\/llms\.txt · / }).waitFor();
      await page.getByText(/Signature: pass/).waitFor();
    });
  });

  it("draws a workflow on the canvas and in the outline, and names its problems", async () => {
    await on("/workflows/new", async (page) => {
      for (const [n, name] of ["service health", "approval"].entries()) {
        await page.getByRole("button", { name: "Add step", exact: true }).click();
        await page.getByRole("dialog", { name: "Add a step" }).getByRole("combobox").fill(name);
        await page.keyboard.press("Enter");
        await page.locator(".react-flow__node").nth(n).waitFor();
      }
      await page.getByRole("radio", { name: "Outline" }).click();
      const port = page.getByRole("combobox", { name: "Port 1 of Service health" });
      await port.waitFor();
      await showExpertView(page);
      await page.getByRole("tab", { name: "Document" }).click();
      await page.getByText('"approval"').first().waitFor();
      await page.getByRole("tab", { name: "Edit" }).click();
      await page.getByRole("button", { name: "Remove step Approval" }).click();
      await port.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Undo" }).first().click();
      await port.waitFor();
      await page.getByRole("button", { name: "Remove step Service health" }).click();
      await page.getByRole("button", { name: "Remove step Approval" }).click();
      await page.getByRole("tab", { name: /Problems/ }).click();
      await page.getByText("There is nothing to run yet.").waitFor();
    });
  });

  it("imports workflows of other formats, naming what is not imported before anything is kept", async () => {
    const made = await service.call(
      "instantiate_template",
      { templateId: "form-intake-approval" },
      { key: true },
    );
    const id: string = made.envelope.data.workflow.id;
    const exported = await service.fetch(`/api/svc/workflows/${id}/export?format=arazzo`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const { data } = JSON.parse(await exported.text());
    await on("/workflows", async (page) => {
      await page.getByRole("button", { name: "Import", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Import a workflow" });
      const text = dialog.getByLabel("The workflow as text");
      await text.fill("nothing of the kind");
      await dialog.getByText("The text does not hold a JSON object.").waitFor();
      await text.fill(SERVERLESS);
      await dialog.getByText("Serverless Workflow", { exact: true }).waitFor();
      await dialog.getByText("Not imported: 1").waitFor();
      await dialog.getByText("/do/0/ask").waitFor();
      await dialog.getByLabel("Choose a workflow file").setInputFiles({
        name: "intake.arazzo.yaml",
        mimeType: "application/yaml",
        buffer: Buffer.from(data.text),
      });
      await dialog.getByText("Arazzo", { exact: true }).waitFor();
      await dialog.getByText("Everything is imported.").waitFor();
      await dialog.getByRole("button", { name: "Open as a draft here" }).click();
      await page.waitForURL("**/workflows/draft_*");
      await page.getByText("Review the submission").first().waitFor();
      await moveTo(page, "/workflows?import=open");
      await text.fill(SERVERLESS);
      await dialog.getByRole("button", { name: "Save on the server" }).click();
      await giveKey(page, service.key);
      await page.waitForURL("**/workflows/workflow_*");
      await page.getByText("Imported as a draft on the server").waitFor();
    });
  });

  it("keeps drafts here, shares them in a link, saves them on the server", async () => {
    await on("/artifacts", async (page) => {
      await page.getByRole("button", { name: "New draft" }).first().click();
      await page.getByRole("textbox", { name: "Title" }).fill("My notes");
      await page.getByRole("button", { name: "Keep", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "My notes" }).waitFor();
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: "Copy share link" }).click();
      // A draft is internal unless the person says otherwise, so the page asks before all of it goes into a link.
      await page.getByRole("button", { name: "Copy the link anyway" }).click();
      await page.getByText("Share link copied").waitFor();
      const link: string = await page.evaluate("navigator.clipboard.readText()");
      assert.match(link, /#artifact=/);
      await page.getByRole("button", { name: "Save on the server" }).click();
      await giveKey(page, service.key);
      await page.getByText("Saved on the server").first().waitFor();
      await page.waitForURL("**/artifacts/artifact_*");
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.getByRole("textbox", { name: "Title" }).fill("My notes, again");
      await page.getByRole("button", { name: "Save as a new version" }).click();
      await page.getByRole("heading", { level: 1, name: "My notes, again" }).waitFor();
      await page.getByLabel("Version to compare with").waitFor();
      await page.goto(link.replace(/^https?:\/\/[^/]+/, ""));
      await page
        .getByRole("dialog", { name: "My notes" })
        .getByRole("button", { name: "Keep as a draft" })
        .click();
      await page.getByRole("heading", { level: 1, name: "My notes" }).waitFor();
      // The link that agents get in a share packet leads to the same page; this one has no member `content`.
      const artifact = { title: "From an agent", text: "What the agent found" };
      const { envelope } = await service.call("create_share_packet", { artifact });
      const shared = envelope.data.packet.link;
      assert.ok(shared !== null);
      await page.goto(shared.replace(/^https?:\/\/[^/]+/, ""));
      await page.getByRole("dialog", { name: "From an agent" }).getByText("What the agent found").waitFor();
    });
  });

  it("previews a handoff and sends nothing by itself; shows the demo, events and status live", async () => {
    await on("/handoffs", async (page) => {
      await page.getByRole("button", { name: "Preview packet" }).click();
      await page.getByText("suite.handoff.v1").first().waitFor();
      await page.getByText("preview ready").first().waitFor();
      await moveTo(page, "/demo");
      await page.getByRole("heading", { level: 1, name: "Demo suite" }).waitFor();
      await page.getByText("See the network").waitFor();
      // No sibling is configured here, so only this service's own step may look as if it could be asked.
      assert.equal(await page.getByText("ready", { exact: true }).count(), 0);
      assert.equal(await page.getByText("not set up", { exact: true }).count(), 5);
      await page.getByText("Set SUITE_ROOT_URL, or start with --with-suite.").first().waitFor();
      await page.getByRole("button", { name: "Probe public steps" }).click();
      await page.getByText("1 verified").waitFor();
      assert.equal(await page.getByText("verified", { exact: true }).count(), 1);
      await moveTo(page, "/developers?tab=events");
      await page.getByText("open", { exact: true }).waitFor();
      await enterKey(page, service.key);
      await page.getByText("open", { exact: true }).waitFor();
      await seed(service);
      await page
        .getByText(/run.*waiting|approval.*requested/)
        .first()
        .waitFor();
    });
  });

  it("lists every operation of an API at a trusted address, finds one, and makes its form", async () => {
    await on("/connections?add=open&kind=url", async (page) => {
      await page
        .getByRole("textbox", { name: "Your API, schema or configuration" })
        .fill(`${apiUrl}/openapi.json`);
      await page.getByRole("button", { name: "List its operations" }).click();
      await page.getByText("Large API · 640 operations").waitFor();
      await page.getByLabel("Search operations").fill("things 617");
      await page.getByText("1 of 640 match").waitFor();
      await page.getByRole("button", { name: /things\/617/ }).click();
      await page.getByRole("textbox", { name: "Size" }).fill("12");
      await page
        .getByRole("group", { name: /request/i })
        .getByText("size=12")
        .waitFor();
    });
  });

  it("makes forms of an API and of a tool list in the page, sending nothing", async () => {
    await on("/connections?add=open", async (page) => {
      const sent: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST") sent.push(request.postData() ?? "");
      });
      await page.getByRole("button", { name: "an API" }).click();
      await page.getByRole("button", { name: /Add a pet/ }).click();
      await page.getByRole("textbox", { name: /^Name/ }).fill("Rex");
      await page
        .getByRole("group", { name: /request/i })
        .getByText("Rex")
        .waitFor();
      await page.getByRole("button", { name: "a tool list" }).click();
      await page.getByRole("button", { name: /Create issue/ }).click();
      await page.getByRole("button", { name: "Add Assignees" }).waitFor();
      const dropped = await page.evaluateHandle(`(() => {
        const data = new DataTransfer();
        data.items.add(new File(['{"title": "Dropped", "type": "object", "properties": {"hat": {"type": "string"}}}'], "hat.json"));
        return data;
      })()`);
      await page.getByText("or drop it here").dispatchEvent("drop", { dataTransfer: dropped });
      await page.getByRole("textbox", { name: "Hat" }).fill("Rex again");
      assert.ok(!sent.some((body) => body.includes("Rex")));
    });
  });
});
