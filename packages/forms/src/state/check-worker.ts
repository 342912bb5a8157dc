import type { FormDocument } from "../compile/document.ts";
import { explainByExample } from "../check/by-example.ts";
import { validateForm } from "../check/validate.ts";

/*
 * Checks values beside the page: a pattern or a schema that takes long holds up this worker and nothing else. The page
 * ends it when its time is over.
 */

/** What the page asks. The rules of a form are sent once and kept by number. */
export interface CheckRequest {
  readonly id: number;
  readonly form: number;
  readonly validation?: FormDocument["validation"];
  readonly value: string;
}

const forms = new Map<number, FormDocument["validation"]>();
const MOST_KEPT = 8;

self.addEventListener("message", ({ data }: MessageEvent<CheckRequest>) => {
  if (data.validation !== undefined) {
    if (forms.size >= MOST_KEPT) forms.clear();
    forms.set(data.form, data.validation);
  }
  const validation = forms.get(data.form);
  // Not known any more: the page sends it again.
  const answer =
    validation === undefined
      ? null
      : validateForm({ validation }, JSON.parse(data.value), {
          hasDeadline: true,
          explain: explainByExample,
        });
  self.postMessage({ id: data.id, answer });
});
self.postMessage({ id: 0, answer: null });
