/** How bad a problem is: an error keeps a workflow from being published or run, a warning does not. */
type Severity = "error" | "warning";

interface ProblemKind {
  readonly severity: Severity;
  readonly meaning: string;
  readonly fix: string;
}

/** Every code that parsing and validating a workflow can report. docs/workflow-problems.md is made from it. */
export const PROBLEM_CODES = {
  document_not_object: {
    severity: "error",
    meaning: "The document, or a part that must be an object or a list, is something else.",
    fix: "Give an object with `nodes` and `edges`, both lists.",
  },
  document_too_large: {
    severity: "error",
    meaning: "The document is nested too deeply or has too many values, nodes or edges.",
    fix: "Split it into subworkflows, or move large literals into inputs or artifacts.",
  },
  schema_version: {
    severity: "error",
    meaning: "`schemaVersion` names a version that this service does not read.",
    fix: "Use `suite.workflow.v1`, or leave the field out.",
  },
  missing_field: {
    severity: "error",
    meaning: "A field that is needed here is not there.",
    fix: "Add the field.",
  },
  unknown_field: {
    severity: "error",
    meaning: "A field that means nothing here. It would be ignored silently, so it is refused.",
    fix: "Remove the field, or correct its name.",
  },
  bad_field: {
    severity: "error",
    meaning: "A field has the wrong type, or a value outside what is allowed.",
    fix: "Give a value of the kind that the message names.",
  },
  node_id_invalid: {
    severity: "error",
    meaning: "A node has no id, or one that references could not name.",
    fix: "Begin with a letter or `_`; then letters, digits, `_` and `-`; at most 63 characters.",
  },
  node_id_duplicate: {
    severity: "error",
    meaning: "Two nodes of one graph have the same id.",
    fix: "Rename one of them and the edges and references that mean it.",
  },
  node_type_unknown: {
    severity: "error",
    meaning: "A node's type is not one of those that exist.",
    fix: "Use tool, approval, switch, map, transform, wait, handoff or subworkflow.",
  },
  start_end_misplaced: {
    severity: "error",
    meaning:
      "There is more than one `start` or `end` node, or one of them is declared twice in different ways.",
    fix: "Keep one `start` and one `end`, or say inputs and outputs on the document only.",
  },
  no_nodes: {
    severity: "error",
    meaning: "There is no step, so there is nothing to run.",
    fix: "Add at least one node.",
  },
  edge_dangling: {
    severity: "error",
    meaning: "An edge begins or ends at a node that does not exist.",
    fix: "Remove the edge, or correct the id.",
  },
  edge_duplicate: {
    severity: "error",
    meaning: "Two edges lead from the same port to the same node, or two edges have the same id.",
    fix: "Remove one of them.",
  },
  port_unknown: {
    severity: "error",
    meaning: "An edge leaves through a port that its node does not have.",
    fix: "Use one of the ports that the message lists.",
  },
  cycle: {
    severity: "error",
    meaning: "Following the edges leads back to where they began. Graphs are acyclic; loops are `map` steps.",
    fix: "Remove one of the edges shown, or use a `map` with `maxItems`.",
  },
  unreachable: {
    severity: "error",
    meaning: "No path leads from a first step to this node, so it can never run.",
    fix: "Connect it, or remove it.",
  },
  switch_no_default: {
    severity: "error",
    meaning: "A switch has no edge for the case that no condition is true.",
    fix: "Add an edge with port `default`.",
  },
  switch_case_duplicate: {
    severity: "error",
    meaning: "Two cases of a switch have the same name.",
    fix: "Rename one of them.",
  },
  switch_case_unwired: {
    severity: "warning",
    meaning: "A case of a switch leads nowhere.",
    fix: "Add an edge with that port, or remove the case.",
  },
  value_tag: {
    severity: "error",
    meaning:
      "A tagged value is malformed: `$ref`, `$expr` and `$literal` stand alone, `$ref` and `$expr` may have a `default`.",
    fix: 'Write `{"$ref": "inputs.name"}`, `{"$expr": "…"}`, or wrap data that looks like a tag in `{"$literal": …}`.',
  },
  looks_like_template: {
    severity: "warning",
    meaning:
      "A text looks like a template or a reference, but texts are never evaluated: it is passed as it is.",
    fix: 'Use `{"$ref": …}` or `{"$expr": …}`; wrap it in `{"$literal": …}` if the text is meant.',
  },
  ref_syntax: {
    severity: "error",
    meaning: "A reference is not written as references are.",
    fix: 'Write the path as in an expression: `inputs.name`, `steps.id.outputs.data.id`, `item`, `index` or `run.id`; other names in brackets: `steps["my-step"].outputs.rows[0]`.',
  },
  ref_unknown_step: {
    severity: "error",
    meaning: "A reference or expression names a step that does not exist in this graph.",
    fix: "Correct the id.",
  },
  ref_not_upstream: {
    severity: "error",
    meaning: "The step that is named may not have run when this value is needed.",
    fix: "Connect it so that every path leads through it, or give the reference a `default`.",
  },
  ref_unknown_input: {
    severity: "error",
    meaning: "A reference or expression names an input that the document does not declare.",
    fix: "Declare it in `inputs`, or correct the name.",
  },
  ref_unknown_path: {
    severity: "error",
    meaning: "The pointer or field does not exist in what the step or input gives.",
    fix: "Use a path that the schema has; the message lists what there is.",
  },
  ref_scope: {
    severity: "error",
    meaning: "`item` and `index` exist only in the body of a map.",
    fix: "Move the value into the body, or reference the map's outputs.",
  },
  expr_syntax: {
    severity: "error",
    meaning: "An expression is not valid CEL.",
    fix: "Correct it at the position that the message shows.",
  },
  expr_type: {
    severity: "error",
    meaning: "An expression combines types that do not go together, or uses something that does not exist.",
    fix: "Convert explicitly, for example `string(inputs.count)`, or correct the name.",
  },
  expr_not_boolean: {
    severity: "error",
    meaning: "A condition gives something other than true or false.",
    fix: "Compare: for example `size(inputs.list) > 0`.",
  },
  expr_forbidden: {
    severity: "error",
    meaning: "An expression uses a function that is refused here, such as `matches`.",
    fix: "Use `contains`, `startsWith`, `endsWith` or `==`.",
  },
  expr_cost: {
    severity: "error",
    meaning: "An expression is too long, too deep, or loops inside loops more than is bounded.",
    fix: "Split it over several transform steps.",
  },
  tool_unknown: {
    severity: "error",
    meaning: "There is no such tool.",
    fix: "Use one of the tools that are listed; the message names the nearest.",
  },
  tool_unavailable: {
    severity: "error",
    meaning: "The connected tool cannot be called: it is quarantined, hidden, or gone from its server.",
    fix: "An admin accepts it at its connection, or the step uses another tool.",
  },
  tool_changed: {
    severity: "error",
    meaning: "The tool's definition is not the one that was chosen (its digest differs).",
    fix: "Look at the tool again and choose it again; that renews `toolDigest`.",
  },
  tool_forbidden: {
    severity: "error",
    meaning: "This tool may not be a step: it would decide approvals, or hide what it calls.",
    fix: "Use an approval step, a subworkflow step, or name the tool itself.",
  },
  argument_missing: {
    severity: "error",
    meaning: "An argument or input that is required is not given.",
    fix: "Add it under `with`.",
  },
  argument_unknown: {
    severity: "error",
    meaning: "The tool or workflow has no such argument.",
    fix: "Remove it, or correct its name.",
  },
  argument_invalid: {
    severity: "error",
    meaning: "A literal does not fit the schema it is given to.",
    fix: "Give a value that the schema allows.",
  },
  argument_type: {
    severity: "error",
    meaning: "What a reference or expression gives cannot fit the argument.",
    fix: "Reference another value, or convert it in an expression.",
  },
  argument_unsure: {
    severity: "warning",
    meaning:
      "What a reference or expression gives fits the argument only sometimes: it can be empty or lack a member.",
    fix: "Reference another value, or choose its fields in a transform or map step.",
  },
  ref_optional: {
    severity: "warning",
    meaning: "What is referenced need not be there, and a run in which it is missing fails at this step.",
    fix: "Give the reference a `default`, or check for it with a switch.",
  },
  ref_fixed_item: {
    severity: "warning",
    meaning: "Inside a map, a fixed item of the very list is referenced: each round gets the same one.",
    fix: "Reference `item`.",
  },
  schema_invalid: {
    severity: "error",
    meaning: "The schema of the inputs or of an approval's form is not a usable JSON Schema of an object.",
    fix: 'Give `{"type": "object", "properties": {…}}`.',
  },
  retry_without_key: {
    severity: "error",
    meaning:
      "A step that writes and is not idempotent is retried without an idempotency key that its target gets, so it could act twice.",
    fix: "Give it an `idempotencyKey`, for a connected operation also its idempotency header in the definition's settings, or remove `retry`.",
  },
  retry_pointless: {
    severity: "warning",
    meaning:
      "A retry that changes nothing: one attempt only, a wait longer than its bound, or a step that cannot fail for a passing reason.",
    fix: "Raise `maxAttempts`, correct the waits, or remove `retry`.",
  },
  destructive_without_approval: {
    severity: "error",
    meaning: "A step with an effect that the policy guards can run without a person having approved.",
    fix: "Put an approval before it and connect it through the port `approved`.",
  },
  approval_shows_nothing: {
    severity: "error",
    meaning:
      "What a destructive step will do is not known when a person approves, so only a title and fixed text could be shown.",
    fix: "Put the approval right before the step, or give it `show` with a reference to what the person has to see.",
  },
  secret_literal: {
    severity: "error",
    meaning: "A literal looks like a credential. Documents are stored, shown and exported.",
    fix: "Remove it, revoke it, and keep it in the settings of the service that needs it.",
  },
  map_items: {
    severity: "error",
    meaning: "The items of a map are not a list, or are more than `maxItems`.",
    fix: "Reference a list, or raise `maxItems`.",
  },
  wait_invalid: {
    severity: "error",
    meaning: "A wait has a literal that is not a time, is too long, or does not say what it waits for.",
    fix: "Give milliseconds of at most a year, an ISO 8601 time, the name of a signal, or an event and a filter.",
  },
  approval_unmeetable: {
    severity: "error",
    meaning:
      "An approval asks for more approvals than it names people and keys, for several with one form, or for the passkey of a key.",
    fix: "Lower `required`, name more approvers, leave the form out, or name people instead of keys.",
  },
  approval_no_question: {
    severity: "warning",
    meaning: "An approval asks nothing: its question is an empty text.",
    fix: "Write the question that the person decides, such as “Publish this article?”.",
  },
  time_conflict: {
    severity: "warning",
    meaning: "Two times contradict each other: one can never take effect.",
    fix: "Make the inner time shorter than the outer one.",
  },
  subworkflow_unknown: {
    severity: "error",
    meaning: "The workflow or version that a step wants to run does not exist or is not published.",
    fix: "Publish it, or correct the id or version.",
  },
  subworkflow_recursive: {
    severity: "error",
    meaning: "A workflow runs itself.",
    fix: "Use a `map`, or another workflow.",
  },
} as const satisfies Record<string, ProblemKind>;

