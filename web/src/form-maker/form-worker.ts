import type { FormDocument } from "@workflow-ui/forms";
import { compileGiven, type GivenSchema } from "./compile-given.ts";
import type { ConnectionCandidate } from "./connection-source.ts";
import { readSource, type PastedSource, type PastedText } from "./pasted-sources.ts";

/*
 * Reads documents and makes forms beside the page: a schema that takes long holds up this worker and nothing else. The
 * page ends it when its time is over.
 */

/** What the page asks for: what is in a text, the form of one part of it, or the form of a schema. */
export type FormTask =
  | { readonly kind: "list"; readonly own: PastedText }
  | { readonly kind: "pick"; readonly own: PastedText; readonly id: string }
  | { readonly kind: "compile"; readonly given: GivenSchema };

/** What is in a text, without the way to make forms of it. */
export interface SourceSummary {
  readonly kind: PastedSource["kind"];
  readonly title: string;
  readonly items: readonly { readonly id: string; readonly title: string; readonly sub: string }[];
  readonly connections: readonly ConnectionCandidate[];
}

/** The answer; a form is JSON text, which the page reads faster than a copied object. */
export interface FormAnswer {
  readonly id: number;
  readonly list?: SourceSummary;
  readonly form?: string;
  readonly problem?: string;
}

let last: { readonly own: PastedText; readonly source: PastedSource } | null = null;

async function sourceOf(own: PastedText): Promise<PastedSource> {
  if (last === null || !isSame(last.own, own)) last = { own, source: await readSource(own) };
  return last.source;
}

function isSame(a: PastedText, b: PastedText): boolean {
  return a.text === b.text && a.as === b.as && JSON.stringify(a.beside) === JSON.stringify(b.beside);
}

async function answer(task: FormTask): Promise<Omit<FormAnswer, "id">> {
  if (task.kind === "compile") return withForm(compileGiven(task.given));
  const { kind, title, items, connections = [] } = await sourceOf(task.own);
  if (task.kind === "list")
    return { list: { kind, title, items: items.map(({ make: _make, ...item }) => item), connections } };
  const item = items.find(({ id }) => id === task.id);
  return item === undefined ? { problem: "This part is not in the text any more." } : withForm(item.make());
}

function withForm(form: FormDocument): Omit<FormAnswer, "id"> {
  return { form: JSON.stringify(form) };
}

self.addEventListener("message", ({ data }: MessageEvent<{ id: number; task: FormTask }>) => {
  answer(data.task)
    .catch((error: unknown) => ({
      problem: error instanceof Error ? error.message : "No form could be made.",
    }))
    .then((found) => self.postMessage({ id: data.id, ...found }))
    .catch(() => undefined);
});
self.postMessage({ id: 0 });
