import type { JsonObject, Json, DryRun, InputOf } from "@workflow-ui/client";
import { isJsonRecord } from "#kernel/json.ts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { session as keySession } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { objectAt } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { NO_DRY_RUN, shownOf, withStep, type ShownDryRun } from "./shown-dry-run.ts";
import type { Samples } from "./inspect/scope.ts";
import type { EditSession } from "./document/session.ts";
import { graphCall } from "./use-verdict.ts";
import { call } from "../api/operations.ts";
import type { DraftNode } from "./document/model.ts";
import { errorText } from "../lib/error-text.ts";

/** Trying a workflow before it runs: dry runs of all of it, of what leads to a step, and of one step. */
export interface DryRunner {
  readonly shown: ShownDryRun;
  readonly pins: Samples;
  /** Known results by step: of the last run, of the dry run after it, and what is pinned above all. */
  readonly samples: Samples;
  /** `*` while the whole is tried, else the step that is. */
  readonly busy: string;
  readonly run: (inputs: JsonObject) => Promise<boolean>;
  readonly runUntil: (step: string) => Promise<boolean>;
  /** Dry-runs one step with the arguments given. */
  readonly runStep: (node: DraftNode, args: JsonObject) => Promise<boolean>;
  readonly pin: (step: string, output: Json | undefined) => void;
  readonly clear: () => void;
}

/** What the dry runs of a workflow have shown so far, and how to start one. */
export function useDryRunner(session: EditSession): DryRunner {
  const [shown, setShown] = useState<ShownDryRun>(NO_DRY_RUN);
  const trying = useMutation({
    mutationFn: ({ work }: { readonly what: string; readonly work: () => Promise<void> }) => work(),
    onError: (error) => toast("bad", "The dry run did not happen", errorText(error)),
  });
  const { mutateAsync } = trying;
  const busy = trying.isPending ? trying.variables.what : "";
  const pins = useExternal(session.pins);
  const last = useLastRun(useExternal(session.id));
  const samples = useMemo(() => new Map([...last, ...shown.samples, ...pins]), [last, shown, pins]);
  return useMemo(() => {
    const attempt = (what: string, work: () => Promise<void>): Promise<boolean> =>
      mutateAsync({ what, work }).then(
        () => true,
        () => false,
      );
    const dry = async (inputs: JsonObject, more: JsonObject): Promise<ShownDryRun> => {
      const { args, meta } = graphCall(session.store.get().graph);
      const id = session.id.get();
      const known = id.startsWith("draft_") || !keySession.get().keyed ? {} : { id };
      return shownOf(
        await ask({ ...known, ...args, inputs }, { ...meta, ...more, ...samplesMeta(session.pins.get()) }),
      );
    };
    return {
      shown,
      pins,
      samples,
      busy,
      run: (inputs) => attempt("*", async () => setShown(await dry(inputs, {}))),
      runUntil: (step) =>
        attempt(step, async () =>
          setShown(await dry(objectAt(shown.samples.get("inputs")), { "svc/until": step })),
        ),
      runStep: (node, args) =>
        attempt(node.id, async () => {
          const { nodes, meta } = oneStep(node, args);
          const found = shownOf(await ask({ nodes, edges: [] }, meta));
          setShown((before) => withStep(before, found, node.id));
        }),
      pin: session.pins.pin,
      clear: () => setShown(NO_DRY_RUN),
    };
  }, [session, shown, pins, samples, busy, mutateAsync]);
}

function ask(args: InputOf<"dry_run_workflow">, meta: JsonObject): Promise<DryRun> {
  return track(
    "Dry run",
    (signal) => call("dry_run_workflow", args, { meta, signal, interactive: false }),
    () => ({ ok: true, note: "Nothing was written" }),
  );
}

function samplesMeta(pins: Samples): JsonObject {
  return pins.size === 0 ? {} : { "svc/samples": Object.fromEntries(pins) };
}

/** A step on its own: its arguments as they are, no condition, and no approval before it, since nothing is written. */
function oneStep(
  node: DraftNode,
  args: JsonObject,
): { readonly nodes: readonly Json[]; readonly meta: JsonObject } {
  const { id, type, title, tool } = node;
  const given = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { $literal: value }]));
  return {
    nodes: [{ id, type, title, tool, with: given }],
    meta: { "svc/document": { policy: { requireApproval: "none" } } },
  };
}

const NOTHING: Samples = new Map();

/** The results of the last run of a stored workflow that succeeded, by step. */
function useLastRun(id: string): Samples {
  const { generation, keyed } = useExternal(keySession);
  const found = useQuery({
    queryKey: ["last-run-samples", id, generation],
    enabled: keyed && !id.startsWith("draft_"),
    queryFn: async ({ signal }): Promise<Samples> => {
      const input = { workflowId: id, status: "succeeded", limit: 20 };
      const { runs } = await call("list_runs", input, { signal });
      const newest = runs.find(({ kind }) => kind === "run");
      if (newest === undefined) return NOTHING;
      const { run } = await call("get_run", { id: newest.id }, { signal });
      const samples = new Map<string, Json>([["inputs", run.inputs ?? {}]]);
      for (const step of run.steps) if (isJsonRecord(step.output)) samples.set(step.id, step.output);
      return samples;
    },
  });
  return found.data ?? NOTHING;
}
