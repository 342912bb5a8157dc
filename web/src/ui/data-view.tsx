import { isObject } from "#kernel/json.ts";
import type { Redacted } from "@workflow-ui/client";
import { Lock } from "lucide-react";
import { createContext, useContext, useState, type ReactNode } from "react";
import { fullTime, words } from "../lib/format.ts";
import { StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/;
const STATES = new Set(["status", "state", "mode", "renderStatus", "probeStatus", "handoffStatus"]);
/** Words as programs write them. They are data: shown as they are, and as code. */
const PROGRAM_WORD = /^[a-z]+(?:_[a-z]+)+$/;

/** How the id of an artifact is shown where there is a page for it. */
export const ArtifactLink = createContext<((id: string) => ReactNode) | null>(null);
const ARTIFACT_ID = /^artifact_[0-9a-z]{26}$/;

/** A line that is indented or ends as programs and data do; other texts of several lines are read as prose. */
const CODE_LINE = /^[ \t]+\S|[{};|]$|^[<#$]/m;

/** Any JSON value as a person reads it: named rows, nested boxes, tables for lists of objects. Text stays text. */
export function DataView({
  value,
  name = "",
}: {
  readonly value: unknown;
  readonly name?: string;
}): ReactNode {
  if (Array.isArray(value)) {
    if (value.length === 0) return <Quiet>empty list</Quiet>;
    if (value.every(isObject) && isTabular(value)) return <DataTable rows={value} />;
    return (
      <ol className="space-y-1.5">
        {value.slice(0, 200).map((item: unknown, index) => (
          <li key={index} className={isObject(item) ? "rounded-lg border border-line p-3" : ""}>
            <DataView value={item} />
          </li>
        ))}
        {value.length > 200 ? <Quiet>and {value.length - 200} more</Quiet> : null}
      </ol>
    );
  }
  if (isRedacted(value)) return <Hidden why={value.$redacted} />;
  if (isObject(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) return <Quiet>empty</Quiet>;
    return (
      <dl className="@container divide-y divide-line">
        {entries.map(([key, item]) =>
          isDeep(item) && !isRedacted(item) && Object.keys(Object(item)).length > 0 ? (
            <div key={key} className="py-1.5">
              <dt className="mb-0.5 text-sm break-words text-ink-2">{words(key)}</dt>
              <dd className="min-w-0 border-l-2 border-line pl-3">
                <Fold value={item} name={key} />
              </dd>
            </div>
          ) : (
            <div key={key} className="grid gap-x-4 py-1.5 @xs:grid-cols-[minmax(6rem,9rem)_minmax(0,1fr)]">
              <dt className="text-sm break-words text-ink-2">{words(key)}</dt>
              <dd className="min-w-0">
                {isRedacted(item) ? (
                  <Hidden why={item.$redacted} />
                ) : isDeep(item) ? (
                  <Quiet>{Array.isArray(item) ? "empty list" : "empty"}</Quiet>
                ) : (
                  <Scalar value={item} name={key} />
                )}
              </dd>
            </div>
          ),
        )}
      </dl>
    );
  }
  return <Scalar value={value} name={name} />;
}

/** The mark the service puts where it withholds something. */
export function isRedacted(value: unknown): value is Redacted {
  return isObject(value) && typeof value["$redacted"] === "string";
}

/** A text that may have been taken out. */
export function plainText(text: string | Redacted | null | undefined, otherwise = ""): string {
  return typeof text === "string" ? text : otherwise;
}

/** What there is of a record, to be shown: without what is missing or empty. */
export function present(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => (value ?? "") !== ""));
}

function Hidden({ why }: { readonly why: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 text-ink-2">
      <Lock aria-hidden className="size-3.5" /> {why === "private" ? "private" : `withheld: ${why}`}
    </span>
  );
}

