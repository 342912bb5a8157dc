/** In place of `open-worker.ts` in the MCP App: it is one file, and hosts allow it no workers. */
export function openWorker(): Worker | null {
  return null;
}
