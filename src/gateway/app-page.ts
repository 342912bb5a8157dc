import { readFile } from "node:fs/promises";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";

/** The type of a page that a chat host shows (MCP Apps, 2026-01-26). */
export const APP_MIME_TYPE = "text/html;profile=mcp-app";

/** The MCP App: one self-contained page that a chat host shows beside a tool's result. */
export interface AppPage {
  readonly uri: string;
  /** The page as an entry of `contents`. Throws `unavailable` while it is not built. */
  read(): Promise<JsonObject>;
}

/** Serves `ui://svc/form` from the file that the web build makes; the file is read once. */
export function createAppPage(file: URL): AppPage {
  const uri = "ui://svc/form";
  let page: JsonObject | undefined;
  return {
    uri,
    async read() {
      page ??= {
        uri,
        mimeType: APP_MIME_TYPE,
        text: await readPage(file),
        _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } },
      };
      return page;
    },
  };
}

async function readPage(file: URL): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new AppError("unavailable", "The form page is not built yet.", {
      nextAction: "Run npm start once; it builds the web app.",
      cause: error,
    });
  }
}
