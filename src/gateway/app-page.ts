import { readFile } from "node:fs/promises";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";

/** The type of a page that a chat host shows (MCP Apps, 2026-01-26). */
export const APP_MIME_TYPE = "text/html;profile=mcp-app";

/** The MCP Apps: a self-contained page that a chat host shows beside a tool's result, as a form or a card. */
export interface AppPage {
  /** True for the address of an app. */
  has(uri: string): boolean;
  /** The page as an entry of `contents`. Throws `unavailable` while it is not built. */
  read(uri: string): Promise<JsonObject>;
}

/** The apps: one page draws what the result holds. */
const URIS: ReadonlySet<string> = new Set(
  ["form", "plan", "run", "approval"].map((app) => `ui://svc/${app}`),
);

/** Serves the apps from the file that the web build makes; the file is read once. */
export function createAppPage(file: URL): AppPage {
  let page: JsonObject | undefined;
  return {
    has: (uri) => URIS.has(uri),
    async read(uri) {
      page ??= {
        mimeType: APP_MIME_TYPE,
        text: await readPage(file),
        _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } },
      };
      return { uri, ...page };
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
