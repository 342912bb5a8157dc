import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { buildPackages } from "../../scripts/build-packages.ts";
import { BUDGETS, sizeOf } from "../../scripts/package-sizes.ts";
import { buildProject } from "../../web/build/package-styles.ts";
import { openPage, runAxe, startBrowser } from "../support/browser.ts";

/*
 * The packages as others get them: built, packed, installed from their tarballs into an empty project outside this
 * repository, and used there by Node, by the type checker and by a page that Vite built.
 */

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const EXAMPLE = join(ROOT, "packages/forms-react/example");
const run = promisify(execFile);

/** What a project has beside our packages: nothing is fetched, so it comes from the packages of this repository. */
const BESIDE = ["react", "react-dom", "scheduler", "@types/react", "@types/react-dom", "csstype"];

let project: string;

before(async () => {
  await buildPackages();
  project = await mkdtemp(join(tmpdir(), "forms-project-"));
  await cp(EXAMPLE, project, { recursive: true });
  const folders = ["packages/forms", "packages/forms-react", ...BESIDE.map((name) => `node_modules/${name}`)];
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", project];
  const { stdout } = await run("npm", [...pack, ...folders.map((folder) => join(ROOT, folder))], {
    cwd: project,
  });
  const packed: readonly { readonly name: string; readonly filename: string }[] = Object.values(
    JSON.parse(stdout),
  );
  assert.equal(packed.length, folders.length);
  const manifest = {
    private: true,
    type: "module",
    dependencies: Object.fromEntries(packed.map(({ name, filename }) => [name, `file:./${filename}`])),
    // What they need of one another is what was packed.
    overrides: Object.fromEntries(packed.map(({ name }) => [name, `$${name}`])),
  };
  await writeFile(join(project, "package.json"), JSON.stringify(manifest));
  await run("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: project });
});
after(async () => {
  if (project !== undefined) await rm(project, { recursive: true, force: true });
});

/** The blocks of code of a README, by language. */
async function blocksOf(readme: string, language: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, readme), "utf8");
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, code = ""]) => code);
}

async function modulesOf(name: string): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const dist = join(project, "node_modules/@workflow-ui", name, "dist");
  const paths = (await readdir(dist, { recursive: true })).filter((path) => path.endsWith(".js"));
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(dist, path), "utf8") })));
}

