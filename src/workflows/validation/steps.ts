import { isList, isObject, type JsonObject } from "../../kernel/json.ts";
import { nearestNames } from "../../kernel/nearest.ts";
import { problem, quoted, type WorkflowProblem } from "../problems.ts";
import {
  LIMITS,
  isGraphBody,
  type ApprovalNode,
  type MapNode,
  type SubworkflowNode,
  type WaitNode,
  type WorkflowNode,
} from "../schema.ts";
import { inlined } from "../schema-types.ts";
import { classify } from "../values.ts";
import { placeOf, type GraphContext, type When } from "./context.ts";
import { schemaFaults } from "./json-schemas.ts";
import { itemSchema } from "./outputs.ts";
import { eventType } from "../../events/catalogue.ts";
import { eventCondition } from "../awaited.ts";
import { checkCondition, checkValue } from "./values.ts";

const TEXT = { schema: { type: "string" }, code: "argument_invalid" } as const;

/** Tools that may not be steps: they decide approvals, or hide what they call from the plan. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  approve_step: "a workflow must not decide its own approvals",
  reject_step: "a workflow must not decide its own approvals",
  execute_mcp_tool: "it hides which tool is called; name that tool itself",
  run_workflow: "it starts a run that nothing waits for; use a subworkflow step",
};

/** Checks one step: its condition, its values against what it calls, and what its type asks for. */
export function checkStepContent(context: GraphContext, index: number, node: WorkflowNode): void {
  const place = placeOf(context, node);
  checkCondition(context, node.if, `${place}/if`, index);
  switch (node.type) {
    case "tool":
      checkCall(context, node.tool, node.toolDigest, node.with, place, index);
      checkValue(context, node.idempotencyKey, `${place}/idempotencyKey`, index, TEXT);
      return;
    case "approval":
      checkApproval(context, node, place, index);
      return;
    case "switch":
      node.cases.forEach(({ when }, number) =>
        checkCondition(context, when, `${place}/cases/${number}/when`, index),
      );
      return;
    case "map":
      checkMap(context, node, place, index);
      return;
    case "transform":
      checkValue(context, node.value, `${place}/value`, index);
      return;
    case "wait":
      checkWait(context, node, place, index);
      return;
    case "handoff": {
      const { intent, payload, inputArtifactIds } = node.handoff;
      checkValue(context, intent, `${place}/handoff/intent`, index, TEXT);
      checkValue(context, payload, `${place}/handoff/payload`, index);
      const ids = { type: "array", items: { type: "string" } };
      checkValue(context, inputArtifactIds, `${place}/handoff/inputArtifactIds`, index, {
        schema: ids,
        code: "argument_invalid",
      });
      checkValue(context, node.idempotencyKey, `${place}/idempotencyKey`, index, TEXT);
      return;
    }
    case "subworkflow":
      checkSubworkflow(context, node, place, index);
      return;
  }
}

/** Checks that a tool exists, is the one that was chosen, and takes these arguments. */
function checkCall(
  context: GraphContext,
  name: string,
  digest: string | undefined,
  given: JsonObject | undefined,
  place: string,
  when: When,
): void {
  const { problems, view } = context.shared;
  const forbidden = Object.hasOwn(FORBIDDEN, name) ? FORBIDDEN[name] : undefined;
  if (forbidden !== undefined) {
    problems.push(
      problem("tool_forbidden", `${place}/tool`, `${quoted(name)} cannot be a step: ${forbidden}.`),
    );
  }
  const tool = view.tool(name);
  if (tool === undefined) {
    problems.push(unknownTool(context, name, `${place}/tool`));
    checkValue(context, given, `${place}/with`, when);
    return;
  }
  if (tool.unavailable !== undefined) {
    const why = {
      quarantined: "its definition is new or changed and waits for an admin to accept it",
      hidden: "an admin has hidden it",
      removed: "its server no longer has it",
    }[tool.unavailable];
    problems.push(problem("tool_unavailable", `${place}/tool`, `${quoted(name)} cannot be called: ${why}.`));
  }
  if (digest !== undefined && digest !== tool.digest) {
    problems.push(
      problem(
        "tool_changed",
        `${place}/toolDigest`,
        `${quoted(name)} is not the tool that was chosen: its definition changed.`,
      ),
    );
  }
  checkValue(context, given ?? {}, `${place}/with`, when, {
    schema: inlined(tool.inputSchema),
    code: "argument_invalid",
  });
}

