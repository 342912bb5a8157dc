import { isObject } from "#kernel/json.ts";
import { Link } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { download } from "../lib/clipboard.ts";
import { duration, words } from "../lib/format.ts";
import { at, type JsonRecord } from "../lib/read.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { ArtifactLink, DataView } from "../ui/data-view.tsx";

const IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;
const MAX_SHOWN = 60_000;

interface Result {
  readonly value: unknown;
  readonly name: string;
}

/** A result as a person reads it: an image, a text, a table or named fields, and the file itself. */
export function ResultView(result: Result) {
  return (
    <ArtifactLink
      value={(id) => (
        <Link to="/artifacts/$id" params={{ id }} className="font-mono text-sm break-all underline">
          {id}
        </Link>
      )}
    >
      <PlainResult {...result} />
    </ArtifactLink>
  );
}

function PlainResult({ value, name }: Result) {
  if (value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0))
    return <p className="text-ink-2">Nothing.</p>;
  const inner = unwrapped(value);
  const only = soleEntry(inner);
  if (only !== null && isHttpAnswer(unwrapped(only[1])))
    return (
      <>
        <p className="mb-1 text-sm text-ink-2">{words(only[0])}</p>
        <PlainResult value={only[1]} name={name} />
      </>
    );
  if (isHttpAnswer(inner)) return <HttpAnswer answer={inner} name={name} />;
  const shown = withoutNotes(inner);
  if (shown !== inner)
    return (
      <>
        <PlainResult value={shown} name={name} />
        <details className="mt-2 text-sm">
          <summary className="text-ink-2">Details</summary>
          <DataView value={inner} />
        </details>
      </>
    );
  const text = typeof inner === "string" ? inner : JSON.stringify(inner, null, 2);
  return (
    <div className="space-y-2">
      {typeof inner === "string" && IMAGE.test(inner) ? (
        <img src={inner} alt={name} className="max-h-96 max-w-full rounded-lg border border-line" />
      ) : text.length > MAX_SHOWN ? (
        <p className="text-ink-2">
          This is long: {Math.round(text.length / 1000)} thousand characters. Download it to read it.
        </p>
      ) : typeof inner === "string" ? (
        <p dir="auto" className="break-words whitespace-pre-line">
          {inner}
        </p>
      ) : (
        <DataView value={inner} />
      )}
      <Button
        size="sm"
        look="ghost"
        onClick={() => download(`${name}.${typeof inner === "string" ? "txt" : "json"}`, text)}
      >
        <Download /> Download
      </Button>
    </div>
  );
}

/** True for what the service notes beside a value: digests, where it is stored, its provenance record. */
function isNote([name, value]: readonly [string, unknown]): boolean {
  if (typeof value === "string") return name === "schemaVersion" || /^sha256:[0-9a-f]{64}$/.test(value);
  return (
    (name === "storage" && isObject(value) && "persisted" in value) ||
    (name === "provenance" && isObject(value) && "recordId" in value)
  );
}

/** A value without the service's notes, down to two levels; the value itself where there are none. */
function withoutNotes(value: unknown, depth = 2): unknown {
  if (!isObject(value) || depth === 0) return value;
  const entries = Object.entries(value);
  const kept = entries
    .filter((entry) => !isNote(entry))
    .map(([name, item]) => [name, withoutNotes(item, depth - 1)] as const);
  return kept.length === entries.length && kept.every(([name, item]) => item === value[name])
    ? value
    : Object.fromEntries(kept);
}

/** The only member of a value, with its name. */
function soleEntry(value: unknown): readonly [string, unknown] | null {
  const [first, ...rest] = isObject(value) ? Object.entries(value) : [];
  return first === undefined || rest.length > 0 ? null : first;
}

/** True for what a call of an HTTP operation gives. */
function isHttpAnswer(value: unknown): value is JsonRecord {
  return (
    isObject(value) && typeof value["status"] === "number" && isObject(value["headers"]) && "body" in value
  );
}

/** The body of an HTTP answer; what only matters when something is wrong stands behind it. */
function HttpAnswer({ answer, name }: { readonly answer: JsonRecord; readonly name: string }) {
  const { status, headers, body, elapsedMs, problems, ...rest } = answer;
  const hasProblems = Array.isArray(problems) && problems.length > 0;
  return (
    <div className="space-y-2">
      <PlainResult value={body} name={name} />
      {hasProblems ? <DataView value={{ problems }} /> : null}
      {Object.keys(rest).length === 0 ? null : <DataView value={rest} />}
      <details className="text-sm">
        <summary className="text-ink-2">
          HTTP {String(status)}
          {typeof elapsedMs === "number" ? ` in ${duration(elapsedMs)}` : ""}
        </summary>
        <DataView value={headers} />
      </details>
    </div>
  );
}

/** The answer of a tool is wrapped in {ok, data}; what a person looks for is inside. */
function unwrapped(value: unknown): unknown {
  const data = at(value, "data");
  return isObject(value) && typeof value["ok"] === "boolean" && data !== undefined ? data : value;
}
