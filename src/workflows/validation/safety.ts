import { isList, type Json, type JsonObject } from "../../kernel/json.ts";
import type { Effect } from "../../ports/definitions.ts";
import { compileExpression } from "../expressions.ts";
import { problem, quoted } from "../problems.ts";
import { isGraphBody, type Policy, type WorkflowNode } from "../schema.ts";
import { classify, parseReference } from "../values.ts";
import { findStep, placeOf, type GraphContext } from "./context.ts";

/** Checks what a step may do to the world: retries, approvals before guarded effects, times. */
export function checkSafety(context: GraphContext, guarded: Uint8Array): void {
  context.graph.nodes.forEach((node, index) => {
    if (context.shared.broken.has(node)) return;
    checkRetry(context, node);
    checkGuard(context, node, guarded[index] === 1);
    checkShown(context, node, index);
    const { timeoutMs } = context.shared.document.policy;
    if (node.timeoutMs !== undefined && timeoutMs !== undefined && node.timeoutMs >= timeoutMs) {
      const text = "One try of this step may take as long as the whole run.";
      context.shared.problems.push(problem("time_conflict", `${placeOf(context, node)}/timeoutMs`, text));
    }
  });
}

interface Call {
  readonly tool: string;
  readonly effect: Effect;
  readonly idempotent: boolean;
  readonly keyed: boolean;
  /** The step has a key that its target does not get. */
  readonly isLost?: boolean;
}

/** The calls a node makes by itself; the nodes of a body that is a graph are looked at on their own. */
function callOf(context: GraphContext, node: WorkflowNode): Call | null {
  const callee =
    node.type === "tool" ? node : node.type === "map" && !isGraphBody(node.map.body) ? node.map.body : null;
  if (callee !== null) {
    const tool = context.shared.view.tool(callee.tool);
    if (tool === undefined) return null;
    const { effect, idempotent } = tool;
    // A key counts only where the target gets it: some of our own tools do, and operations with an idempotency header,
    // which are idempotent by it.
    const keyed = callee.idempotencyKey !== undefined && tool.keyed === true;
    return { tool: callee.tool, effect, idempotent, keyed, isLost: callee.idempotencyKey !== undefined };
  }
  if (node.type === "subworkflow") {
    const { workflowId, version } = node.subworkflow;
    const child = context.shared.view.subworkflow(workflowId, version);
    // One that cannot be read is a problem of its own, which stops the run.
    if (!child) return null;
    return { tool: workflowId, effect: child.effect, idempotent: false, keyed: true };
  }
  if (node.type !== "handoff" || node.handoff.dryRun === true) return null;
  // A handoff always carries a key that stays the same over its attempts.
  return { tool: `handoff to ${node.handoff.target}`, effect: "external", idempotent: false, keyed: true };
}

function checkRetry(context: GraphContext, node: WorkflowNode): void {
  const { problems, document } = context.shared;
  const place = placeOf(context, node);
  const own = node.retry;
  const works = node.type === "tool" || node.type === "handoff" || node.type === "map";
  if (own !== undefined) {
    const { maxAttempts, backoffMs, maxBackoffMs } = own;
    if (!works) {
      problems.push(
        problem("retry_pointless", `${place}/retry`, `A ${node.type} step fails the same way each time.`),
      );
    } else if (maxAttempts === 1) {
      problems.push(problem("retry_pointless", `${place}/retry/maxAttempts`, "One attempt is no retry."));
    } else if (backoffMs !== undefined && maxBackoffMs !== undefined && backoffMs > maxBackoffMs) {
      problems.push(
        problem("retry_pointless", `${place}/retry/backoffMs`, "The wait is longer than its bound."),
      );
    }
  }
  const retry = own ?? (works ? document.policy.retry : undefined);
  const call = callOf(context, node);
  if (call === null || retry === undefined || retry.maxAttempts < 2) return;
  if (call.effect === "none" || call.idempotent || call.keyed) return;
  const pointer = own === undefined ? place : `${place}/retry`;
  const text =
    call.isLost === true
      ? `${quoted(call.tool)} takes no idempotency key, so the step's key reaches nothing and a retry could act twice.${call.tool.includes(":") ? " An admin can name its idempotency header in the definition's settings." : ""}`
      : `${quoted(call.tool)} writes and could act twice when it is tried again.`;
  problems.push(problem("retry_without_key", pointer, text));
}

function checkGuard(context: GraphContext, node: WorkflowNode, guarded: boolean): void {
  const call = callOf(context, node);
  if (call === null || guarded || !needsApproval(call.effect, context.shared.document.policy)) return;
  const text = `${quoted(call.tool)} is ${call.effect} and can run without an approval.`;
  context.shared.problems.push(problem("destructive_without_approval", placeOf(context, node), text));
}

/** Of the approvals before a destructive call at least one shows something that tells it from another such call. */
function checkShown(context: GraphContext, node: WorkflowNode, index: number): void {
  const call = callOf(context, node);
  const given = argumentsOf(node);
  if (call?.effect !== "destructive" || Object.keys(given).length === 0) return;
  const items = node.type === "map" ? node.map.items : null;
  const before = approvalsBefore(context, index);
  const shows = ({ approval, ...moment }: Moment & { readonly approval: ApprovalNode }): boolean => {
    const { show } = approval.approval;
    if (show !== undefined && taggedIn(show).length > 0) return true;
    const tagged = taggedIn(given);
    return tagged.length === 0 || tagged.some((value) => isKnown({ context, items }, value, moment));
  };
  const [first] = before;
  if (first === undefined || before.some(shows)) return;
  const text = `The approval before ${quoted(call.tool)} would show only its title and fixed text: what differs from run to run comes from steps that run after the approval.`;
  context.shared.problems.push(
    problem("approval_shows_nothing", `${placeOf(first.context, first.approval)}/approval`, text),
  );
}

