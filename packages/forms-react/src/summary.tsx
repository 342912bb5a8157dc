import { CircleAlert } from "lucide-react";
import { useEffect, useRef, type RefObject } from "react";
import { controlIn } from "./focus.ts";
import { useFormVersion } from "./use-form-store.ts";
import { atMost, type FormStore, labelsTo, MOST_PROBLEMS, problemText } from "@workflow-ui/forms";
import { useSay } from "./settings.ts";
import type { Checker } from "./use-checker.ts";

interface Props {
  readonly store: FormStore;
  readonly checker: Checker;
  readonly box: RefObject<HTMLFormElement | null>;
  readonly onShow: () => void;
}

/** All problems in one list; each leads to its field. Takes the focus when sending was refused. */
export function Summary({ store, checker, box, onShow }: Props) {
  useFormVersion(store);
  const t = useSay();
  const ref = useRef<HTMLDivElement>(null);
  const { problems, undecided } = store;
  const shown = checker.asked() && problems.length > 0;
  useEffect(() => {
    if (shown) ref.current?.focus();
  }, [shown]);
  if (!shown && checker.asked() && undecided !== "")
    return (
      <p role="status" className="mb-4 rounded-xl border border-warn/40 px-4 py-3 text-sm text-ink-2">
        {t("Not checked completely:")} {t(undecided)}
      </p>
    );
  if (!shown) return null;
  const go = (pointer: string) => {
    onShow();
    store.reveal(pointer);
    // Two frames: one to draw what was revealed, one to lay it out.
    requestAnimationFrame(() => requestAnimationFrame(() => focusField(box.current, pointer)));
  };
  return (
    <div
      ref={ref}
      data-problems
      tabIndex={-1}
      role="alert"
      className="mb-4 rounded-xl border border-bad/35 bg-bad-soft px-4 py-3 outline-none"
    >
      <p className="flex items-center gap-2 font-semibold text-bad">
        <CircleAlert aria-hidden className="size-4" />
        {t(problems.length === 1 ? "1 problem" : `${atMost(problems.length, MOST_PROBLEMS)} problems`)}
      </p>
      <ul className="mt-1.5 space-y-0.5 text-sm">
        {problems.slice(0, 12).map((problem) => (
          <li key={`${problem.pointer} ${problem.message}`}>
            <button
              type="button"
              onClick={() => go(problem.pointer)}
              className="text-start underline decoration-bad/40 underline-offset-2 hover:decoration-bad"
            >
              <span className="font-medium">{labelsTo(store.document, problem.pointer)}</span>:{" "}
              {t(problemText(store.document, problem))}
            </button>
          </li>
        ))}
        {problems.length > 12 ? (
          <li className="text-ink-2">
            {t(problems.length < MOST_PROBLEMS ? `and ${problems.length - 12} more` : "and more")}
          </li>
        ) : null}
      </ul>
    </div>
  );
}

/** Focuses the control of a field, or of the nearest one that holds it. */
function focusField(box: HTMLElement | null, pointer: string): void {
  let at = pointer;
  for (;;) {
    const holder = box?.querySelector(`[data-pointer="${CSS.escape(at)}"]`);
    const control = holder === null || holder === undefined ? null : controlIn(holder);
    if (control !== null) {
      control.scrollIntoView({ block: "center" });
      control.focus({ preventScroll: true });
      return;
    }
    if (at === "") return;
    at = at.slice(0, at.lastIndexOf("/"));
  }
}