function unknownTool({ shared }: GraphContext, name: string, pointer: string): WorkflowProblem {
  const text = `There is no tool ${quoted(name)}`;
  const near = shared.hintsLeft-- > 0 ? nearestNames(name, shared.view.names) : [];
  if (near.length === 0) {
    const fix = "Choose a name from list_mcp_tools, or `server:name` of a synced tool.";
    return problem("tool_unknown", pointer, `${text}.`, fix);
  }
  const names = near.map(quoted).join(" or ");
  return problem("tool_unknown", pointer, `${text}; the nearest: ${names}.`, `Use ${names}.`);
}

function checkApproval(context: GraphContext, node: ApprovalNode, place: string, index: number): void {
  const { title, show, form, expiresInMs, dueInMs, reminderMs, escalateMs } = node.approval;
  const { problems } = context.shared;
  checkValue(context, title, `${place}/approval/title`, index, TEXT);
  if (typeof title === "string" && title.trim() === "")
    problems.push(problem("approval_no_question", `${place}/approval/title`, "The question is empty."));
  checkValue(context, show, `${place}/approval/show`, index);
  if (form !== undefined) problems.push(...schemaFaults(form, `${place}/approval/form`));
  problems.push(...requiredFaults(node, `${place}/approval`), ...stepUpFaults(node, `${place}/approval`));
  const times = [
    ["dueInMs", dueInMs],
    ["reminderMs", reminderMs],
    ["escalateMs", escalateMs],
  ] as const;
  for (const [name, ms] of times) {
    if (ms === undefined || expiresInMs === undefined || ms < expiresInMs) continue;
    problems.push(
      problem("time_conflict", `${place}/approval/${name}`, "The approval expires before this time."),
    );
  }
}

/** Several approvals need as many deciders; a form has one set of values, so one person fills it in. */
function requiredFaults(
  { approval: { required = 1, approvers = [], escalateTo = [], form } }: ApprovalNode,
  place: string,
): readonly WorkflowProblem[] {
  if (required === 1) return [];
  const faults: WorkflowProblem[] = [];
  if (form !== undefined) {
    const text = `${required} people would each fill in the form; an approval with a form is decided by one.`;
    faults.push(problem("approval_unmeetable", `${place}/required`, text));
  }
  const named = new Set([...approvers, ...escalateTo].map((entry) => entry.toLowerCase()));
  const isOpen = approvers.length === 0 || [...named].some((entry) => /^(?:role|group):/.test(entry));
  if (!isOpen && named.size < required) {
    const text = `${required} must approve, and ${named.size} ${named.size === 1 ? "is" : "are"} named.`;
    faults.push(problem("approval_unmeetable", `${place}/required`, text));
  }
  return faults;
}

/** Keys have no passkey. */
function stepUpFaults(
  { approval: { stepUp = false, approvers = [], escalateTo = [] } }: ApprovalNode,
  place: string,
): readonly WorkflowProblem[] {
  if (!stepUp) return [];
  return Object.entries({ approvers, escalateTo }).flatMap(([list, entries]) =>
    entries.flatMap((entry, index) => {
      if (entry.includes(":")) return [];
      const text = `\`stepUp\` asks for a passkey, and the key ${quoted(entry)} has none.`;
      return [problem("approval_unmeetable", `${place}/${list}/${index}`, text)];
    }),
  );
}