describe("@workflow-ui/forms, installed from its tarball", () => {
  it("runs the example of its README in Node", async () => {
    const [code = ""] = await blocksOf("packages/forms/README.md", "js");
    assert.ok(code.trim().split("\n").length <= 20, "the example has at most 20 lines");
    await writeFile(join(project, "readme.mjs"), code);
    const { stdout } = await run(process.execPath, ["readme.mjs"], { cwd: project });
    assert.match(stdout, /\[ 'Name: text', 'Seats: integer' \]/);
    assert.match(stdout, /pointer: '\/name'/);
    assert.match(stdout, /^valid {"name":"Ada"}$/m);
  });

  it("runs the example of hints in Node", async () => {
    const [, code = ""] = await blocksOf("packages/forms/README.md", "js");
    await writeFile(join(project, "hints.mjs"), code);
    const { stdout } = await run(process.execPath, ["hints.mjs"], { cwd: project });
    assert.match(stdout, /\[ 'Kind', 'Full name', 'VAT' \] \[\]|\[ 'Kind', 'Full name', 'Vat' \] \[\]/);
  });

  it("imports nothing, from Node or from elsewhere, and names no part of this service", async () => {
    const modules = await modulesOf("forms");
    assert.ok(modules.length > 30);
    for (const { path, text } of modules) {
      for (const [, specifier = ""] of text.matchAll(/\bfrom\s*"([^"]+)"|\bimport\("([^"]+)"\)/g))
        assert.match(specifier, /^\.{1,2}\//, `${path} imports ${specifier}`);
      assert.doesNotMatch(text, /\b(process|Buffer|require)\b[.(]/, path);
      // The schema of the document lists the kinds of examples that a service may put into it.
      if (!path.endsWith("document-schema.js"))
        assert.doesNotMatch(text, /suitectl|validate_form_input|\/api\/mcp/, path);
    }
  });

  it("keeps within its budgets of size", async (t) => {
    for (const { name, code, most } of BUDGETS) {
      const { brotli, gzip, modules } = await sizeOf(code);
      t.diagnostic(`${name}: ${brotli} bytes with Brotli (${gzip} with gzip), at most ${most}`);
      const largest = modules
        .slice(0, 12)
        .map(({ id, bytes }) => `${id.split("/").slice(-2).join("/")} ${bytes}`);
      assert.ok(
        brotli <= most,
        `${name} has ${brotli} bytes, at most ${most}. The largest: ${largest.join(", ")}`,
      );
    }
  });
});

describe("@workflow-ui/forms-react, installed from its tarball", () => {
  let browser: Browser;
  let server: Server;
  let url: string;

  before(async () => {
    await buildProject(project);
    server = await serve(join(project, "dist"));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  it("is the example that its README shows", async () => {
    const [order, person, review, guest] = await blocksOf("packages/forms-react/README.md", "tsx");
    assert.ok(
      order !== undefined && order.trim().split("\n").length <= 20,
      "the example has at most 20 lines",
    );
    assert.equal(await readFile(join(EXAMPLE, "src/order.tsx"), "utf8"), order);
    assert.equal(await readFile(join(EXAMPLE, "src/person.tsx"), "utf8"), person);
    assert.equal(await readFile(join(EXAMPLE, "src/review.tsx"), "utf8"), review);
    assert.equal(await readFile(join(EXAMPLE, "src/guest.tsx"), "utf8"), guest);
  });

  it("has declarations that a strict project accepts", async () => {
    await run(join(ROOT, "node_modules/.bin/tsc"), ["-p", project]).catch((error: unknown) =>
      assert.fail(error instanceof Error && "stdout" in error ? String(error.stdout) : String(error)),
    );
  });

  it("is filled in, checked in a worker and read", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: url });
    await page.goto("/");
    const form = page.getByRole("region", { name: "Standard" });
    await form.getByRole("textbox", { name: "Name" }).fill("A");
    const button = form.getByRole("button", { name: "Order" });
    await button.click();
    await form.getByRole("alert").getByText("1 problem").waitFor();
    assert.ok(
      page.workers().some((worker) => worker.url().includes("check-worker")),
      "the check ran in a worker",
    );
    assert.deepEqual(await runAxe(page), []);
    // The page sets the accent and no color-scheme; everything else has a default, also after Vite's own CSS build.
    const style = `getComputedStyle(document.querySelector("form > div:last-of-type > button"))`;
    const colours: readonly string[] = await page.evaluate(`[${style}.backgroundColor, ${style}.color]`);
    assert.deepEqual(colours, ["rgb(0, 90, 60)", "oklch(1 0 0)"]);
    const name = form.getByRole("textbox", { name: "Name" });
    await form.getByRole("button", { name: "Actions for Name" }).press("Enter");
    await form.getByRole("menuitem", { name: "Clear" }).press("Enter");
    assert.equal(await name.inputValue(), "");
    await name.fill("Ada");
    await form.getByRole("textbox", { name: "Seats" }).fill("12345678901234567890");
    await button.click();
    await form.getByText('{"name":"Ada","seats":12345678901234567890}').waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("draws with markup of one's own, and standard fields in between", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: url });
    await page.goto("/");
    const form = page.getByRole("region", { name: "Own markup" });
    const age = form.getByRole("textbox", { name: "Age" });
    await age.fill("ten");
    await form.getByText("Not a number").waitFor();
    await age.fill("10");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Must be 18 or more.").waitFor();
    assert.equal(await age.getAttribute("aria-invalid"), "true");
    await age.fill("40");
    await form.getByRole("button", { name: "Add Tags" }).click();
    await form.getByRole("button", { name: "Add tag" }).click();
    await form.getByRole("group", { name: /Tags/ }).getByRole("textbox").fill("tea");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText('{"age":40,"tags":["tea"]}').waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("draws a widget of the page where a hint names it", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: url });
    await page.goto("/");
    const form = page.getByRole("region", { name: "Own widget" });
    await form.getByRole("slider", { name: "Rating" }).fill("4");
    await form.getByRole("button", { name: "Review" }).click();
    await form.getByText('{"rating":4}').waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("speaks Arabic, from right to left", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: url });
    await page.goto("/");
    const form = page.getByRole("region", { name: "Right to left" });
    const name = form.getByRole("textbox", { name: "الاسم" });
    await form.getByRole("button", { name: "إرسال" }).click();
    await form.getByRole("alert").getByText("مشكلة واحدة").waitFor();
    await form.getByText("الحقل «الاسم» مطلوب.").first().waitFor();
    await name.fill("A");
    await form.getByText("يجب أن يحتوي على الأقل على حرفين").first().waitFor();
    await form.getByRole("button", { name: "إضافة الضيوف" }).click();
    await form.getByRole("button", { name: "إضافة ضيف" }).click();
    // The row begins at the right: its number stands to the right of what is typed.
    const [row, typed] = await Promise.all([
      form.locator("[data-item]").boundingBox(),
      form.locator("[data-item]").getByRole("textbox").boundingBox(),
    ]);
    assert.ok(row && typed && row.x + row.width > typed.x + typed.width + 10, "the number is at the right");
    assert.deepEqual(
      await form
        .locator("form")
        .evaluate((element) => [element.getAttribute("dir"), element.getAttribute("lang")]),
      ["rtl", "ar"],
    );
    assert.deepEqual(await runAxe(page), []);
    assert.deepEqual(faults, []);
    await close();
  });

  it("checks in the page where the worker cannot be loaded", async () => {
    const { page, close } = await openPage(browser, { baseUrl: url });
    await page.route("**/check-worker*", (route) => route.fulfill({ status: 404 }));
    await page.goto("/");
    const form = page.getByRole("region", { name: "Standard" });
    await form.getByRole("button", { name: "Order" }).click();
    await form.getByRole("alert").getByText("1 problem").waitFor();
    await close();
  });
});

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
};
/** Nothing inline and nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self'; img-src 'self' data:";

async function serve(folder: string): Promise<Server> {
  const server = createServer(({ url: path = "/" }, response) => {
    const file = join(folder, path === "/" ? "index.html" : path);
    const bytes = existsSync(file) ? readFileSync(file) : null;
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    if (bytes === null) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(bytes);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return server;
}