function argumentsOf(node: WorkflowNode): JsonObject {
  if (node.type === "map") return isGraphBody(node.map.body) ? {} : (node.map.body.with ?? {});
  return node.type === "tool" || node.type === "subworkflow" ? (node.with ?? {}) : {};
}

type ApprovalNode = Extract<WorkflowNode, { type: "approval" }>;

/** When an approval is asked: its graph, and the steps that it leads to. */
interface Moment {
  readonly context: GraphContext;
  readonly later: ReadonlySet<number>;
}

/** The approvals before a step in its graph, and in the graphs around it. */
function approvalsBefore(
  context: GraphContext,
  index: number,
): readonly (Moment & { readonly approval: ApprovalNode })[] {
  const here = context.graph.nodes.flatMap((one, at) => {
    const later = one.type === "approval" ? stepsAfter(context, at) : null;
    return one.type === "approval" && later?.has(index) === true ? [{ approval: one, context, later }] : [];
  });
  const { outer } = context;
  return outer === null ? here : [...here, ...approvalsBefore(outer.context, outer.node)];
}

/** The steps that an approval leads to. */
function stepsAfter({ graph }: GraphContext, approval: number): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [approval];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const edge of graph.out[at] ?? []) {
      const to = graph.to[edge] ?? -1;
      if (!found.has(to)) open.push(to);
      found.add(to);
    }
  }
  return found;
}

/** The references and expressions in a value. */
function taggedIn(value: Json): readonly JsonObject[] {
  if (value === null || typeof value !== "object") return [];
  if (isList(value)) return value.flatMap(taggedIn);
  const { kind } = classify(value);
  if (kind === "literal") return [];
  if (kind !== "plain") return [value];
  return Object.values(value).flatMap((item) => (item === undefined ? [] : taggedIn(item)));
}

/** Where a value stands; `items` are those of the map whose call it is given to. */
interface Place {
  readonly context: GraphContext;
  readonly items: Json | null;
}

/** Whether a reference or an expression is known when an approval is asked. Transforms are computed ahead. */
function isKnown(place: Place, value: JsonObject, moment: Moment): boolean {
  const tagged = classify(value);
  if (tagged.kind === "ref") {
    const reference = parseReference(tagged.ref);
    if (reference?.root === "item") return isItemKnown(place, moment);
    return reference?.root !== "steps" || isStepKnown(place.context, reference.step, moment);
  }
  const compiled = tagged.kind === "expr" ? compileExpression(tagged.expr) : null;
  if (compiled?.ok !== true) return true;
  const { steps, usesItem } = compiled.expression;
  return (
    [...steps].every((id) => isStepKnown(place.context, id, moment)) &&
    (!usesItem || isItemKnown(place, moment))
  );
}

function isStepKnown(context: GraphContext, id: string, moment: Moment): boolean {
  const found = findStep(context, id, "end");
  if (found === null) return true;
  const { graph } = found.context;
  const isLater =
    found.context === moment.context ? moment.later.has(found.node) : isWithin(found.context, moment);
  if (!isLater) return true;
  const node = graph.nodes[found.node];
  if (node?.type !== "transform") return false;
  return taggedIn(node.value).every((value) =>
    isKnown({ context: found.context, items: null }, value, moment),
  );
}

function isItemKnown({ context, items }: Place, moment: Moment): boolean {
  const all = (around: GraphContext, value: Json): boolean =>
    taggedIn(value).every((one) => isKnown({ context: around, items: null }, one, moment));
  if (items !== null) return all(context, items);
  // An approval in the same body, or further in, is asked for each item.
  if (context.outer === null || !isWithin(context, moment)) return true;
  const map = context.outer.context.graph.nodes[context.outer.node];
  return map?.type !== "map" || all(context.outer.context, map.map.items);
}

/** Whether a graph is part of a step of the graph in which the approval is. */
function isWithin({ outer }: GraphContext, moment: Moment): boolean {
  return outer !== null && (outer.context === moment.context || isWithin(outer.context, moment));
}

/** True when the policy wants a person's approval before this effect. */
export function needsApproval(effect: Effect, policy: Policy): boolean {
  const rule = policy.requireApproval ?? "destructive";
  if (rule === "none" || effect === "none") return false;
  return rule === "writes" || effect === "destructive";
}

/** Which nodes run only after a person has approved, on every path. `inherited` holds for the body of a guarded map. */
export function approvedBefore(context: GraphContext, inherited: boolean): Uint8Array {
  const { graph, order, certainty } = context;
  const guarded = new Uint8Array(graph.nodes.length).fill(inherited ? 1 : 0);
  if (inherited) return guarded;
  const binding = graph.nodes.flatMap((node, index) => (isBinding(context, node, index) ? [index] : []));
  for (const index of order) {
    const incoming = graph.in[index] ?? [];
    const byEdges =
      incoming.length > 0 &&
      incoming.every((edge) => {
        const source = graph.from[edge] ?? -1;
        return (
          guarded[source] === 1 ||
          (graph.nodes[source]?.type === "approval" && graph.edges[edge]?.port === "approved")
        );
      });
    const bySurely = certainty !== null && binding.some((approval) => certainty.ran(approval, index));
    if (byEdges || bySurely) guarded[index] = 1;
  }
  return guarded;
}

/** An approval that can only be left as approved: where it has surely ended, it was approved. */
function isBinding(context: GraphContext, node: WorkflowNode, index: number): boolean {
  if (node.type !== "approval") return false;
  return (context.graph.out[index] ?? []).every((edge) => context.graph.edges[edge]?.port === "approved");
}
