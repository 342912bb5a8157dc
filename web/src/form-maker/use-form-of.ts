import type { FormDocument } from "@workflow-ui/forms";
import { useEffect, useMemo, useState } from "react";
import { compileInWorker, formOfPick } from "./ask-worker.ts";
import { compileSmall, type GivenSchema } from "./compile-given.ts";
import type { PastedText } from "./pasted-sources.ts";

/** A form that is there, is being made, or cannot be made. */
export interface MadeForm {
  readonly form: FormDocument | null;
  /** Why there is none. */
  readonly problem: string;
  readonly busy: boolean;
}

const NONE: MadeForm = { form: null, problem: "", busy: false };
const BUSY: MadeForm = { form: null, problem: "", busy: true };

/** The form of a schema: a small one at once, a larger one from the worker. The schema must be kept between calls. */
export function useFormOf(given: GivenSchema | null): MadeForm {
  const small = useMemo(() => (given === null ? null : compileSmall(given)), [given]);
  const made = useMade(small === null ? given : null, compileInWorker);
  return useMemo(() => (small === null ? made : { ...NONE, form: small }), [small, made]);
}

/** One part of a text that a person brought. */
export interface SourcePick {
  readonly own: PastedText;
  readonly id: string;
}

const makePick = ({ own, id }: SourcePick, signal: AbortSignal) => formOfPick(own, id, signal);

/** The form of one part of a text, made in the worker. The pick must be kept between calls. */
export function useFormOfPick(pick: SourcePick | null): MadeForm {
  return useMade(pick, makePick);
}

function useMade<T>(
  wanted: T | null,
  make: (wanted: T, signal: AbortSignal) => Promise<FormDocument>,
): MadeForm {
  const [made, setMade] = useState<{ readonly of: T; readonly result: MadeForm } | null>(null);
  useEffect(() => {
    if (wanted === null) return;
    const stop = new AbortController();
    void make(wanted, stop.signal).then(
      (form) => setMade({ of: wanted, result: { ...NONE, form } }),
      (error: unknown) => {
        const problem = error instanceof Error ? error.message : "No form could be made.";
        if (!stop.signal.aborted) setMade({ of: wanted, result: { ...NONE, problem } });
      },
    );
    return () => stop.abort();
  }, [wanted, make]);
  if (wanted === null) return NONE;
  return made?.of === wanted ? made.result : BUSY;
}
