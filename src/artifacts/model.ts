import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { PRIVACY_CLASSES, type PrivacyClass } from "../model/states.ts";
import type { ArtifactRecord } from "../ports/records.ts";

/** The version of the artifact document. */
const ARTIFACT_SCHEMA = "suite.artifact.v1";

/** What the service says about an artifact and a caller therefore cannot set. */
const OURS: ReadonlySet<string> = new Set([
  "schemaVersion",
  "id",
  "version",
  "digest",
  "storage",
  "createdAt",
  "updatedAt",
  "deletedAt",
]);

/** An artifact as a caller gave it, checked: a title, a type, a privacy class, and whatever else it holds. */
export interface ArtifactDraft {
  readonly title: string;
  readonly type: string;
  readonly privacy: PrivacyClass;
  /** Everything the caller gave, without what the service itself says. */
  readonly content: JsonObject;
  readonly digest: string;
}

/** Reads an artifact that a caller gave. Throws `invalid_input` with the place of what is wrong. */
export function readArtifact(given: JsonObject, pointer = "/artifact"): ArtifactDraft {
  const { title, type = "note", privacy = "internal" } = given;
  if (typeof title !== "string" || title.trim() === "") {
    throw invalid(`${pointer}/title`, "An artifact needs a title.", "a text that is not empty", title);
  }
  if (title.length > 500) {
    throw invalid(
      `${pointer}/title`,
      "The title is too long.",
      "at most 500 characters",
      `${title.length} characters`,
    );
  }
  if (typeof type !== "string" || !/^[A-Za-z][A-Za-z0-9._/-]{0,99}$/.test(type)) {
    throw invalid(
      `${pointer}/type`,
      "The type is not a name.",
      "letters, digits and . _ / -, a letter first",
      type,
    );
  }
  const known = PRIVACY_CLASSES.find((name) => name === privacy);
  if (known === undefined) {
    throw invalid(`${pointer}/privacy`, "Unknown privacy class.", PRIVACY_CLASSES.join(", "), privacy);
  }
  const content = Object.fromEntries(
    Object.entries({ ...given, title, type, privacy: known }).filter(([key]) => !OURS.has(key)),
  );
  return { title, type, privacy: known, content, digest: digestOf(content) };
}

/** Where an artifact is kept, in the service's own words. */
interface StorageClaim extends JsonObject {
  readonly mode: "generated_snapshot" | "server_persistence";
  readonly persisted: boolean;
  readonly note: string;
}

/** What a generated snapshot says of itself. */
const SNAPSHOT_CLAIM: StorageClaim = {
  mode: "generated_snapshot",
  persisted: false,
  note: "Generated for this answer. The server keeps no copy; save_artifact does, with a key.",
};

/** What a saved artifact says of itself. */
const SAVED_CLAIM: StorageClaim = {
  mode: "server_persistence",
  persisted: true,
  note: "Committed to the server's database before this answer was sent.",
};

/** What the tombstone of a deleted artifact says of itself. */
const DELETED_CLAIM: StorageClaim = {
  mode: "server_persistence",
  persisted: false,
  note: "Deleted: the content is no longer served. A tombstone and the provenance stay.",
};

/** An artifact that exists only in the answer. Its id follows from its content, so it is the same every time. */
export function snapshotOf(draft: ArtifactDraft): JsonObject {
  const id = `artifact_snapshot_${draft.digest.slice("sha256:".length, "sha256:".length + 26)}`;
  return {
    schemaVersion: ARTIFACT_SCHEMA,
    id,
    ...draft.content,
    digest: draft.digest,
    storage: SNAPSHOT_CLAIM,
  };
}

/** A saved artifact in full. */
export function savedView(record: ArtifactRecord): JsonObject {
  return {
    schemaVersion: ARTIFACT_SCHEMA,
    id: record.id,
    ...record.content,
    version: record.version,
    digest: record.digest,
    storage: record.deletedAt === null ? SAVED_CLAIM : DELETED_CLAIM,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    ...(record.deletedAt !== null && { deletedAt: record.deletedAt }),
  };
}

const MAX_LISTED_DESCRIPTION = 300;

/** A saved artifact as a list shows it: what it is, never what it holds. */
export function listedView(record: ArtifactRecord): JsonObject {
  const { description } = record.content;
  return {
    schemaVersion: ARTIFACT_SCHEMA,
    id: record.id,
    title: record.title,
    type: record.type,
    ...(typeof description === "string" && { description: description.slice(0, MAX_LISTED_DESCRIPTION) }),
    privacy: record.privacy,
    version: record.version,
    digest: record.digest,
    storage: { mode: SAVED_CLAIM.mode, persisted: SAVED_CLAIM.persisted },
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}

function invalid(pointer: string, message: string, expected: string, given: unknown): AppError {
  const shown =
    given === undefined ? "nothing" : typeof given === "string" ? given.slice(0, 80) : typeof given;
  return new AppError("invalid_input", message, {
    problems: [{ pointer, message, expected, given: shown }],
    nextAction: `Send ${pointer} as ${expected}.`,
  });
}
