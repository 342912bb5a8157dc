import type { FormDocument } from "../compile/document.ts";
import { requiredValue } from "../values/values.ts";
import { type FormValue, isRecord, own, pointerToken, pointerTokens, setOwn } from "../values/json.ts";

/* Long on purpose: one class over one value, its listeners and its history. */

/** One thing that is wrong with the value, at its pointer. */
export interface FieldProblem {
  readonly pointer: string;
  readonly message: string;
}

/** Text that is not a value yet, kept so that nothing typed is lost. */
export interface Draft {
  readonly text: string;
  readonly problem: string;
}

interface Node {
  readonly children: Map<string, Node>;
  readonly listeners: Set<() => void>;
}

interface Step {
  readonly value: FormValue | undefined;
  readonly drafts: ReadonlyMap<string, Draft>;
}

/** A choice that is shown before it is made. */
interface Implied {
  readonly variant: string;
  readonly value: FormValue | undefined;
}

const HISTORY = 200;
const COALESCE_MS = 700;

/**
 * The state of one form, outside React: one immutable value, and listeners by JSON Pointer. Typing into a field wakes
 * that field and those that hold it, and no other: this is what keeps a form of hundreds of fields quick.
 */
export class FormStore {
  readonly document: FormDocument;
  readonly initial: FormValue | undefined;
  /** Announced to screen readers: what an array operation did. */
  onAnnounce: (text: string) => void = () => {};
  #value: FormValue | undefined;
  #drafts: ReadonlyMap<string, Draft> = new Map();
  #problems = new Map<string, readonly FieldProblem[]>();
  #all: readonly FieldProblem[] = [];
  #undecided = "";
  #tree: Node = node();
  #changed = new Set<() => void>();
  #past: Step[] = [];
  #future: Step[] = [];
  #lastEdit = { pointer: "", at: 0 };
  #keys = new Map<string, number[]>();
  #nextKey = 0;
  #choices = new Map<string, string>();
  #implied = new Map<string, Implied>();
  #revealed = "";
  #version = 0;

  constructor(document: FormDocument, value?: FormValue) {
    this.document = document;
    this.initial = value ?? requiredValue(document);
    this.#value = this.initial;
  }

  /** Grows with every change of value, draft or problem. */
  get version(): number {
    return this.#version;
  }

  get value(): FormValue | undefined {
    return this.#value;
  }

  get drafts(): ReadonlyMap<string, Draft> {
    return this.#drafts;
  }

  get problems(): readonly FieldProblem[] {
    return this.#all;
  }

