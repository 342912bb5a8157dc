import { saveArtifact, type SavingContext } from "../artifacts/registry.ts";
import { AppError } from "../kernel/errors.ts";
import type { Caller } from "../ports/caller.ts";
import type { TriggerRecord } from "../ports/triggers.ts";

/** A file that came with a form. */
export interface Upload {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** What came from a page: texts by field, and files. */
export interface SentForm {
  readonly texts: URLSearchParams;
  readonly files: ReadonlyMap<string, Upload>;
}

const MAX_FILE_BYTES = 700_000;

/** Reads what a page sent, as a form with files or without. */
export async function readSent(bytes: Buffer, contentType: string): Promise<SentForm> {
  if (!/^multipart\/form-data\b/i.test(contentType))
    return { texts: new URLSearchParams(bytes.toString("utf8")), files: new Map() };
  const texts = new URLSearchParams();
  const files = new Map<string, Upload>();
  const body = new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } });
  // The body of a stranger: whatever is wrong with it is the stranger's.
  const data = await body.formData().catch(() => null);
  if (data === null) throw new AppError("invalid_input", "The form could not be read.");
  for (const [name, value] of data) {
    if (typeof value === "string") texts.append(name, value);
    else if (value.size > 0) {
      const type = /^[\w.+-]+\/[\w.+-]+$/.test(value.type) ? value.type : "application/octet-stream";
      files.set(name, { name: value.name, type, bytes: Buffer.from(await value.arrayBuffer()) });
    }
  }
  return { texts, files };
}

/** Throws where a file is larger than an artifact of a form may be. */
export function checkSizes(files: SentForm["files"]): void {
  const tooLarge = [...files].filter(([, { bytes }]) => bytes.length > MAX_FILE_BYTES);
  if (tooLarge.length === 0) return;
  throw new AppError("too_large", "A file is too large.", {
    problems: tooLarge.map(([name]) => ({
      pointer: `/inputs/${name}`,
      message: "The file must have at most 700 KB.",
    })),
  });
}

/** Saves files as artifacts of the caller that the trigger acts for; gives their ids by the names of the fields. */
export async function saveFiles(
  names: Iterable<string>,
  files: SentForm["files"],
  { actsFor, workflowId, slug }: TriggerRecord,
  { services, trace, meta }: SavingContext,
): Promise<ReadonlyMap<string, string>> {
  const saved = new Map<string, string>();
  const caller: Caller = { kind: "system", id: actsFor, scopes: new Set() };
  for (const field of names) {
    const file = files.get(field);
    if (file === undefined) continue;
    const { name, type, bytes } = file;
    const title = name.replaceAll(/\p{Cc}/gu, " ").trim();
    const { record } = await saveArtifact(
      {
        title: title.slice(0, 200) || field,
        type: "file",
        privacy: "confidential",
        description: `Sent with the form page /f/${slug ?? ""}.`,
        workflowId,
        mediaType: type,
        size: bytes.length,
        content: { dataUrl: `data:${type};base64,${bytes.toString("base64")}` },
      },
      { services, trace, meta, caller },
    );
    saved.set(field, record.id);
  }
  return saved;
}
