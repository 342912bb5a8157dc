import { useEffect, useState } from "react";
import { duration } from "../lib/format.ts";

/** How long something has been going on, second by second. */
export function Elapsed({ since }: { readonly since: string | null }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  // Whole seconds: tenths would only flicker.
  const ms = Math.floor(Math.max(0, now - Date.parse(since ?? "")) / 1_000) * 1_000;
  return Number.isNaN(ms) ? "" : ms === 0 ? "0 s" : duration(ms);
}
