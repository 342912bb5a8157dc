import { external } from "../lib/external.ts";

/** A short message that goes away by itself. */
export interface Toast {
  readonly id: number;
  readonly tone: "good" | "bad" | "info";
  readonly text: string;
  readonly detail?: string;
  /** The page that it is about. */
  readonly link?: { readonly href: string; readonly text: string };
}

/** Work that takes a while, or took one. */
export interface Activity {
  readonly id: number;
  readonly title: string;
  readonly state: "running" | "done" | "failed";
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly note: string;
  readonly href?: string;
  readonly cancel?: () => void;
}

/** Toasts on screen. */
export const toasts = external<readonly Toast[]>([]);
/** Activities of this page's life, newest first. */
export const activities = external<readonly Activity[]>([]);

let lastId = 0;

/** Shows a message for a few seconds; errors stay longer. Returns what takes it away before. */
export function toast(tone: Toast["tone"], text: string, detail?: string, link?: Toast["link"]): () => void {
  const id = ++lastId;
  toasts.update((all) => [
    ...all.slice(-3),
    { id, tone, text, ...(detail !== undefined && { detail }), ...(link !== undefined && { link }) },
  ]);
  setTimeout(() => dismissToast(id), tone === "bad" ? 9000 : 4500);
  return () => dismissToast(id);
}

/** Takes a message away. */
export function dismissToast(id: number): void {
  toasts.update((all) => all.filter((item) => item.id !== id));
}

/** Runs work and shows it in the activity panel while it lasts, with its outcome after. */
export async function track<T>(
  title: string,
  work: (signal: AbortSignal) => Promise<T>,
  describe: (result: T) => { readonly ok: boolean; readonly note: string; readonly href?: string } = () => ({
    ok: true,
    note: "Done",
  }),
): Promise<T> {
  const id = ++lastId;
  const abort = new AbortController();
  const entry: Activity = {
    id,
    title,
    state: "running",
    startedAt: Date.now(),
    endedAt: null,
    note: "",
    cancel: () => abort.abort(),
  };
  activities.update((all) => [entry, ...all].slice(0, 60));
  const end = (change: Pick<Activity, "state" | "note"> & { readonly href?: string }) =>
    activities.update((all) =>
      all.map((item) => {
        if (item.id !== id) return item;
        const { cancel: _over, ...rest } = item;
        return { ...rest, ...change, endedAt: Date.now() };
      }),
    );
  try {
    const result = await work(abort.signal);
    const { ok, ...described } = describe(result);
    end({ state: ok ? "done" : "failed", ...described });
    return result;
  } catch (error) {
    const note = abort.signal.aborted
      ? "Stopped waiting for it"
      : error instanceof Error
        ? error.message
        : "Failed";
    end({ state: "failed", note });
    throw error;
  }
}
