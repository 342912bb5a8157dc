/** How bad a problem is: an error keeps a workflow from being published or run, a warning does not. */
type Severity = "error" | "warning";

interface ProblemKind {
  readonly severity: Severity;
  readonly meaning: string;
  readonly fix: string;
}

function error(meaning: string, fix: string): ProblemKind {
  return { severity: "error", meaning, fix };
}

function warning(meaning: string, fix: string): ProblemKind {
  return { severity: "warning", meaning, fix };
}

/** Every code that parsing and validating a workflow can report. docs/workflow-problems.md is made from it. */
export const PROBLEM_CODES = {
  document_not_object: error(
    "The document, or a part that must be an object or a list, is something else.",
    "Give an object with `nodes` and `edges`, both lists.",
  ),
  document_too_large: error(
    "The document is nested too deeply or has too many values, nodes or edges.",
    "Split it into subworkflows, or move large literals into inputs or artifacts.",
  ),
  schema_version: error(
    "`schemaVersion` names a version that this service does not read.",
    "Use `suite.workflow.v1`, or leave the field out.",
  ),
  missing_field: error("A field that is needed here is not there.", "Add the field."),
  unknown_field: error(
    "A field that means nothing here. It would be ignored silently, so it is refused.",
    "Remove the field, or correct its name.",
  ),
  bad_field: error(
    "A field has the wrong type, or a value outside what is allowed.",
    "Give a value of the kind that the message names.",
  ),
  node_id_invalid: error(
    "A node has no id, or one that references could not name.",
    "Begin with a letter or `_`; then letters, digits, `_` and `-`; at most 63 characters.",
  ),
  node_id_duplicate: error(
    "Two nodes of one graph have the same id.",
    "Rename one of them and the edges and references that mean it.",
  ),
  node_type_unknown: error(
    "A node's type is not one of those that exist.",
    "Use tool, approval, switch, map, transform, wait, handoff or subworkflow.",
  ),
  start_end_misplaced: error(
    "There is more than one `start` or `end` node, or one of them is declared twice in different ways.",
    "Keep one `start` and one `end`, or say inputs and outputs on the document only.",
  ),
  no_nodes: error("There is no step, so there is nothing to run.", "Add at least one node."),
  edge_dangling: error(
    "An edge begins or ends at a node that does not exist.",
    "Remove the edge, or correct the id.",
  ),
  edge_duplicate: error(
    "Two edges lead from the same port to the same node, or two edges have the same id.",
    "Remove one of them.",
  ),
  port_unknown: error(
    "An edge leaves through a port that its node does not have.",
    "Use one of the ports that the message lists.",
  ),
  cycle: error(
    "Following the edges leads back to where they began. Graphs are acyclic; loops are `map` steps.",
    "Remove one of the edges shown, or use a `map` with `maxItems`.",
  ),
  unreachable: error(
    "No path leads from a first step to this node, so it can never run.",
    "Connect it, or remove it.",
  ),
  switch_no_default: error(
    "A switch has no edge for the case that no condition is true.",
    "Add an edge with port `default`.",
  ),
  switch_case_duplicate: error("Two cases of a switch have the same name.", "Rename one of them."),
  switch_case_unwired: warning(
    "A case of a switch leads nowhere.",
    "Add an edge with that port, or remove the case.",
  ),
  value_tag: error(
    "A tagged value is malformed: `$ref`, `$expr` and `$literal` stand alone, `$ref` and `$expr` may have a `default`.",
    'Write `{"$ref": "inputs.name"}`, `{"$expr": "…"}`, or wrap data that looks like a tag in `{"$literal": …}`.',
  ),
  looks_like_template: warning(
    "A text looks like a template or a reference, but texts are never evaluated: it is passed as it is.",
    'Use `{"$ref": …}` or `{"$expr": …}`; wrap it in `{"$literal": …}` if the text is meant.',
  ),
  ref_syntax: error(
    "A reference is not written as references are.",
    'Write the path as in an expression: `inputs.name`, `steps.id.outputs.data.id`, `item`, `index` or `run.id`; other names in brackets: `steps["my-step"].outputs.rows[0]`.',
  ),
  ref_unknown_step: error(
    "A reference or expression names a step that does not exist in this graph.",
    "Correct the id.",
  ),
  ref_not_upstream: error(
    "The step that is named may not have run when this value is needed.",
    "Connect it so that every path leads through it, or give the reference a `default`.",
  ),
  ref_unknown_input: error(
    "A reference or expression names an input that the document does not declare.",
    "Declare it in `inputs`, or correct the name.",
  ),
  ref_unknown_path: error(
    "The pointer or field does not exist in what the step or input gives.",
    "Use a path that the schema has; the message lists what there is.",
  ),
  ref_scope: error(
    "`item` and `index` exist only in the body of a map.",
    "Move the value into the body, or reference the map's outputs.",
  ),
  expr_syntax: error("An expression is not valid CEL.", "Correct it at the position that the message shows."),
  expr_type: error(
    "An expression combines types that do not go together, or uses something that does not exist.",
    "Convert explicitly, for example `string(inputs.count)`, or correct the name.",
  ),
  expr_not_boolean: error(
    "A condition gives something other than true or false.",
    "Compare: for example `size(inputs.list) > 0`.",
  ),
  expr_forbidden: error(
    "An expression uses a function that is refused here, such as `matches`.",
    "Use `contains`, `startsWith`, `endsWith` or `==`.",
  ),
  expr_cost: error(
    "An expression is too long, too deep, or loops inside loops more than is bounded.",
    "Split it over several transform steps.",
  ),
  tool_unknown: error(
    "There is no such tool.",
    "Use one of the tools that are listed; the message names the nearest.",
  ),
  tool_unavailable: error(
    "The connected tool cannot be called: it is quarantined, hidden, or gone from its server.",
    "An admin accepts it at its connection, or the step uses another tool.",
  ),
  tool_changed: error(
    "The tool's definition is not the one that was chosen (its digest differs).",
    "Look at the tool again and choose it again; that renews `toolDigest`.",
  ),
  tool_forbidden: error(
    "This tool may not be a step: it would decide approvals, or hide what it calls.",
    "Use an approval step, a subworkflow step, or name the tool itself.",
  ),
  argument_missing: error("An argument or input that is required is not given.", "Add it under `with`."),
  argument_unknown: error("The tool or workflow has no such argument.", "Remove it, or correct its name."),
  argument_invalid: error(
    "A literal is invalid by the schema of its argument.",
    "Give a value that the schema allows.",
  ),
  argument_type: error(
    "What a reference or expression gives is of a type that the argument does not take.",
    "Reference another value, or convert it in an expression.",
  ),
  argument_unsure: warning(
    "What a reference or expression gives fits the argument only sometimes: it can be empty or lack a member.",
    "Reference another value, or choose its fields in a transform or map step.",
  ),
  ref_optional: warning(
    "What is referenced need not be there, and a run in which it is missing fails at this step.",
    "Give the reference a `default`, or check for it with a switch.",
  ),
  ref_fixed_item: warning(
    "Inside a map, a fixed item of the very list is referenced: each round gets the same one.",
    "Reference `item`.",
  ),
  schema_invalid: error(
    "The schema of the inputs or of an approval's form is not a usable JSON Schema of an object.",
    'Give `{"type": "object", "properties": {…}}`.',
  ),
  retry_without_key: error(
    "A step that writes and is not idempotent is retried without an idempotency key that its target gets, so it could act twice.",
    "Give it an `idempotencyKey`, for a connected operation also its idempotency header in the definition's settings, or remove `retry`.",
  ),
  retry_pointless: warning(
    "A retry that changes nothing: one attempt only, a wait longer than its bound, or a step that cannot fail for a passing reason.",
    "Raise `maxAttempts`, correct the waits, or remove `retry`.",
  ),
  destructive_without_approval: error(
    "A step with an effect that the policy guards can run without a person having approved.",
    "Put an approval before it and connect it through the port `approved`.",
  ),
  approval_shows_nothing: error(
    "What a destructive step will do is not known when a person approves, so only a title and fixed text could be shown.",
    "Put the approval right before the step, or give it `show` with a reference to what the person has to see.",
  ),
  secret_literal: error(
    "A literal looks like a credential. Documents are stored, shown and exported.",
    "Remove it, revoke it, and keep it in the settings of the service that needs it.",
  ),
  map_items: error(
    "The items of a map are not a list, or are more than `maxItems`.",
    "Reference a list, or raise `maxItems`.",
  ),
  wait_invalid: error(
    "A wait has a literal that is not a time, is too long, or does not say what it waits for.",
    "Give milliseconds of at most a year, an ISO 8601 time, the name of a signal, or an event and a filter.",
  ),
  approval_unmeetable: error(
    "An approval asks for more approvals than it names people and keys, for several with one form, or for the passkey of a key.",
    "Lower `required`, name more approvers, leave the form out, or name people instead of keys.",
  ),
  approval_no_question: warning(
    "An approval asks nothing: its question is an empty text.",
    "Write the question that the person decides, such as “Publish this article?”.",
  ),
  time_conflict: warning(
    "Two times contradict each other: one can never take effect.",
    "Make the inner time shorter than the outer one.",
  ),
  subworkflow_unknown: error(
    "The workflow or version that a step wants to run does not exist or is not published.",
    "Publish it, or correct the id or version.",
  ),
  subworkflow_recursive: error("A workflow runs itself.", "Use a `map`, or another workflow."),
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