function checkMap(context: GraphContext, node: MapNode, place: string, index: number): void {
  const { items, maxItems, body } = node.map;
  const pointer = `${place}/map/items`;
  checkValue(context, items, pointer, index, { schema: { type: "array" }, code: "map_items" });
  const tagged = classify(items);
  const literal = tagged.kind === "literal" ? tagged.value : tagged.kind === "plain" ? items : null;
  if (literal !== null && isList(literal) && literal.length > maxItems) {
    context.shared.problems.push(
      problem("map_items", pointer, `There are ${literal.length} items; \`maxItems\` allows ${maxItems}.`),
    );
  }
  if (isGraphBody(body)) return;
  const inner = itemContext(context, node, index);
  checkCall(inner, body.tool, body.toolDigest, body.with, `${place}/map/body`, index);
  checkValue(inner, body.idempotencyKey, `${place}/map/body/idempotencyKey`, index, TEXT);
}

/** The map's own graph, with the item known: for a body that is one tool call. */
function itemContext(context: GraphContext, node: MapNode, index: number): GraphContext {
  return { ...context, outer: { context, node: index, item: itemSchema(context, node, index) } };
}

function checkWait(context: GraphContext, node: WaitNode, place: string, index: number): void {
  const { problems, document } = context.shared;
  const { ms, until, signal, schema, event, filter, timeoutMs } = node.wait;
  const bad = (field: string, text: string): unknown =>
    problems.push(problem("wait_invalid", `${place}/wait/${field}`, text));
  const kinds = [ms, until, signal, event].filter((one) => one !== undefined);
  if (kinds.length !== 1)
    problems.push(
      problem(
        "wait_invalid",
        `${place}/wait`,
        "A wait has exactly one of `ms`, `until`, `signal` and `event`.",
      ),
    );
  if (schema !== undefined && signal === undefined) bad("schema", "Only a signal has a schema.");
  if (timeoutMs !== undefined && signal === undefined && event === undefined)
    bad("timeoutMs", "Only a wait for a signal or an event has a time-out.");
  if (event !== undefined && eventType(event) === undefined)
    bad(
      "event",
      `There is no event ${quoted(event)}; GET /asyncapi.yaml lists them, such as svc.run.succeeded.`,
    );
  if (event !== undefined && filter === undefined)
    bad(
      "filter",
      "Say which event is meant, such as `event.data.id == inputs.id`; `true` takes the first one.",
    );
  if (event === undefined && filter !== undefined) bad("filter", "Only an event has a filter.");
  else if (filter !== undefined)
    checkCondition(context, eventCondition(filter), `${place}/wait/filter`, index);
  if (ms !== undefined) {
    checkValue(context, ms, `${place}/wait/ms`, index, { schema: { type: "number" }, code: "wait_invalid" });
    if (typeof ms === "number" && (ms < 0 || ms > LIMITS.durationMs)) {
      problems.push(
        problem("wait_invalid", `${place}/wait/ms`, `A wait has 0 to ${LIMITS.durationMs} milliseconds.`),
      );
    }
    const most = document.policy.timeoutMs;
    if (typeof ms === "number" && most !== undefined && ms >= most) {
      problems.push(problem("time_conflict", `${place}/wait/ms`, "The run times out before this wait ends."));
    }
  }
  if (until === undefined) return;
  checkValue(context, until, `${place}/wait/until`, index, {
    schema: { type: "string" },
    code: "wait_invalid",
  });
  if (typeof until === "string" && !ISO_TIME.test(until)) {
    problems.push(
      problem("wait_invalid", `${place}/wait/until`, `${quoted(until)} is not an ISO 8601 time.`),
    );
  }
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

function checkSubworkflow(context: GraphContext, node: SubworkflowNode, place: string, index: number): void {
  const { problems, view, workflowId } = context.shared;
  const { workflowId: wanted, version } = node.subworkflow;
  if (wanted === workflowId) {
    problems.push(
      problem("subworkflow_recursive", `${place}/subworkflow/workflowId`, "The workflow runs itself."),
    );
  }
  const child = view.subworkflow(wanted, version);
  if (child === null) {
    const which = version === undefined ? "published version of" : `version ${version} of`;
    problems.push(
      problem("subworkflow_unknown", `${place}/subworkflow`, `There is no ${which} ${quoted(wanted)}.`),
    );
  }
  const schema = isObject(child) ? inlined(child.inputs) : null;
  checkValue(context, node.with ?? {}, `${place}/with`, index, { schema, code: "argument_invalid" });
}
