import {
  childPointer,
  fieldAt,
  literal,
  readNumber,
  rootOf,
  type Draft,
  type Field,
  type FieldProblem,
  type FormDocument,
  type FormStore,
  type FormValue,
} from "@workflow-ui/forms";
import { useCallback, useId, useMemo, useSyncExternalStore, type ReactNode } from "react";
import { FormContext, useDraft, useFormScope, useProblems, useResolvedField, useValue } from "./context.ts";
import { FieldView } from "./field-view.tsx";
import { useFormStore, useFormVersion } from "./use-form-store.ts";
import { useIds } from "./frame.tsx";
import { useSay, useSettings } from "./settings.ts";
import { useChecker } from "./use-checker.ts";

/*
 * Forms with components of one's own: the state, the checks and what assistive technology needs, without any markup.
 */

/** A form whose markup is the page's own. */
export interface FormHandle {
  readonly store: FormStore;
  readonly document: FormDocument;
  readonly value: FormValue | undefined;
  /** What is wrong with the value, as far as it may be shown: fields that were left, or all after `submit`. */
  readonly problems: readonly FieldProblem[];
  /** Checks everything and shows every problem; calls `onSubmit` and answers true when there is none. */
  readonly submit: () => Promise<boolean>;
  /** The person left the field at a pointer: its problems may be shown from now on. */
  readonly touch: (pointer: string) => void;
}

/** How a headless form begins and what it does in the end. */
export interface FormOptions {
  readonly value?: FormValue;
  /** `undecided` is why a problem may be left, or "" when every rule was checked. */
  readonly onSubmit?: (value: FormValue | undefined, undecided: string) => void;
}

/** The state and the checks of a form; draw it with `useField`, `Field` or both, inside a `FormProvider`. */
export function useForm(document: FormDocument, { value, onSubmit }: FormOptions = {}): FormHandle {
  const store = useFormStore(document, value);
  const checker = useChecker(store);
  useFormVersion(store);
  return {
    store,
    document,
    value: store.value,
    problems: store.problems,
    submit: async () => {
      const { problems, undecided } = await checker.checkAll();
      if (problems.length > 0) return false;
      onSubmit?.(store.value, undecided);
      return true;
    },
    touch: checker.touch,
  };
}

interface ProviderProps {
  readonly form: Pick<FormHandle, "store" | "touch">;
  readonly readOnly?: boolean;
  readonly children: ReactNode;
}

/** Makes a form known to the fields below it. */
export function FormProvider({ form: { store, touch }, readOnly = false, children }: ProviderProps) {
  const prefix = useId();
  const t = useSay();
  const scope = useMemo(
    () => ({ store, document: store.document, prefix, readOnly, plain: false, t, touch }),
    [store, prefix, readOnly, t, touch],
  );
  return <FormContext value={scope}>{children}</FormContext>;
}

/** One field of a form whose markup is the page's own. */
export interface FieldHandle {
  readonly pointer: string;
  /** What the form document says about it; null when there is no such field as the value stands. */
  readonly field: Field | null;
  readonly label: string;
  readonly value: FormValue | undefined;
  readonly required: boolean;
  /** False while the field's condition does not hold. */
  readonly applies: boolean;
  readonly problems: readonly FieldProblem[];
  /** Text that is not a value yet, such as a number that is being typed. */
  readonly draft: Draft | undefined;
  /** Writes a value; undefined takes it away. */
  readonly set: (value: FormValue | undefined) => void;
  readonly labelProps: { readonly id: string; readonly htmlFor: string };
  /** For an `input`, `textarea` or `select` of text, numbers or options that are texts. */
  readonly inputProps: {
    readonly id: string;
    readonly value: string;
    readonly readOnly: boolean;
    readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
    readonly onBlur: () => void;
    readonly "aria-required": boolean | undefined;
    readonly "aria-invalid": boolean | undefined;
    readonly "aria-describedby": string | undefined;
  };
  /** For the element that shows the problems. */
  readonly errorProps: { readonly id: string };
}

/** State, texts and attributes of the field at a JSON Pointer. Drawn again only when something of that field changes. */
export function useField(pointer: string): FieldHandle {
  const { store, document, readOnly, t, touch } = useFormScope();
  const ids = useIds(pointer);
  const declared = useDeclared(pointer);
  const { field, required, applies } = useResolvedField(declared ?? rootOf(document), pointer);
  const value = useValue(pointer);
  const typed = useDraft(pointer);
  const draft = useMemo(() => typed && { ...typed, problem: t(typed.problem) }, [typed, t]);
  const found = useProblems(pointer);
  const problems = useMemo(() => found.map((each) => ({ ...each, message: t(each.message) })), [found, t]);
  const isNumber = field.type === "number" || field.type === "integer";
  const type = (text: string) => {
    if (text === "" && (isNumber || !required)) return store.set(pointer, undefined);
    if (!isNumber) return store.set(pointer, text);
    const read = readNumber(text.trim(), field.type === "integer");
    if (read === null) store.setDraft(pointer, { text, problem: "Not a number" });
    else store.set(pointer, read);
  };
  const isWrong = problems.length > 0 || draft !== undefined;
  return {
    pointer,
    field: declared === null ? null : field,
    label: declared === null ? "" : field.label || field.name,
    value,
    required,
    applies: declared !== null && applies,
    problems,
    draft,
    set: (next) => store.set(pointer, next),
    labelProps: { id: ids.label, htmlFor: ids.control },
    inputProps: {
      id: ids.control,
      value: draft?.text ?? (value === undefined || value === null ? "" : textOf(value)),
      readOnly: readOnly || field.readOnly === true,
      onChange: (event) => type(event.target.value),
      onBlur: () => touch(pointer),
      "aria-required": required || undefined,
      "aria-invalid": isWrong || undefined,
      "aria-describedby": isWrong ? ids.error : undefined,
    },
    errorProps: { id: ids.error },
  };
}

function textOf(value: FormValue): string {
  return typeof value === "string" ? value : literal(value);
}

/** The field that the document declares at a pointer. Fields are made once, so an unchanged one draws nothing again. */
function useDeclared(pointer: string): Field | null {
  const { store, document } = useFormScope();
  const subscribe = useCallback((listener: () => void) => store.subscribeAll(listener), [store]);
  return useSyncExternalStore(subscribe, () => fieldAt(document, store.value, pointer));
}

/** The pointers of the fields inside a part, in order: to draw all of them with one component. */
export function useFieldPointers(pointer = ""): readonly string[] {
  const { document } = useFormScope();
  const declared = useDeclared(pointer);
  const { field } = useResolvedField(declared ?? rootOf(document), pointer);
  const children = declared === null ? undefined : field.children;
  return useMemo(
    () => (children ?? []).map((child) => childPointer(pointer, child.name)),
    [children, pointer],
  );
}

/** One field drawn by the standard widgets, at a place of one's own. */
export function FormField({ pointer }: { readonly pointer: string }) {
  const { touch } = useFormScope();
  const { language } = useSettings();
  const declared = useDeclared(pointer);
  if (declared === null) return null;
  return (
    <div className="workflow-form" lang={language?.code} dir={language?.dir} onBlur={() => touch(pointer)}>
      <FieldView field={declared} pointer={pointer} depth={1} />
    </div>
  );
}
