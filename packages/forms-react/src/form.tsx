import { rootOf, type FormStore, type FormValue } from "@workflow-ui/forms";
import { useEffect, useId, useMemo, useRef, useState, type ReactNode } from "react";
import { Redo2, RotateCcw, Sparkles, Undo2 } from "lucide-react";
import { IconButton, Button, Spinner } from "./ui/button.tsx";
import { Segmented } from "./ui/segmented.tsx";
import { FormContext } from "./context.ts";
import { Changes } from "./changes.tsx";
import { FieldView } from "./field-view.tsx";
import { useSay, useSettings } from "./settings.ts";
import { useFormVersion } from "./use-form-store.ts";
import { Summary } from "./summary.tsx";
import { useChecker } from "./use-checker.ts";
import { JsonPart } from "./widgets/json.tsx";

/** What a form is given. */
export interface FormProps {
  readonly store: FormStore;
  /**
   * Called when no problem was found; `undecided` is why one may be left, or "" when every rule was checked. Without it
   * the form has no button.
   */
  readonly onSubmit?: (value: FormValue | undefined, undecided: string) => void;
  readonly submitLabel?: ReactNode;
  readonly busy?: boolean;
  readonly readOnly?: boolean;
  /** A few fields among others of a page: no JSON, no list of changes, no undo buttons. */
  readonly plain?: boolean;
  readonly extraActions?: ReactNode;
  readonly tools?: ReactNode;
  /** Let a value go out although checks fail: what the service says about it is the truth. */
  readonly allowInvalid?: boolean;
  /** Makes an example when it is asked for, where the document brings none. */
  readonly sample?: () => Promise<FormValue | undefined>;
}

type View = "form" | "json" | "changes";

/** A check that takes longer is shown as under way. */
const SLOW_MS = 200;

/** A form over a form document: fields, JSON and changes of one value, with undo, checks and a way to send it. */
export function Form({
  store,
  onSubmit,
  submitLabel,
  busy = false,
  readOnly = false,
  plain = false,
  extraActions,
  tools,
  allowInvalid = false,
  sample,
}: FormProps) {
  const prefix = useId();
  const document = store.document;
  const [view, setView] = useState<View>("form");
  const [announced, setAnnounced] = useState("");
  const checker = useChecker(store);
  const { touch } = checker;
  const t = useSay();
  const { language } = useSettings();
  const scope = useMemo(
    () => ({ store, document, prefix, readOnly, plain, t, touch }),
    [store, document, prefix, readOnly, plain, t, touch],
  );
  const box = useRef<HTMLFormElement>(null);
  const root = useMemo(() => rootOf(document), [document]);
  const submitText = root.ui?.options?.["submit"];
  const empty =
    root.widget === "group" &&
    root.children?.length === 0 &&
    (root.map === undefined || (root.map.additional === null && root.map.patterns.length === 0));
  useEffect(() => {
    store.onAnnounce = (text) => setAnnounced(t(text));
  }, [store, t]);
  const isChecking = useRef(false);
  const [isSlow, setSlow] = useState(false);
  const submit = async () => {
    // Pressed twice, it is checked and sent once.
    if (isChecking.current) return;
    isChecking.current = true;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    const { problems, undecided } = await checker.checkAll().finally(() => {
      isChecking.current = false;
      clearTimeout(timer);
      setSlow(false);
    });
    if (problems.length > 0) {
      // Each time, not only when the list of problems appears.
      requestAnimationFrame(() => box.current?.querySelector<HTMLElement>("[data-problems]")?.focus());
      return;
    }
    onSubmit?.(store.value, undecided);
  };
  return (
    <FormContext value={scope}>
      <form
        ref={box}
        noValidate
        lang={language?.code}
        dir={language?.dir}
        aria-label={document.title.slice(0, 200)}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
        onFocus={checker.prepare}
        onBlur={(event) => checker.touch(pointerOf(event.target))}
        onKeyDown={(event) => {
          if (!(event.ctrlKey || event.metaKey)) return;
          const key = event.key.toLowerCase();
          if (key === "enter") {
            event.preventDefault();
            if (!busy) void submit();
          } else if (key === "z" && !inEditor(event.target)) {
            event.preventDefault();
            if (event.shiftKey) store.redo();
            else store.undo();
          }
        }}
        className="workflow-form min-w-0"
      >
        {empty || plain ? null : (
          <div className="mb-4 flex flex-wrap items-center gap-1.5">
            <Segmented
              label={t("Show as")}
              value={view}
              onChange={setView}
              options={[
                { value: "form", label: t("Form") },
                { value: "json", label: "JSON" },
                { value: "changes", label: t("Changes") },
              ]}
            />
            <span className="flex-1" />
            <span className="flex items-center">
              {readOnly ? null : <History store={store} sample={sample} />}
              {tools}
            </span>
          </div>
        )}
        <Summary store={store} checker={checker} box={box} onShow={() => setView("form")} />
        {empty ? (
          <p className="text-ink-2">{t("There is nothing to fill in.")}</p>
        ) : view === "form" ? (
          <FieldView field={root} pointer="" depth={0} />
        ) : view === "json" ? (
          <JsonPart pointer="" label={t(`${document.title.slice(0, 200)} as JSON`)} tall />
        ) : (
          <Changes store={store} />
        )}
        {onSubmit === undefined ? null : (
          <div className="mt-6 flex flex-wrap items-center gap-2">
            {/* Not a submit button: a sandboxed frame of a chat host allows no form submission. */}
            <Button
              look="primary"
              busy={busy}
              aria-busy={busy || isSlow || undefined}
              onClick={() => void submit()}
            >
              {submitLabel ?? (typeof submitText === "string" ? submitText : t("Submit"))}
            </Button>
            {isSlow ? (
              <span aria-hidden className="flex items-center gap-1.5 text-sm text-ink-2">
                <Spinner /> {t("Checking…")}
              </span>
            ) : null}
            {extraActions}
            {allowInvalid ? <SendAnyway store={store} onSubmit={onSubmit} busy={busy} /> : null}
          </div>
        )}
        <p aria-live="polite" className="sr-only">
          {isSlow ? t("Checking…") : announced}
        </p>
      </form>
    </FormContext>
  );
}

