import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Variables } from "../environment.ts";
import { Failure } from "../failure.ts";
import type { Prompter } from "../prompt.ts";

/** Lets a person edit a text in their editor; without one, line by line up to an empty line. */
export async function editText(text: string, prompter: Prompter, variables: Variables): Promise<string> {
  const editor = variables["VISUAL"] || variables["EDITOR"];
  if (editor === undefined || editor === "") return typeText(text, prompter);
  const folder = await mkdtemp(join(tmpdir(), "suitectl-"));
  const file = join(folder, "value.json");
  try {
    await writeFile(file, text, { mode: 0o600 });
    const status = await prompter.lend(() => run(editor, file));
    if (status !== 0)
      throw new Failure("failed", `The editor ended with status ${status}; nothing was changed.`);
    return await readFile(file, "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An editor may come with arguments, so a shell takes it apart. */
function run(editor: string, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

async function typeText(text: string, prompter: Prompter): Promise<string> {
  const lines: string[] = [];
  let question = `JSON, several lines if you like, an empty line at the end (now: ${text.replaceAll(/\s+/g, " ").slice(0, 200)})\n… `;
  for (;;) {
    const line = await prompter.line(question);
    if (line.trim() === "") return lines.length === 0 ? text : lines.join("\n");
    lines.push(line);
    question = "… ";
  }
}
