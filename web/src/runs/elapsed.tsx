import { useEffect, useState } from "react";
import { duration } from "../lib/format.ts";

/** The time of this second, as long as it is wanted. */
export function useNow(isWanted: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isWanted]);
  return now;
}

/** How long something has been going on, second by second. */
export function Elapsed({ since }: { readonly since: string | null }) {
  const now = useNow(true);
  // Whole seconds: tenths would only flicker.
  const ms = Math.floor(Math.max(0, now - Date.parse(since ?? "")) / 1_000) * 1_000;
  return Number.isNaN(ms) ? "" : ms === 0 ? "0 s" : duration(ms);
}
