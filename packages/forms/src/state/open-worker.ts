/** The worker that checks values; null where the browser allows none. */
export function openWorker(): Worker | null {
  if (typeof Worker === "undefined") return null;
  try {
    return new Worker(new URL("./check-worker.ts", import.meta.url), { type: "module" });
  } catch {
    return null;
  }
}