function Fold({ value, name }: { readonly value: unknown; readonly name: string }) {
  const size = Array.isArray(value) ? value.length : Object.keys(Object(value)).length;
  const [open, setOpen] = useState(size <= 12);
  if (size === 0) return <Quiet>{Array.isArray(value) ? "empty list" : "empty"}</Quiet>;
  if (!open) {
    return (
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="min-h-6 rounded text-accent-ink underline-offset-2 hover:underline"
      >
        Show {size} {Array.isArray(value) ? "items" : "fields"}
      </button>
    );
  }
  return <DataView value={value} name={name} />;
}

function Scalar({ value, name }: { readonly value: unknown; readonly name: string }) {
  const artifactLink = useContext(ArtifactLink);
  if (value === null) return <Quiet>none</Quiet>;
  if (value === undefined) return <Quiet>not set</Quiet>;
  if (typeof value === "boolean") return <span>{value ? "Yes" : "No"}</span>;
  if (typeof value === "number")
    return <span className="tabular-nums">{value.toLocaleString("en", { maximumFractionDigits: 12 })}</span>;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text === "") return <Quiet>empty text</Quiet>;
  if (artifactLink !== null && ARTIFACT_ID.test(text)) return artifactLink(text);
  if (STATES.has(name)) return <StateBadge state={text} />;
  if (TIME.test(text))
    return (
      <time dateTime={text} title={text}>
        {fullTime(text)}
      </time>
    );
  if (text.includes("\n") && !CODE_LINE.test(text))
    return (
      <p dir="auto" className="break-words whitespace-pre-line">
        {text}
      </p>
    );
  if (text.includes("\n"))
    return (
      <pre className="max-h-72 overflow-auto rounded-lg bg-sunken p-2.5 font-mono text-xs whitespace-pre">
        {text}
      </pre>
    );
  const machine =
    PROGRAM_WORD.test(text) ||
    /^(sha256:|[a-z]+_[0-9a-z]{20,}|https?:\/\/|svc:\/\/|[0-9a-f]{16,}$)|^\S{28,}$/.test(text);
  return (
    <span className={machine ? "font-mono text-sm break-all" : "break-words whitespace-pre-line"}>
      {text}
    </span>
  );
}

/** A table of objects; the columns are the keys that hold plain values. */
export function DataTable({ rows }: { readonly rows: readonly Readonly<Record<string, unknown>>[] }) {
  const columns = [
    ...new Set(rows.flatMap((row) => Object.keys(row).filter((key) => !isDeep(row[key])))),
  ].slice(0, 8);
  return (
    <div
      className="overflow-x-auto rounded-lg border border-line"
      tabIndex={0}
      role="group"
      aria-label="Table"
    >
      <table className="w-full text-left text-sm">
        <thead className="bg-sunken text-ink-2">
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" className="px-3 py-1.5 font-medium whitespace-nowrap">
                {words(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.slice(0, 200).map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column} className="max-w-80 truncate px-3 py-1.5 align-top">
                  <Scalar value={row[column]} name={column} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The lists of objects in a value that are worth a table, with where they are. */
export function tablesIn(
  value: unknown,
  path = "",
): readonly { readonly path: string; readonly rows: readonly Readonly<Record<string, unknown>>[] }[] {
  if (Array.isArray(value)) {
    const rows = value.filter(isObject);
    return rows.length > 0 && rows.length === value.length
      ? [{ path: path === "" ? "Items" : path, rows }]
      : [];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    tablesIn(item, path === "" ? words(key) : `${path} › ${words(key)}`),
  );
}

function isDeep(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function isTabular(rows: readonly Readonly<Record<string, unknown>>[]): boolean {
  return (
    rows.length > 1 &&
    rows.every(
      (row) =>
        Object.values(row).filter((item) => !isDeep(item)).length >= 2 &&
        Object.values(row).every((item) => !isDeep(item) || Object.keys(Object(item)).length === 0),
    )
  );
}

function Quiet({ children }: { readonly children: ReactNode }) {
  return <span className="text-ink-3">{children}</span>;
}