  /** Why the last check could not decide on the value; empty when it could. */
  get undecided(): string {
    return this.#undecided;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** The value at a pointer. */
  get(pointer: string): FormValue | undefined {
    return read(this.#value, pointerTokens(pointer));
  }

  /** Writes a value; undefined takes the member away. Edits of one field within a moment are one step of undo. */
  set(pointer: string, value: FormValue | undefined): void {
    const before = this.get(pointer);
    if (Object.is(before, value) && !this.#drafts.has(pointer)) return;
    this.#remember(pointer);
    if (value !== undefined) this.#begin(pointer);
    this.#value = write(this.#value, pointerTokens(pointer), value);
    if (this.#drafts.size > 0) this.#dropDrafts(pointer, true);
    this.#wake(pointer);
  }

  /** Keeps text that is not a value; the value stays what it was. */
  setDraft(pointer: string, draft: Draft): void {
    this.#remember(pointer);
    this.#drafts = new Map(this.#drafts).set(pointer, draft);
    this.#wake(pointer);
  }

  draft(pointer: string): Draft | undefined {
    return this.#drafts.get(pointer);
  }

  /** Puts an item into an array. */
  insert(pointer: string, index: number, value: FormValue, label: string): void {
    const items = this.#items(pointer);
    const keys = this.keys(pointer, items.length);
    this.set(pointer, items.toSpliced(index, 0, value));
    this.#keep(pointer, [...keys.slice(0, index), this.#nextKey++, ...keys.slice(index)]);
    this.onAnnounce(`${label} added at position ${index + 1} of ${items.length + 1}`);
  }

  /** Takes an item out of an array. */
  remove(pointer: string, index: number, label: string): void {
    const items = this.#items(pointer);
    const keys = this.keys(pointer, items.length);
    this.set(pointer, items.toSpliced(index, 1));
    this.#keep(pointer, keys.toSpliced(index, 1));
    this.onAnnounce(`${label} ${index + 1} removed, ${items.length - 1} left`);
  }

  /** Moves an item of an array. */
  move(pointer: string, from: number, to: number, label: string): void {
    const items = this.#items(pointer);
    const [item] = items.slice(from, from + 1);
    if (item === undefined || to < 0 || to >= items.length) return;
    const keys = this.keys(pointer, items.length);
    const [key = 0] = keys.slice(from, from + 1);
    this.set(pointer, items.toSpliced(from, 1).toSpliced(to, 0, item));
    this.#keep(pointer, keys.toSpliced(from, 1).toSpliced(to, 0, key));
    this.onAnnounce(`${label} moved to position ${to + 1} of ${items.length}`);
  }

  /** Gives a member of an object another name in the same place. */
  rename(pointer: string, from: string, to: string): void {
    const object = this.get(pointer);
    if (!isRecord(object) || from === to || Object.hasOwn(object, to)) return;
    const renamed: Record<string, FormValue | undefined> = {};
    const source = this.#members(pointer);
    for (const [key, value] of source) setOwn(renamed, key === from ? to : key, value);
    this.set(pointer, renamed);
  }

  /** Stable names for the items of an array, so that a moved item keeps its focus and its open parts. */
  keys(pointer: string, length: number): readonly number[] {
    const keys = this.#keys.get(pointer) ?? [];
    while (keys.length < length) keys.push(this.#nextKey++);
    keys.length = length;
    this.#keys.set(pointer, keys);
    return keys;
  }

  /** The variant a person chose at a pointer, when the value alone does not tell. */
  choice(pointer: string): string | undefined {
    return this.#choices.get(pointer);
  }

  choose(pointer: string, variant: string): void {
    this.#choices.set(pointer, variant);
    this.#wake(pointer);
  }

  /**
   * What a part begins with at the first edit inside it: a required choice is drawn before anything is chosen, and the
   * constants that make it that choice are written with what is typed.
   */
  imply(pointer: string, implied: Implied | null): void {
    if (implied === null) this.#implied.delete(pointer);
    else this.#implied.set(pointer, implied);
  }

  /** Replaces everything, as one step that can be undone. */
  replace(value: FormValue | undefined): void {
    this.#lastEdit = { pointer: "", at: 0 };
    this.set("", value);
    this.#choices.clear();
  }

  undo(): void {
    this.#travel(this.#past, this.#future);
  }

  redo(): void {
    this.#travel(this.#future, this.#past);
  }

  problemsAt(pointer: string): readonly FieldProblem[] {
    return this.#problems.get(pointer) ?? NONE;
  }

  /** Shows these problems instead of those before, and why there may be others. */
  setProblems(problems: readonly FieldProblem[], undecided = ""): void {
    this.#undecided = undecided;
    const before = this.#problems;
    this.#problems = Map.groupBy(problems, (problem) => problem.pointer);
    this.#all = problems;
    const touched = new Set([...before.keys(), ...this.#problems.keys()]);
    for (const pointer of touched) {
      const [old, now] = [before.get(pointer) ?? NONE, this.problemsAt(pointer)];
      if (sameMessages(old, now)) this.#problems.set(pointer, old);
      else for (const listener of find(this.#tree, pointerTokens(pointer))?.listeners ?? []) listener();
    }
    this.#version++;
    for (const listener of this.#changed) listener();
  }

  /** Opens everything that leads to a pointer, so that it can be focused. */
  reveal(pointer: string): void {
    this.#revealed = pointer;
    this.#wake(pointer);
  }

  get revealed(): string {
    return this.#revealed;
  }

  /** Calls back on changes at, above or below a pointer. */
  subscribe(pointer: string, listener: () => void): () => void {
    let at = this.#tree;
    for (const token of pointerTokens(pointer)) {
      let next = at.children.get(token);
      if (next === undefined) at.children.set(token, (next = node()));
      at = next;
    }
    at.listeners.add(listener);
    return () => at.listeners.delete(listener);
  }

  /** Calls back on every change. */
  subscribeAll(listener: () => void): () => void {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }

  /** Writes what the first edit at a pointer implies. */
  #begin(pointer: string): void {
    for (const [at, { variant, value }] of this.#implied) {
      const now = this.get(at);
      const isBegun = isFormObject(now) ? Object.keys(now).length > 0 : now !== undefined;
      if (isBegun || !(pointer === at || pointer.startsWith(`${at}/`))) continue;
      if (value !== undefined && pointer !== at) this.#value = write(this.#value, pointerTokens(at), value);
      if (!this.#choices.has(at)) this.#choices.set(at, variant);
    }
  }

  #items(pointer: string): readonly FormValue[] {
    const value = this.get(pointer);
    return Array.isArray(value) ? value : [];
  }

  #members(pointer: string): readonly [string, FormValue | undefined][] {
    const value = this.get(pointer);
    return isFormObject(value) ? Object.entries(value) : [];
  }

  #keep(pointer: string, keys: readonly number[]): void {
    for (const other of this.#keys.keys()) if (other.startsWith(`${pointer}/`)) this.#keys.delete(other);
    for (const other of this.#choices.keys())
      if (other.startsWith(`${pointer}/`)) this.#choices.delete(other);
    this.#keys.set(pointer, [...keys]);
    this.#wake(pointer);
  }

  #remember(pointer: string): void {
    const now = Date.now();
    const same =
      this.#lastEdit.pointer === pointer && now - this.#lastEdit.at < COALESCE_MS && pointer !== "";
    this.#lastEdit = { pointer, at: now };
    this.#future = [];
    if (same) return;
    this.#past.push({ value: this.#value, drafts: this.#drafts });
    if (this.#past.length > HISTORY) this.#past.shift();
  }

  #travel(from: Step[], to: Step[]): void {
    const step = from.pop();
    if (step === undefined) return;
    to.push({ value: this.#value, drafts: this.#drafts });
    this.#value = step.value;
    this.#drafts = step.drafts;
    this.#lastEdit = { pointer: "", at: 0 };
    this.#wake("");
  }

  #dropDrafts(pointer: string, below: boolean): void {
    const kept = [...this.#drafts].filter(
      ([at]) => at !== pointer && !(below && at.startsWith(`${pointer}/`)),
    );
    if (kept.length !== this.#drafts.size) this.#drafts = new Map(kept);
  }

  #wake(pointer: string): void {
    this.#version++;
    let at: Node | undefined = this.#tree;
    for (const listener of at.listeners) listener();
    for (const token of pointerTokens(pointer)) {
      at = at?.children.get(token);
      if (at === undefined) break;
      for (const listener of at.listeners) listener();
    }
    if (at !== undefined) wakeBelow(at);
    for (const listener of this.#changed) listener();
  }
}

const NONE: readonly FieldProblem[] = [];

function node(): Node {
  return { children: new Map(), listeners: new Set() };
}

function wakeBelow(at: Node): void {
  for (const child of at.children.values()) {
    for (const listener of child.listeners) listener();
    wakeBelow(child);
  }
}

function find(tree: Node, tokens: readonly string[]): Node | undefined {
  let at: Node | undefined = tree;
  for (const token of tokens) at = at?.children.get(token);
  return at;
}

function sameMessages(a: readonly FieldProblem[], b: readonly FieldProblem[]): boolean {
  return a.length === b.length && a.every((problem, index) => problem.message === b[index]?.message);
}

function read(value: FormValue | undefined, tokens: readonly string[]): FormValue | undefined {
  let current: FormValue | undefined = value;
  for (const token of tokens) current = member(current, token);
  return current;
}

function member(value: FormValue | undefined, token: string): FormValue | undefined {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  if (!isFormObject(value) || !Object.hasOwn(value, token)) return undefined;
  return value[token];
}

/** True for an object held in a form. */
export function isFormObject(
  value: FormValue | undefined,
): value is { readonly [key: string]: FormValue | undefined } {
  return isRecord(value);
}

function write(
  value: FormValue | undefined,
  tokens: readonly string[],
  next: FormValue | undefined,
): FormValue | undefined {
  const [token, ...rest] = tokens;
  if (token === undefined) return next;
  if (Array.isArray(value)) {
    const index = Number(token);
    const items: FormValue[] = [...value];
    while (items.length < index) items.push(null);
    const written = write(items[index], rest, next);
    if (written === undefined && index === items.length - 1) items.pop();
    else items[index] = written ?? null;
    return items;
  }
  const copy: Record<string, FormValue | undefined> = isFormObject(value) ? { ...value } : {};
  const written = write(isFormObject(value) ? toFormValue(own(value, token)) : undefined, rest, next);
  if (written === undefined) delete copy[token];
  else setOwn(copy, token, written);
  return copy;
}

function toFormValue(value: unknown): FormValue | undefined {
  if (value === undefined || isFormValue(value)) return value;
  return undefined;
}

function isFormValue(value: unknown): value is FormValue {
  return value === null || ["string", "number", "boolean", "object"].includes(typeof value);
}

/** The pointer of a member of what `pointer` names. */
export function childPointer(pointer: string, key: string | number): string {
  return `${pointer}/${pointerToken(key)}`;
}

/** The pointer of what holds the value at `pointer`. */
export function parentPointer(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
}
