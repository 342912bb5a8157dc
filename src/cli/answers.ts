import type { Envelope } from "../kernel/envelope.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import type { Cli } from "./command.ts";
import { Failure } from "./failure.ts";
import type { Block, Cell, Result } from "./output.ts";

/** A member of an answer that is a list of objects. */
export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A member of an answer that is an object; an empty one when it is not. */
export function object(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

/** A member of an answer that is a text; an empty one when it is not. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A member of an answer as a cell of a table: values that were taken out are shown as such. */
export function cell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (isObject(value) && typeof value["$redacted"] === "string") return "(hidden)";
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ");
  return JSON.stringify(value);
}

/** Answers come from JSON, so what is an object there is one of JSON values. */
function isRecord(value: unknown): value is JsonObject {
  return isObject(value);
}

/** A column of a list: its title and the member it shows, or how it is made. */
export type Column<R = JsonObject> = readonly [title: string, of: (keyof R & string) | ((row: R) => unknown)];

/** The rows of a list that an operation answers with; any objects where the answer has no type. */
type RowOf<T> = [T] extends [readonly (infer R)[]] ? R : JsonObject;

/** A list of records as a table, with what `--quiet` prints and where the list goes on. */
export function listResult<T, M extends keyof T & string>(
  cli: Cli,
  envelope: Envelope<T>,
  member: M,
  columns: readonly Column<RowOf<T[M]>>[],
  id?: keyof RowOf<T[M]> & string,
): Result;
export function listResult(
  cli: Cli,
  envelope: Envelope,
  member: string,
  columns: readonly Column[],
  id = "id",
): Result {
  const rows = objects(envelope.data[member]);
  const cursor = envelope.data["nextCursor"];
  const more: readonly Block[] =
    typeof cursor === "string" && cli.output.isTerminal
      ? [{ kind: "note", text: `More: add --cursor ${cursor}` }]
      : [];
  return {
    envelope,
    ids: rows.map((row) => text(row[id])),
    view: [
      {
        kind: "table",
        columns: columns.map(([title]) => title),
        rows: rows.map((row) => columns.map(([, of]) => cell(typeof of === "string" ? row[of] : of(row)))),
      },
      ...more,
    ],
  };
}

/** One record as facts: the members named, in this order. */
export function recordResult<R>(
  envelope: Envelope<unknown>,
  record: R,
  members: readonly ((keyof R & string) | readonly [string, unknown])[],
  more?: readonly Block[],
): Result;
export function recordResult(
  envelope: Envelope<unknown>,
  record: JsonObject,
  members: readonly (string | readonly [string, unknown])[],
  more: readonly Block[] = [],
): Result {
  const facts = members.map((member): readonly [string, Cell] =>
    typeof member === "string" ? [member, cell(record[member])] : [member[0], cell(member[1])],
  );
  return {
    envelope,
    ids: [text(record["id"])].filter((id) => id !== ""),
    view: [{ kind: "facts", facts }, ...more],
  };
}

/** Any value as indented JSON. */
export function jsonBlock(value: unknown): Block {
  return { kind: "text", text: JSON.stringify(value ?? null, null, 2) };
}

/** A remark that names the next command. */
export function next(...commands: readonly string[]): Block {
  return { kind: "note", text: `Next: ${commands.join("\n      ")}` };
}

const LISTS = {
  workflow: { path: null, tool: "list_workflows", member: "workflows" },
  run: { path: "/api/svc/runs", tool: null, member: "runs" },
  approval: { path: "/api/svc/approvals", tool: null, member: "approvals" },
  artifact: { path: null, tool: "list_artifacts", member: "artifacts" },
  handoff: { path: "/api/svc/handoffs", tool: null, member: "handoffs" },
  key: { path: "/api/svc/keys", tool: null, member: "keys" },
  webhook: { path: "/api/svc/webhooks", tool: null, member: "webhooks" },
  "provenance record": { path: null, tool: "lookup_svc_provenance", member: "records" },
} as const;

/** What `latest` can stand for. */
export type RecordKind = keyof typeof LISTS;

/** The id that a person means: the one given, or the newest record for `latest` and `latest:STATE`. */
export async function resolveId(cli: Cli, given: string, kind: RecordKind): Promise<string> {
  const [, state] = /^latest(?::([a-z_]+))?$/.exec(given) ?? [null, null];
  if (state === null) return given;
  const { path, tool, member } = LISTS[kind];
  const envelope =
    tool === null
      ? await cli.client().get(path, { limit: 1, ...(state !== undefined && { [stateName(kind)]: state }) })
      : await cli.client().call(tool, kind === "workflow" && state === undefined ? { limit: 1 } : {});
  const rows = objects(envelope.data[member]).filter(
    (row) => state === undefined || row["status"] === state || row["state"] === state,
  );
  const id = rows[0]?.["id"] ?? rows[0]?.["recordId"];
  if (typeof id === "string") return id;
  const which = state === undefined ? "" : ` that is ${state}`;
  throw new Failure("missing", `There is no ${kind}${which} yet that you may see.`, {
    next: cli.key() === null ? "Log in with suitectl login to see private records." : undefined,
  });
}

function stateName(kind: RecordKind): string {
  return kind === "handoff" ? "state" : "status";
}
