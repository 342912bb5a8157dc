import { isObject } from "#kernel/json.ts";
import { parseExact, type FormDocument, type FormValue, withoutSecrets, wireText } from "@workflow-ui/forms";
import { getDraft, saveDraft } from "./drafts.ts";
import type { SourceCompanions } from "../form-maker/pasted-sources.ts";
import { at, objectAt, textAt } from "./read.ts";
import { call } from "../api/operations.ts";

/** The kind of draft that a kept form is. */
export const FORM_DRAFT = "form_value";

/** Where a form came from: the text that was pasted or the address that was read, and which part of it. */
export interface FormOrigin {
  readonly kind: "paste" | "webhook" | "url";
  readonly text?: string;
  readonly url?: string;
  readonly pick: string;
  /** What was brought with the text: hints, and documents by their addresses. */
  readonly beside?: SourceCompanions;
}

/** A kept form: where it came from and what was filled in. */
export interface FormDraft {
  readonly origin: FormOrigin;
  readonly value: FormValue;
}

/** Keeps a form with its values, without secrets, as a draft on this device. */
export function saveFormDraft(
  form: FormDocument,
  value: FormValue | undefined,
  origin: FormOrigin,
): Promise<string> {
  const clean = withoutSecrets(form, value);
  return saveDraft({
    title: form.title,
    type: FORM_DRAFT,
    content: {
      origin,
      source: JSON.parse(JSON.stringify(form.source)),
      ...(clean !== undefined && { value: JSON.parse(wireText(clean)) }),
    },
  });
}

/** Where the form in a draft or artifact came from; null when its content does not say it. */
export function originIn(content: unknown): FormOrigin | null {
  const origin = at(content, "origin");
  if (!isObject(origin)) return null;
  const kind = textAt(origin, "kind");
  if (kind !== "paste" && kind !== "webhook" && kind !== "url") return null;
  return {
    kind,
    text: textAt(origin, "text"),
    url: textAt(origin, "url"),
    pick: textAt(origin, "pick"),
    beside: companionsIn(at(origin, "beside")),
  };
}

function companionsIn(beside: unknown): SourceCompanions {
  const companions = objectAt(beside, "companions");
  return {
    hints: textAt(beside, "hints"),
    companions: Object.fromEntries(Object.keys(companions).map((name) => [name, textAt(companions, name)])),
  };
}

/** Reads a form that was kept on this device or saved on the server; null when there is none. */
export async function readFormDraft(id: string): Promise<FormDraft | null> {
  const content = id.startsWith("draft_")
    ? (await getDraft(id))?.content
    : (await call("get_artifact", { id })).artifact["content"];
  const origin = originIn(content);
  if (origin === null) return null;
  return { origin, value: parseExact(JSON.stringify(at(content, "value") ?? null)) };
}
