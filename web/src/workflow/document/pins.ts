import type { Json } from "@workflow-ui/client";
import type { Samples } from "../inspect/scope.ts";
import { external, type External } from "../../lib/external.ts";
import { dropLocal, getLocal, putLocal } from "../../lib/idb.ts";
import { objectAt } from "../../lib/read.ts";

/*
 * Samples that a person pinned to steps. They stay on this device: a result can hold personal data, and a document is
 * exported, published and seen by others.
 */

/** The pinned samples of one workflow, by step. */
export interface Pins extends External<Samples> {
  /** Pins an output to a step; without one the pin is removed. */
  readonly pin: (step: string, output: Json | undefined) => void;
  /** A pin follows when its step gets another id. */
  readonly rename: (from: string, to: string) => void;
  /** The workflow got its id on the server. */
  readonly moved: (from: string, to: string) => void;
}

/** Opens the pins of a workflow. */
export function openPins(workflow: string): Pins {
  let id = workflow;
  const store = external<Samples>(new Map());
  const keep = () => {
    const kept = Object.fromEntries(store.get());
    const done =
      Object.keys(kept).length === 0 ? dropLocal("pins", id) : putLocal("pins", { id, steps: kept });
    void done.catch(() => undefined);
  };
  const change = (next: Iterable<readonly [string, Json]>) => {
    store.set(new Map(next));
    keep();
  };
  const load = async () => {
    const kept = Object.entries(objectAt(await getLocal("pins", id), "steps"));
    if (kept.length > 0)
      store.update(
        (now) => new Map([...kept.map(([step, output]) => [step, output ?? null] as const), ...now]),
      );
  };
  void load().catch(() => undefined);
  return {
    ...store,
    pin: (step, output) => {
      const others = [...store.get()].filter(([name]) => name !== step);
      change(output === undefined ? others : [...others, [step, output]]);
    },
    rename: (from, to) => {
      if (store.get().has(from))
        change([...store.get()].map(([name, output]) => [name === from ? to : name, output]));
    },
    moved: (from, to) => {
      id = to;
      if (store.get().size > 0) keep();
      void dropLocal("pins", from).catch(() => undefined);
    },
  };
}