function SendAnyway({
  store,
  onSubmit,
  busy,
}: {
  readonly store: FormStore;
  readonly onSubmit: (value: FormValue | undefined, undecided: string) => void;
  readonly busy: boolean;
}) {
  useFormVersion(store);
  const t = useSay();
  if (store.problems.length === 0 || store.drafts.size > 0) return null;
  return (
    <Button look="ghost" disabled={busy} onClick={() => onSubmit(store.value, store.undecided)}>
      {t("Send anyway")}
    </Button>
  );
}

function History({ store, sample }: { readonly store: FormStore; readonly sample: FormProps["sample"] }) {
  useFormVersion(store);
  const t = useSay();
  const example = store.document.exampleValue;
  const load = async () => {
    const value = example ?? (await sample?.());
    if (value !== undefined) store.replace(value);
  };
  return (
    <>
      <IconButton label={t("Undo")} disabled={!store.canUndo} onClick={() => store.undo()}>
        <Undo2 />
      </IconButton>
      <IconButton label={t("Redo")} disabled={!store.canRedo} onClick={() => store.redo()}>
        <Redo2 />
      </IconButton>
      <IconButton
        label={t("Reset to the initial value")}
        disabled={store.value === store.initial}
        onClick={() => store.replace(store.initial)}
      >
        <RotateCcw />
      </IconButton>
      {example === undefined && sample === undefined ? null : (
        <IconButton label={t("Load example")} onClick={() => void load()}>
          <Sparkles />
        </IconButton>
      )}
    </>
  );
}

/** The pointer of the field an element belongs to. */
function pointerOf(target: EventTarget): string {
  const holder = target instanceof Element ? target.closest("[data-pointer]") : null;
  return holder instanceof HTMLElement ? (holder.dataset.pointer ?? "") : "";
}

function inEditor(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.shadowRoot !== null;
}
