import { AppError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import { allows } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { RenderedFormRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { isPublicSource } from "./render.ts";

const PAGE = 50;

/** A page of kept forms, as far as the caller may see them. */
export async function listForms(context: Pick<CallContext, "services" | "caller" | "meta">) {
  const cursor = context.meta["svc/cursor"];
  const page = await context.services.store.read.forms.list({
    limit: PAGE,
    ...(typeof cursor === "string" && { cursor }),
  });
  const seesAll = allows(context.caller, "read-private");
  const seen = page.items.filter((record) => seesAll || isPublicRecord(record));
  return { forms: seen.map(summary), hidden: page.items.length - seen.length, nextCursor: page.nextCursor };
}

/** The kept form of this id, if the caller may see it, or `not_found` with the truth about storage. */
export async function findForm(
  id: string,
  { services, caller }: Pick<CallContext, "services" | "caller">,
): Promise<RenderedFormRecord> {
  const record = await services.store.read.forms.get(id);
  if (record && (caller.kind !== "anonymous" || isPublicRecord(record) || isGuestRecord(record)))
    return record;
  const none = services.store.kind === "none";
  throw new AppError(
    "not_found",
    none
      ? "No storage is configured, so no rendered form is kept."
      : `No rendered form has the id ${id.slice(0, 100)}.`,
    {
      nextAction: none
        ? "Configure DATABASE_URL, or render the form again."
        : "Render the form again; its id is a digest of its input.",
    },
  );
}

/** What is true about keeping rendered forms. */
export function formsStatus(services: Services) {
  const { kind } = services.store;
  return kind === "none"
    ? {
        configured: false,
        kind,
        detail: "No storage is configured; forms are rendered on request and not kept.",
      }
    : {
        configured: true,
        kind,
        detail: "Forms are kept by the digest of their input; the same input is one form.",
      };
}

/** What a list shows of a kept form. */
function summary(record: RenderedFormRecord) {
  const { kind, ref, server } = record.source;
  return {
    id: record.id,
    title: record.title,
    kind: textOf(kind) ?? "",
    ref: textOf(ref),
    server: textOf(server),
    createdAt: record.createdAt,
    lastRenderedAt: record.lastRenderedAt,
    renderCount: record.renderCount,
  };
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** A guest rendered it and so has its input; the id is a digest of that. */
function isGuestRecord({ source }: RenderedFormRecord): boolean {
  return source["anonymous"] === true || source["guest"] === true;
}

function isPublicRecord({ source }: RenderedFormRecord): boolean {
  const kind = source["kind"] === "json_schema" ? "json_schema" : "mcp_tool";
  return isPublicSource(
    { kind, ...(typeof source["server"] === "string" && { server: source["server"] }) },
    source["trusted"] === true,
  );
}
