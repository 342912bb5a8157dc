import { isObject } from "#kernel/json.ts";
import type { JsonRecord } from "../../lib/read.ts";

/** The members that the service adds to an artifact; everything else was saved with it. */
export const SERVICE_MEMBERS: ReadonlySet<string> = new Set(
  "schemaVersion id title type privacy version digest storage createdAt updatedAt deletedAt redacted".split(
    " ",
  ),
);

/** What was saved beside the content. */
export function membersOf(record: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).filter(([key]) => !SERVICE_MEMBERS.has(key) && key !== "content"),
  );
}

/** What an artifact holds: its member `content`, or all its own members where programs saved it without one. */
export function contentOf(record: JsonRecord): unknown {
  return "content" in record ? record["content"] : membersOf(record);
}

/** What a note says, without the name of its only field. */
export function soleText(content: unknown): unknown {
  if (!isObject(content)) return content;
  const [only, ...rest] = Object.values(content);
  return rest.length === 0 && typeof only === "string" ? only : content;
}
