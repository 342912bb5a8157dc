import { saveArtifact, type SavingContext } from "../artifacts/registry.ts";
import { AppError } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Caller } from "../ports/caller.ts";
import type { TriggerRecord } from "../ports/triggers.ts";
import type { PageField } from "./form-page.ts";

/** What came from a page: texts by field, and files. */
export interface SentForm {
  readonly texts: URLSearchParams;
  readonly files: ReadonlyMap<string, File>;
}

const MAX_FILE_BYTES = 700_000;
const TOO_LARGE = "The file must have at most 700 KB.";

/** Reads what a page sent, as a form with files or without. */
export async function readSent(bytes: Buffer, contentType: string): Promise<SentForm> {
  if (!/^multipart\/form-data\b/i.test(contentType))
    return { texts: new URLSearchParams(bytes.toString("utf8")), files: new Map() };
  const texts = new URLSearchParams();
  const files = new Map<string, File>();
  const body = new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } });
  // The body of a stranger: whatever is wrong with it is the stranger's.
  const data = await body.formData().catch(() => null);
  if (data === null) throw new AppError("invalid_input", "The form could not be read.");
  for (const [name, value] of data) {
    if (typeof value === "string") texts.append(name, value);
    else if (value.size > 0) files.set(name, value);
  }
  return { texts, files };
}

/** Files stand for artifacts: before they are saved, by a name that no artifact has. */
export function withFiles(
  values: JsonObject,
  fields: readonly PageField[],
  files: SentForm["files"],
): JsonObject {
  const sent = fields.filter(({ widget, name }) => widget === "file" && files.has(name));
  if (sent.length === 0) return values;
  const tooLarge = sent.filter(({ name }) => (files.get(name)?.size ?? 0) > MAX_FILE_BYTES);
  if (tooLarge.length > 0)
    throw new AppError("too_large", "A file is too large.", {
      problems: tooLarge.map(({ name }) => ({ pointer: `/inputs/${name}`, message: TOO_LARGE })),
    });
  return { ...values, ...Object.fromEntries(sent.map(({ name }) => [name, "artifact_of_a_file"])) };
}

/** Saves files as artifacts of the caller that the trigger acts for; the inputs get their ids. */
export async function saveFiles(
  values: JsonObject,
  fields: readonly PageField[],
  files: SentForm["files"],
  { actsFor, workflowId, slug }: TriggerRecord,
  { services, trace, meta }: SavingContext,
): Promise<JsonObject> {
  const saved: Record<string, Json> = {};
  const caller: Caller = { kind: "system", id: actsFor, scopes: new Set() };
  for (const { name, widget } of fields) {
    const file = widget === "file" ? files.get(name) : undefined;
    if (file === undefined) continue;
    const mediaType = /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : "application/octet-stream";
    const dataUrl = `data:${mediaType};base64,${Buffer.from(await file.arrayBuffer()).toString("base64")}`;
    const { record } = await saveArtifact(
      {
        title:
          file.name
            .replaceAll(/\p{Cc}/gu, " ")
            .trim()
            .slice(0, 200) || name,
        type: "file",
        privacy: "confidential",
        description: `Sent with the form page /f/${slug ?? ""}.`,
        workflowId,
        mediaType,
        size: file.size,
        content: { dataUrl },
      },
      { services, trace, meta, caller },
    );
    saved[name] = record.id;
  }
  return { ...values, ...saved };
}
