import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { call, queryClient } from "./operations.ts";
import { session } from "./session.ts";
import type { Suggestion } from "@workflow-ui/forms-react";
import { useExternal } from "../lib/external.ts";
import { ago } from "../lib/format.ts";
import { toolsQuery, type ToolInfo } from "./tools.ts";
import { objectAt, textAt } from "../lib/read.ts";

/** A list is not worth asking for a key. */
const QUIET = { interactive: false };
const NONE: readonly Suggestion[] = [];

/** What an id can be of, and where such ids are listed. */
const LISTS = {
  workflow: async () =>
    (await call("list_workflows", { limit: 100 }, QUIET)).workflows.map(({ id, name }) => option(id, name)),
  run: async () => {
    const [{ runs }, workflows] = await Promise.all([call("list_runs", {}, QUIET), LISTS.workflow()]);
    const names = new Map(workflows.map(({ value, label }) => [value, label]));
    return runs.map((run) =>
      option(
        run.id,
        `${names.get(run.workflowId ?? "") ?? "Run"}, ${run.status.replaceAll("_", " ")}, ${ago(run.createdAt)}`,
      ),
    );
  },
  artifact: async () =>
    (await call("list_artifacts", {}, QUIET)).artifacts.map(({ id, title }) =>
      option(id, title ?? "Private artifact"),
    ),
  template: async () =>
    (await call("list_templates", { limit: 100 }, QUIET)).templates.map(({ id, name }) => option(id, name)),
  approval: async () =>
    (await call("list_approvals", { limit: 100 }, QUIET)).approvals
      .filter(({ status }) => status === "pending")
      .map(({ id, title }) => option(id, typeof title === "string" ? title : "Approval")),
  form: async () =>
    (await call("list_rendered_forms", {}, QUIET)).forms.map(({ id, title }) => option(id, title)),
  tool: async () =>
    (await queryClient.ensureQueryData(toolsQuery)).map(({ name, title }) => option(name, title)),
};

type Kind = keyof typeof LISTS;

function option(value: string, label: string): Suggestion {
  return { value, label };
}

const BY_FIELD: Readonly<Record<string, Kind>> = {
  workflowId: "workflow",
  runId: "run",
  artifactId: "artifact",
  templateId: "template",
  formId: "form",
  toolName: "tool",
};
const BY_TOOL: readonly (readonly [RegExp, Kind])[] = [
  [/workflow_run$/, "run"],
  [/workflow$/, "workflow"],
  [/artifact$/, "artifact"],
  [/template$/, "template"],
  [/(approve|reject)_step$/, "approval"],
  [/rendered_form$/, "form"],
];

/** What the id in a field of a tool is of. */
function kindOf(tool: string, field: string): Kind | undefined {
  if (field === "id") return BY_TOOL.find(([test]) => test.test(tool))?.[1];
  if (field === "name" && tool.endsWith("mcp_tool")) return "tool";
  return BY_FIELD[field];
}

type KindOf = (field: string, schema: unknown) => Kind | undefined;
type Suggesting = (pointer: string) => readonly Suggestion[];

/** Offers the ids that exist for each field of a tool that takes one, with what a person calls them. */
export function useIdSuggestions({ name, server, inputSchema }: ToolInfo): Suggesting {
  const kindIn = useCallback<KindOf>((field) => kindOf(name, field), [name]);
  return useSuggestions(server === "" ? inputSchema : null, kindIn);
}

/** Offers the saved artifacts for each input of a workflow that takes a file. */
export function useFileSuggestions(inputs: object | null): Suggesting {
  return useSuggestions(inputs, fileKind);
}

const fileKind: KindOf = (_field, schema) =>
  textAt(schema, "format") === "artifact" ? "artifact" : undefined;

function useSuggestions(schema: object | null, kindIn: KindOf): Suggesting {
  const { generation } = useExternal(session);
  const kinds = useMemo(
    () =>
      new Map(
        Object.entries(objectAt(schema, "properties")).map(([field, inner]) => [
          `/${field}`,
          kindIn(field, inner),
        ]),
      ),
    [schema, kindIn],
  );
  const wanted = [...new Set(kinds.values())].filter((kind) => kind !== undefined);
  const { data } = useQuery({
    queryKey: ["ids", wanted, generation],
    enabled: wanted.length > 0,
    // A list that cannot be had leaves a field to be typed into.
    queryFn: async () =>
      Object.fromEntries(
        await Promise.all(wanted.map(async (kind) => [kind, await LISTS[kind]().catch(() => NONE)] as const)),
      ),
  });
  return useCallback((pointer) => data?.[kinds.get(pointer) ?? ""] ?? NONE, [kinds, data]);
}
