import { useEffect, useMemo } from "react";
import type { FieldProblem, FormStore } from "@workflow-ui/forms";

/** Decides when problems are looked for and which of them are shown. */
export interface Checker {
  /** The form is about to be used: fetches the validator, so that checks work offline too. */
  readonly prepare: () => void;
  /** The person left a field: its problems may be shown from now on. */
  readonly touch: (pointer: string) => void;
  /** Looks for every problem and shows them all. */
  readonly checkAll: () => Promise<CheckResult>;
  /** True once everything was asked for; from then on all problems are shown. */
  readonly asked: () => boolean;
}

/** What a look at the whole value found. */
interface CheckResult {
  readonly problems: readonly FieldProblem[];
  /** Why there may be other problems; "" when everything was decided. */
  readonly undecided: string;
}

const CALM_MS = 220;

/** Checks the value a moment after the last change, never while a key is down. */
export function useChecker(store: FormStore): Checker {
  const checker = useMemo(() => createChecker(store), [store]);
  useEffect(() => checker.follow(), [checker]);
  return checker;
}

function createChecker(store: FormStore): Checker & { readonly follow: () => () => void } {
  const touched = new Set<string>();
  let all = false;
  let seen: unknown = store.value;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = 0;
  const look = async (): Promise<CheckResult> => {
    clearTimeout(timer);
    turn += 1;
    const mine = turn;
    const { validateInWorker } = await import("@workflow-ui/forms/check");
    const { problems: wrong, reason = "" } = await validateInWorker(store.document, store.value);
    const drafts = [...store.drafts].map(([pointer, draft]) => ({ pointer, message: draft.problem }));
    const problems = [...drafts, ...wrong];
    const found = { problems, undecided: reason };
    // A later look shows what is true now.
    if (mine !== turn) return found;
    store.setProblems(all ? problems : problems.filter(({ pointer }) => touched.has(pointer)), reason);
    return found;
  };
  const later = () => {
    clearTimeout(timer);
    if (!all && touched.size === 0) return;
    timer = setTimeout(() => void look(), CALM_MS);
  };
  return {
    asked: () => all,
    prepare: () => {
      void import("@workflow-ui/forms/check").catch(() => undefined);
    },
    touch: (pointer) => {
      if (touched.has(pointer)) return;
      touched.add(pointer);
      // Once everything was asked for, only a change is looked at again: what the service found must stay.
      if (!all) later();
    },
    checkAll: () => {
      all = true;
      return look();
    },
    follow: () => {
      const stop = store.subscribeAll(() => {
        if (store.value === seen) return;
        seen = store.value;
        later();
      });
      return () => {
        stop();
        clearTimeout(timer);
      };
    },
  };
}