/** A code of the table. */
export type ProblemCode = keyof typeof PROBLEM_CODES;

/** One thing that is wrong with a workflow: what, where, and how to fix it. */
export interface WorkflowProblem {
  readonly code: ProblemCode;
  readonly severity: Severity;
  /** JSON Pointer into the document as it was given. */
  readonly pointer: string;
  readonly message: string;
  readonly fix: string;
}

/** Makes a problem; severity and the usual fix come from the table. */
export function problem(code: ProblemCode, pointer: string, message: string, fix?: string): WorkflowProblem {
  const kind = PROBLEM_CODES[code];
  return { code, severity: kind.severity, pointer, message, fix: fix ?? kind.fix };
}

/** One segment of a JSON Pointer, escaped. */
export function segment(key: string | number): string {
  const text = String(key);
  return /[~/]/.test(text) ? `/${text.replaceAll("~", "~0").replaceAll("/", "~1")}` : `/${text}`;
}

/** A text from outside as it appears in a message: quoted, short, one line. */
export function quoted(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  return JSON.stringify(short);
}

/** A value as it appears in a message: its JSON, cut short. */
export function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** True when none of the problems is an error. */
export function isSound(problems: readonly WorkflowProblem[]): boolean {
  return problems.every((item) => item.severity !== "error");
}
