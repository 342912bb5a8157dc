import { isList, type Json } from "../../kernel/json.ts";
import type { Effect } from "../../ports/definitions.ts";
import { compileExpression } from "../expressions.ts";
import { problem, quoted } from "../problems.ts";
import { isGraphBody, type Policy, type WorkflowNode } from "../schema.ts";
import { classify, parseReference } from "../values.ts";
import { placeOf, type GraphContext } from "./context.ts";

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
    const { effect, idempotent, openWorld } = tool;
    // A key counts only where the target gets it: our own tools do, and operations with an idempotency header, which
    // are idempotent by it.
    const keyed = callee.idempotencyKey !== undefined && !openWorld;
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
      ? `${quoted(call.tool)} takes no idempotency key, so the step's key reaches nothing and a retry could act twice. An admin can name its idempotency header in the definition's settings.`
      : `${quoted(call.tool)} writes and could act twice when it is tried again.`;
  problems.push(problem("retry_without_key", pointer, text));
}

function checkGuard(context: GraphContext, node: WorkflowNode, guarded: boolean): void {
  const call = callOf(context, node);
  if (call === null || guarded || !needsApproval(call.effect, context.shared.document.policy)) return;
  const text = `${quoted(call.tool)} is ${call.effect} and can run without an approval.`;
  context.shared.problems.push(problem("destructive_without_approval", placeOf(context, node), text));
}

/** Of the approvals before a destructive call at least one shows an argument of it, or what its author chose. */
function checkShown(context: GraphContext, node: WorkflowNode, index: number): void {
  const call = callOf(context, node);
  if (node.type !== "tool" || call?.effect !== "destructive" || Object.keys(node.with ?? {}).length === 0)
    return;
  const before = context.graph.nodes.flatMap((one, at) => {
    const later = one.type === "approval" ? stepsAfter(context, at) : null;
    return one.type === "approval" && later?.has(index) === true ? [{ approval: one, later }] : [];
  });
  const shows = ({ approval, later }: (typeof before)[number]): boolean =>
    approval.approval.show !== undefined || isKnownInPart(context, node.with ?? {}, later);
  const [first] = before;
  if (first === undefined || before.some(shows)) return;
  const text = `The approval before ${quoted(call.tool)} would show only its title: every argument of the call comes from a step that runs after the approval.`;
  context.shared.problems.push(
    problem("approval_shows_nothing", `${placeOf(context, first.approval)}/approval`, text),
  );
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

/** Whether something of a value is known before these steps have run. Transforms are computed ahead. */
function isKnownInPart(context: GraphContext, value: Json, later: ReadonlySet<number>): boolean {
  if (value === null || typeof value !== "object") return true;
  if (isList(value)) return value.some((item) => isKnownInPart(context, item, later));
  const waits = (id: string): boolean => {
    const at = context.graph.indexOf.get(id);
    return at !== undefined && later.has(at) && context.graph.nodes[at]?.type !== "transform";
  };
  const tagged = classify(value);
  if (tagged.kind === "plain")
    return Object.values(value).some((item) => item !== undefined && isKnownInPart(context, item, later));
  if (tagged.kind === "ref") {
    const reference = parseReference(tagged.ref);
    return reference?.root !== "steps" || !waits(reference.step);
  }
  const compiled = tagged.kind === "expr" ? compileExpression(tagged.expr) : null;
  return compiled?.ok !== true || ![...compiled.expression.steps].some(waits);
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

/** An approval that can only be left as approved: where it has surely ended, somebody approved. */
function isBinding(context: GraphContext, node: WorkflowNode, index: number): boolean {
  if (node.type !== "approval") return false;
  return (context.graph.out[index] ?? []).every((edge) => context.graph.edges[edge]?.port === "approved");
}
