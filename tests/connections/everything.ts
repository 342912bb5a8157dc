import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/ports.ts";

/** The program of an official MCP server from npm. */
export const serverEntry = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));

/** server-everything over Streamable HTTP, in a process of its own. */
export async function startEverything(): Promise<{ readonly url: string; close(): void }> {
  const port = await freePort();
  const child = spawn(process.execPath, [serverEntry("server-everything"), "streamableHttp"], {
    env: { PATH: process.env["PATH"] ?? "", PORT: String(port) },
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  for (let waited = 0; waited < 2_400; waited++) {
    if ((await fetch(url).catch(() => null)) !== null)
      return { url, close: () => void child.kill("SIGKILL") };
    await new Promise((done) => setTimeout(done, 50));
  }
  child.kill("SIGKILL");
  throw new Error("the server did not start");
}
