import type { Json, JsonObject } from "@workflow-ui/client";
import { FormStore, wireText } from "@workflow-ui/forms";
import { Form } from "@workflow-ui/forms-react";
import { useEffect, useMemo, type ReactNode } from "react";
import { useOperation } from "../../api/operations.ts";
import { useFormOf } from "../../form-maker/use-form-of.ts";
import type { Graph } from "../../workflow/document/model.ts";
import { graphOf } from "../../workflow/document/read-graph.ts";
import { useGraphTools } from "../../workflow/inspect/step-tools.ts";

/** The schema of what a step of a run is given: null where it calls no tool that is known, undefined until that is clear. */
export function useStepSchema(runId: string, stepId: string): JsonObject | null | undefined {
  const ran = useOperation("get_run_document", { id: runId });
  const graph = useMemo(() => graphOf(ran.data), [ran.data]);
  const { tools, ready } = useGraphTools(graph.nodes);
  if (ran.isPending || !ready) return undefined;
  const name = toolOf(graph, stepId);
  return tools.find((tool) => tool.name === name)?.inputSchema ?? null;
}

/** The tool that a step calls: `map[3]` and `map[3].inner` are in the body of a map. */
function toolOf({ nodes }: Graph, stepId: string): string | undefined {
  const [, top = stepId, item, inner] = /^([^[.]+)(\[\d+\])?(?:\.(.+))?$/.exec(stepId) ?? [];
  const node = nodes.find(({ id }) => id === top);
  if (item === undefined) return node?.tool;
  const body = node?.map?.body;
  return inner === undefined ? body?.tool : body?.nodes?.find(({ id }) => id === inner)?.tool;
}

interface Props {
  readonly schema: JsonObject;
  readonly value: Json;
  /** What the form holds now, as JSON; "" while a field holds what is no value. */
  readonly onChange: (text: string) => void;
  /** What is shown where no form can be made. */
  readonly otherwise: ReactNode;
}

/** The input of a step as the form of the tool that takes it. */
export function StepInput({ schema, value, onChange, otherwise }: Props) {
  const given = useMemo(() => ({ schema, formId: "step-input", title: "Input" }), [schema]);
  const { form, busy } = useFormOf(given);
  const store = useMemo(() => (form === null ? null : new FormStore(form, value)), [form, value]);
  useEffect(() => {
    if (store === null) return undefined;
    let last = wireText(store.value);
    return store.subscribeAll(() => {
      const text = store.drafts.size > 0 ? "" : wireText(store.value);
      if (text !== last) onChange((last = text));
    });
  }, [store, onChange]);
  if (store === null) return busy ? <p>Loading…</p> : otherwise;
  return <Form store={store} />;
}
