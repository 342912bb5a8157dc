import { join } from "node:path";
import { handoffRoutes } from "./handoff.ts";
import { serve } from "./http.ts";
import type { SiblingDefinition } from "./sibling.ts";
import { movable, openResults } from "./store.ts";

/** How each sibling is loaded: only when it is started, since some bring a browser or an image library. */
const LOADERS: Readonly<Record<string, () => Promise<SiblingDefinition>>> = {
  root: async () => (await import("./siblings/root.ts")).root,
  mcp: async () => (await import("./siblings/mcp.ts")).mcp,
  spec: async () => (await import("./siblings/spec.ts")).spec,
  sandbox: async () => (await import("./siblings/sandbox.ts")).sandbox,
  evals: async () => (await import("./siblings/evals.ts")).evals,
  trace: async () => (await import("./siblings/trace.ts")).trace,
  ascii: async () => (await import("./siblings/ascii.ts")).ascii,
  docs: async () => (await import("./siblings/docs.ts")).docs,
  sheets: async () => (await import("./siblings/sheets.ts")).sheets,
  catalog: async () => (await import("./siblings/catalog.ts")).catalog,
  studio: async () => (await import("./siblings/studio.ts")).studio,
  browsercheck: async () => (await import("./siblings/browsercheck.ts")).browsercheck,
  layout: async () => (await import("./siblings/layout.ts")).layout,
  ai_gateway: async () => (await import("./siblings/ai-gateway.ts")).aiGateway,
};

/** Every sibling, in the order of their ports. */
export const SUITE_NAMES: readonly string[] = Object.keys(LOADERS);

/** What to start. */
export interface SuiteOptions {
  readonly names: readonly string[];
  /** The first sibling's port; each has the one of its place in the list. 0 gives every one a free port. */
  readonly firstPort: number;
  /** Take a free port for a sibling whose own is taken. */
  readonly orFree: boolean;
  readonly key: string;
  readonly folder: string;
  /** Addresses that are not this process's own. */
  readonly peers: Readonly<Record<string, string>>;
}

/** Siblings that listen. */
export interface Suite {
  readonly urls: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts siblings in this process. */
export async function startSuite(options: SuiteOptions): Promise<Suite> {
  const urls: Record<string, string> = {};
  const closers: (() => Promise<void>)[] = [];
  for (const name of options.names) {
    const definition = await LOADERS[name]?.();
    if (definition === undefined) throw new Error(`There is no sibling named ${name}.`);
    const results = await openResults(join(options.folder, name));
    const port = options.firstPort === 0 ? 0 : options.firstPort + SUITE_NAMES.indexOf(name);
    const listening = await serve({ port, key: options.key, orFree: options.orFree }, (url) => {
      const context = { url, results: movable(results, url), peers: () => ({ ...options.peers, ...urls }) };
      return [...definition.routes(context), ...handoffRoutes(definition, context)];
    });
    urls[name] = listening.url;
    closers.push(async () => {
      await listening.close();
      await definition.close?.();
    });
  }
  return {
    urls,
    close: async () => {
      await Promise.all(closers.map((close) => close()));
    },
  };
}
