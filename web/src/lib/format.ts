/** A time as a person near it would say it: "3 minutes ago". */
export function ago(iso: string | null | undefined, now = Date.now()): string {
  const then = Date.parse(iso ?? "");
  if (Number.isNaN(then)) return "";
  const seconds = Math.round((then - now) / 1000);
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  if (Math.abs(seconds) < 60) return format.format(seconds, "second");
  const minutes = Math.round(seconds / 60);
  if (Math.abs(minutes) < 60) return format.format(minutes, "minute");
  const hours = Math.round(seconds / 3600);
  return Math.abs(hours) < 24
    ? format.format(hours, "hour")
    : format.format(Math.round(seconds / 86_400), "day");
}

/** A time in full, in the reader's zone, with the zone named. */
export function fullTime(iso: string | null | undefined): string {
  const date = new Date(iso ?? "");
  if (Number.isNaN(date.getTime())) return iso ?? "";
  return new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" }).format(date);
}

/** How long something took; empty while it is under way. */
export function took(record: {
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}): string {
  const { startedAt, finishedAt } = record;
  return startedAt === null || finishedAt === null
    ? ""
    : duration(Date.parse(finishedAt) - Date.parse(startedAt));
}

/** How long something takes. */
export function duration(ms: number): string {
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  // Rounded first: what rounds up to a whole minute, hour or day is one.
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return inTwo(seconds, "min", "s");
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1440) return inTwo(minutes, "h", "min");
  return count(Math.round(ms / 86_400_000), "day");
}

function inTwo(small: number, big: string, unit: string): string {
  const rest = small % 60;
  return `${Math.floor(small / 60)} ${big}${rest === 0 ? "" : ` ${rest} ${unit}`}`;
}

/** `run_workflow` and `maxItems` as words. */
export function words(name: string): string {
  const spaced = name
    .replaceAll(/[_-]+/g, " ")
    .replaceAll(
      /([a-z0-9])([A-Z])(?=[a-z])/g,
      (_match, before: string, letter: string) => `${before} ${letter.toLowerCase()}`,
    )
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    // As forms spell them.
    .replaceAll(/\b(?:id|url|api)s?\b/gi, (word) => word.toUpperCase().replace(/S$/, "s"));
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The first and last part of a long id. */
export function shortId(id: string): string {
  return id.length <= 22 ? id : `${id.slice(0, 12)}…${id.slice(-6)}`;
}

/** "1 step", "3 steps". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}
