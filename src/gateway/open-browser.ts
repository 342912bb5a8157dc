import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const KEPT_MS = 60_000;
const COMMANDS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "open",
  linux: "xdg-open",
  win32: "explorer.exe",
};

/**
 * Opens an address in this person's browser; where none can be opened nothing happens, the address is printed anyway.
 * The address may make an owner, and process lists show arguments: the browser gets a private file that leads there.
 */
export function openBrowser(address: string): void {
  const command = COMMANDS[process.platform];
  if (command === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), "workflow-ui-"));
  const page = join(folder, "open.html");
  // Addresses are URLs of our own, which hold none of the characters that HTML gives a meaning.
  const html = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${address}"><a href="${address}">${address}</a>\n`;
  writeFileSync(page, html, { mode: 0o600 });
  const forget = (): void => rmSync(folder, { recursive: true, force: true });
  setTimeout(forget, KEPT_MS).unref();
  process.once("exit", forget);
  const child = spawn(command, [pathToFileURL(page).href], { stdio: "ignore", detached: true });
  child.once("error", forget);
  child.unref();
}
