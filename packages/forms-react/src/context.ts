import {
  type Field,
  type FormDocument,
  type FormValue,
  type HintCondition,
  hintHolds,
  parentPointer,
  type Draft,
  type FieldProblem,
  type FormStore,
  activeField,
} from "@workflow-ui/forms";
import { createContext, useCallback, useContext, useSyncExternalStore } from "react";

/** What every field of a form shares. */
export interface FormScope {
  readonly store: FormStore;
  readonly document: FormDocument;
  /** Begins the ids of this form's elements; several forms can be on one page. */
  readonly prefix: string;
  readonly readOnly: boolean;
  /** A few fields among others of a page, for people who do not see the JSON that they write. */
  readonly plain: boolean;
  /** Says a text of the form in the page's language. */
  readonly t: (english: string) => string;
  /** The person left a field: its problems may be shown from now on. */
  readonly touch: (pointer: string) => void;
}

/** A value to choose in a field of free text. */
export interface Suggestion {
  readonly value: string;
  readonly label: string;
}

/** What a page offers for the text fields of its forms, by pointer: ids that a person chooses instead of typing. */
export const Suggestions = createContext<(pointer: string) => readonly Suggestion[]>(() => []);

/** The form that the fields below belong to. */
export const FormContext = createContext<FormScope | null>(null);

/** The form this field belongs to. */
export function useFormScope(): FormScope {
  const scope = useContext(FormContext);
  if (scope === null) throw new Error("A field was drawn outside a form.");
  return scope;
}

/** Something read at a pointer; the field is drawn again only when that something changes. */
function useRead<T>(pointer: string, read: (store: FormStore) => T): T {
  const { store } = useFormScope();
  const subscribe = useCallback(
    (listener: () => void) => store.subscribe(pointer, listener),
    [store, pointer],
  );
  return useSyncExternalStore(subscribe, () => read(store));
}

/** Something read from the value at a pointer; the field is drawn again only when that something changes. */
export function useSelect<T extends string | number | boolean | null | undefined>(
  pointer: string,
  select: (value: FormValue | undefined) => T,
): T {
  return useRead(pointer, (store) => select(store.get(pointer)));
}

/** The value at a pointer. */
export function useValue(pointer: string): FormValue | undefined {
  return useRead(pointer, (store) => store.get(pointer));
}

/** Text at a pointer that is not a value yet. */
export function useDraft(pointer: string): Draft | undefined {
  return useRead(pointer, (store) => store.draft(pointer));
}

/** What is wrong at a pointer. */
export function useProblems(pointer: string): readonly FieldProblem[] {
  return useRead(pointer, (store) => store.problemsAt(pointer));
}

/** True while something at or under one of the pointers is asked to be shown. */
export function useWithin(pointers: readonly string[]): boolean {
  const { store } = useFormScope();
  const subscribe = useCallback((listener: () => void) => store.subscribeAll(listener), [store]);
  return useSyncExternalStore(subscribe, () => pointers.some((pointer) => isRevealed(store, pointer)));
}

/** True while something at or under a pointer is asked to be shown. */
export function useRevealed(pointer: string): boolean {
  return useRead(pointer, (store) => isRevealed(store, pointer));
}

function isRevealed({ revealed }: FormStore, pointer: string): boolean {
  return revealed === pointer || revealed.startsWith(`${pointer}/`);
}

/** A field as it stands with the data it depends on. */
export interface ResolvedField {
  readonly field: Field;
  readonly required: boolean;
  readonly applies: boolean;
  /** False while a hint keeps the field from being changed. */
  readonly enabled: boolean;
}

/** The field to draw: references opened, overrides chosen, conditions answered. */
export function useResolvedField(field: Field, pointer: string): ResolvedField {
  const { store, document } = useFormScope();
  const still = activeField(document, field, undefined, undefined).field;
  const hints = [still.ui?.visible, still.ui?.enabled];
  const dynamic =
    field.condition !== undefined ||
    field.requiredWhen !== undefined ||
    field.overrides !== undefined ||
    hints.some((hint) => hint !== undefined);
  const holder = dynamic ? parentPointer(pointer) : pointer;
  const watched = hints.some((hint) => hint?.on === "root") ? "" : holder;
  const look = () => {
    const held = store.get(holder);
    const [visible, enabled] = hints.map(
      (hint) => hint === undefined || hintHolds(hint, held, store.get("")),
    );
    const state = activeField(document, field, held, store.get(pointer));
    return { ...state, applies: state.applies && visible === true, enabled: enabled === true };
  };
  const key = useRead(watched, () => {
    if (!dynamic) return "";
    const state = look();
    return `${state.override}|${state.required}|${state.applies}|${state.enabled}`;
  });
  return key === "" ? { field: still, required: field.required, applies: true, enabled: true } : look();
}

/** True while the condition of a hint holds at a group; true without one. */
export function useHint(condition: HintCondition | undefined, pointer: string): boolean {
  return useRead(
    condition?.on === "root" ? "" : pointer,
    (store) => condition === undefined || hintHolds(condition, store.get(pointer), store.get("")),
  );
}
