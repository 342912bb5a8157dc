import { existsSync } from "node:fs";
import axe from "axe-core";
import { chromium, type Browser, type Page } from "playwright-core";
import { sha256Hex } from "../../../src/kernel/canonical-json.ts";
import { isObject, type JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import { contentId, subjectOf, textOf } from "../parts.ts";
import { showRoute } from "../show.ts";
import type { SiblingContext, SiblingDefinition } from "../sibling.ts";

const OPEN_MS = 15_000;
const PLACES = [
  process.env["CHROMIUM_PATH"] ?? "",
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

let browser: Promise<Browser> | null = null;

/** Opens a page in Chromium, audits it with axe and keeps a screenshot. */
export const browsercheck: SiblingDefinition = {
  name: "browsercheck",
  routes: (context) => [
    showRoute(context, {
      path: "/api/browsercheck/checks",
      prefix: "check",
      isProtected: false,
      as: "check",
    }),
    {
      method: "GET",
      path: "/screenshots/*",
      isProtected: false,
      async handle({ params: [name = ""] }) {
        const image = await context.results.file(name.replace(/\.png$/, ""), "png");
        if (image === null) throw new Refusal(404, "not_found", "There is no screenshot of this name.");
        return { type: "image/png", content: image };
      },
    },
  ],
  async work(packet, context) {
    const check = await audited(subjectOf(packet.payload ?? {}), packet.id, context);
    return {
      status: "completed",
      resultRef: `${context.url}/api/browsercheck/checks/${textOf(check, "id")}`,
      result: { check },
    };
  },
  async close() {
    await (await browser)?.close();
    browser = null;
  },
};

async function audited(subject: JsonObject, packetId: string, context: SiblingContext): Promise<JsonObject> {
  const address = URL.parse(textOf(subject, "url"));
  const html = textOf(subject, "html");
  if (html === "" && (address === null || !/^https?:$/.test(address.protocol))) {
    throw new Refusal(422, "invalid_input", "Give the http(s) address of a page, or its HTML.");
  }
  const session = await (
    await launched()
  ).newContext({ bypassCSP: true, viewport: { width: 1280, height: 800 } });
  try {
    const page = await session.newPage();
    const status = await opened(page, html === "" ? (address?.href ?? "") : null, html);
    await page.addScriptTag({ content: axe.source });
    const findings = violationsIn(await page.evaluate("axe.run(document, { resultTypes: ['violations'] })"));
    const image = await page.screenshot({ type: "png" });
    const id = contentId("check", `${packetId}\n${sha256Hex(image)}`);
    await context.results.putFile(id, "png", image);
    const check = {
      id,
      checkedUrl: html === "" ? (address?.href ?? "") : "about:srcdoc",
      httpStatus: status,
      title: (await page.title()).slice(0, 300),
      violations: findings.length,
      findings,
      screenshotUrl: `${context.url}/screenshots/${id}.png`,
      screenshotDigest: `sha256:${sha256Hex(image)}`,
    };
    await context.results.put(id, check);
    return check;
  } finally {
    await session.close();
  }
}

async function opened(page: Page, url: string | null, html: string): Promise<number | null> {
  try {
    if (url === null) {
      await page.setContent(html, { timeout: OPEN_MS });
      return null;
    }
    const answer = await page.goto(url, { timeout: OPEN_MS, waitUntil: "load" });
    return answer?.status() ?? null;
  } catch {
    throw new Refusal(422, "not_opened", "The page could not be opened.");
  }
}

function launched(): Promise<Browser> {
  const executablePath = PLACES.find((place) => place !== "" && existsSync(place));
  browser ??= chromium.launch({
    headless: true,
    ...(executablePath !== undefined && { executablePath }),
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  return browser;
}

function violationsIn(report: unknown): readonly JsonObject[] {
  const violations = isObject(report) && Array.isArray(report["violations"]) ? report["violations"] : [];
  return violations.filter(isObject).map(({ id, impact, nodes, help }) => ({
    id: String(id),
    impact: typeof impact === "string" ? impact : null,
    help: typeof help === "string" ? help : "",
    elements: Array.isArray(nodes) ? nodes.length : 0,
  }));
}
