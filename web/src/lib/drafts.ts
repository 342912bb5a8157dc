import { queryClient } from "../api/operations.ts";
import { allLocal, dropLocal, getLocal, putLocal } from "./idb.ts";
import { isObject } from "#kernel/json.ts";

/** An artifact that exists on this device only. */
export interface Draft {
  readonly id: string;
  readonly title: string;
  readonly type: string;
  /** Who may read it once it is saved: public, internal, confidential or restricted. */
  readonly privacy: string;
  /** Mostly an object; a saved artifact can also hold a list or a text. */
  readonly content: unknown;
  readonly createdAt: string;
  readonly updatedAt: string;
  /**
   * The saved artifact this is an edit of, and the version it was made from. With `isSpread` the artifact has no member
   * `content`: what is edited are all its own members.
   */
  readonly of: { readonly id: string; readonly version: number; readonly isSpread: boolean } | null;
  /** Earlier contents, newest first. */
  readonly versions: readonly { readonly at: string; readonly content: unknown }[];
}

/** Keeps a new draft and gives its id. */
export async function saveDraft(given: {
  readonly of?: Draft["of"];
  readonly title: string;
  readonly type: string;
  readonly privacy?: string;
  readonly content: unknown;
}): Promise<string> {
  const now = new Date().toISOString();
  const id = `draft_${crypto.randomUUID().slice(0, 13)}`;
  const isEdit = given.of !== undefined && given.of !== null;
  const content = isObject(given.content) || isEdit ? given.content : { value: given.content };
  await putLocal("drafts", {
    id,
    title: given.title,
    type: given.type,
    privacy: given.privacy ?? "internal",
    content,
    createdAt: now,
    updatedAt: now,
    of: given.of ?? null,
    versions: [],
  });
  await queryClient.invalidateQueries({ queryKey: ["drafts"] });
  return id;
}

/** Writes a draft's new content and keeps the one before. */
export async function updateDraft(
  draft: Draft,
  change: { readonly title: string; readonly privacy: string; readonly content: unknown },
): Promise<void> {
  const versions = [{ at: draft.updatedAt, content: draft.content }, ...draft.versions].slice(0, 20);
  await putLocal("drafts", { ...draft, ...change, versions, updatedAt: new Date().toISOString() });
  await queryClient.invalidateQueries({ queryKey: ["drafts"] });
}

/** Every draft on this device, newest first. */
export async function listDrafts(): Promise<readonly Draft[]> {
  const all = (await allLocal("drafts")).flatMap((record) => toDraft(record) ?? []);
  return all.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
}

/** One draft. */
export async function getDraft(id: string): Promise<Draft | null> {
  return toDraft(await getLocal("drafts", id));
}

/** Forgets a draft. */
export async function removeDraft(id: string): Promise<void> {
  await dropLocal("drafts", id);
  await queryClient.invalidateQueries({ queryKey: ["drafts"] });
}

type Later = "privacy" | "of" | "versions";
/** A draft as the device has it: those that were kept by an earlier version lack members. */
export type StoredDraft = Omit<Draft, Later> & Partial<Pick<Draft, Later>>;

function toDraft(record: StoredDraft | undefined): Draft | null {
  return record === undefined ? null : { privacy: "internal", of: null, versions: [], ...record };
}
