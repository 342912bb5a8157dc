import type { WorkflowProblem } from "@workflow-ui/client";

/** The members of a step in the order of its form: what it is, what it does, then what is folded under Advanced. */
const MEMBERS = (
  "title type tool with map approval cases value wait handoff subworkflow description if join retry timeoutMs redact " +
  "idempotencyKey id"
).split(" ");
const WORKFLOW = ["inputs", "outputs", "policy", "edges", "nodes"];
/** The same inside a member, where the order of the document is not that of the form. */
const INNER: Readonly<Record<string, readonly string[]>> = {
  body: ["tool", "with", "nodes", "outputs"],
  map: ["items", "body", "maxItems", "concurrency", "onItemError"],
  approval: ["title", "approvers", "required", "show", "form", "expiresMs", "escalateTo"],
  handoff: ["target", "capability", "intent", "payload"],
};

/**
 * Problems in the order of the form: the steps in theirs, in a step its fields from the top. `fieldsOf` names the
 * arguments that the form of a call shows, in their order.
 */
export function inFormOrder<T extends Pick<WorkflowProblem, "pointer">>(
  problems: readonly T[],
  fieldsOf: (call: string) => readonly string[],
): readonly T[] {
  const places = new Map(problems.map((problem) => [problem, placeOf(problem.pointer, fieldsOf)]));
  const compare = (a: readonly number[] = [], b: readonly number[] = []): number => {
    const at = a.findIndex((part, index) => part !== b[index]);
    return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
  };
  return problems.toSorted((a, b) => compare(places.get(a), places.get(b)));
}

/** Where a pointer leads in the form, part by part; names that the form does not order come after those it does. */
function placeOf(pointer: string, fieldsOf: (call: string) => readonly string[]): readonly number[] {
  const parts = pointer.split("/").slice(1);
  let order: readonly string[] = WORKFLOW;
  return parts.map((part, index) => {
    const place = /^\d+$/.test(part) ? Number(part) : placeIn(order, part);
    if (parts[index - 1] === "nodes") order = MEMBERS;
    else order = part === "with" ? fieldsOf(`/${parts.slice(0, index).join("/")}`) : (INNER[part] ?? order);
    return place;
  });
}

function placeIn(order: readonly string[], name: string): number {
  const at = order.indexOf(name);
  return at < 0 ? order.length : at;
}
