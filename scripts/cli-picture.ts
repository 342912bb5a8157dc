import { mkdirSync, symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { startBrowser } from "../tests/support/browser.ts";
import { startService } from "../tests/support/service.ts";
import { screenHtml, TerminalScreen } from "./terminal-screen.ts";

/*
 * Makes docs/images/cli.png: a real session of suitectl in a real pseudo-terminal against a real service, drawn by
 * Chromium. Run it again when the look of the program changes: npm run picture:cli
 */

const COLUMNS = 104;
const ROWS = 48;
const PROMPT = "$ ";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = await mkdtemp(join(tmpdir(), "cli-picture-"));
mkdirSync(join(folder, "bin"));
symlinkSync(join(root, "bin/suitectl.mjs"), join(folder, "bin/suitectl"));
const service = await startService();
const inputs = JSON.stringify({
  title: "Access request",
  schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  values: { name: "Ada" },
});
await service.call("instantiate_template", { templateId: "form-intake-approval" }, { key: true });

const screen = new TerminalScreen(COLUMNS, ROWS);
const shell = spawn("bash", ["--norc", "--noprofile"], {
  cols: COLUMNS,
  rows: ROWS,
  cwd: folder,
  env: {
    PATH: `${join(folder, "bin")}:${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    SUITE_URL: service.url,
    SUITE_API_KEY: service.key,
    INPUTS: inputs,
    PS1: PROMPT,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    HISTFILE: "",
  },
});
let check: () => void = () => {};
shell.onData((data) => {
  screen.write(data);
  check();
});

/** Waits until the screen ends with this, once more often than before. */
function shown(text: string, before = 0): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`"${text}" did not come:\n${screen.text}`)), 30_000);
    check = () => {
      if (!screen.text.trimEnd().endsWith(text.trimEnd()) || count(text) <= before) return;
      check = () => {};
      clearTimeout(late);
      resolve();
    };
    check();
  });
}

function count(text: string): number {
  return screen.text.split(text.trimEnd()).length - 1;
}

async function type(line: string, until: string): Promise<void> {
  const before = count(until);
  shell.write(`${line}\r`);
  await shown(until, before);
}

await shown(PROMPT);
await type("suitectl templates list --limit 5", `\n${PROMPT}`);
const approving = approveWhenAsked();
await type('suitectl workflows run latest --inputs "$INPUTS" --watch', `\n${PROMPT}`);
await approving;
await type("suitectl form fill create_local_artifact", "› ");
await type("Release notes", "› ");
for (let field = 0; field < 4; field++) await type("", "› ");
await type("", "as JSON] ");
await type("n", `\n${PROMPT}`);

const browser = await startBrowser();
const page = await browser.newPage({ deviceScaleFactor: 2, viewport: { width: 980, height: 900 } });
await page.setContent(screenHtml(screen));
await page.locator("main").screenshot({ path: join(root, "docs/images/cli.png") });
await browser.close();
shell.kill();
await service.close();
await rm(folder, { recursive: true, force: true });
process.exit(0);

/** Another person approves once the run waits, so that the picture shows a run to its end. */
async function approveWhenAsked(): Promise<void> {
  for (;;) {
    const { envelope } = await service.call("list_approvals", { limit: 1 }, { key: true });
    const [approval] = envelope.data.approvals;
    if (approval?.status === "pending" && screen.text.includes("Waits for a person")) {
      await service.call("approve_step", { id: approval.id, reason: "Seen" }, { key: true });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
