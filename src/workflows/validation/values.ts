import type { Json } from "../../kernel/json.ts";
import { nearestNames } from "../../kernel/nearest.ts";
import { compileExpression, type Expression } from "../expressions.ts";
import { checkLiteral } from "../literals.ts";
import { problem, quoted, type ProblemCode } from "../problems.ts";
import { fit, fitText } from "../schema-fit.ts";
import { follow, schemaOfCel, typesOf, typeText, type SchemaOrNull } from "../schema-types.ts";
import { asWritten, classify, parseReference, type Reference, type Tagged } from "../values.ts";
import { findStep, isCertain, type GraphContext, type When } from "./context.ts";
import { typeOfExpression } from "./expression-types.ts";
import { rootSchema, schemaOfValue } from "./outputs.ts";

/** What a value is meant for: the schema it must fit, and the code of a problem when it cannot. */
export interface ExpectedValue {
  readonly schema: SchemaOrNull;
  /** What a literal or reference of the wrong kind is reported as. */
  readonly code: ProblemCode;
  /** Where local references of the schema point. */
  readonly root?: SchemaOrNull;
}

/** Values are not looked at any more once this many problems are known. */
const MAX_PROBLEMS = 5_000;
const ANYTHING: ExpectedValue = { schema: null, code: "argument_invalid" };

/** Checks a value, the references and expressions in it, and that it fits what it is meant for. */
export function checkValue(
  context: GraphContext,
  value: Json | undefined,
  pointer: string,
  when: When,
  wanted: ExpectedValue = ANYTHING,
): void {
  if (value === undefined) return;
  const { problems } = context.shared;
  const misfits = checkLiteral(
    value,
    wanted.schema,
    wanted.root ?? wanted.schema,
    pointer,
    (tagged, schema, place) => {
      const code = wanted.code === "argument_invalid" ? "argument_type" : wanted.code;
      checkTagged(context, tagged, place, when, { schema, code });
    },
  );
  for (const { kind, pointer: place, message } of misfits) {
    const code =
      wanted.code !== "argument_invalid"
        ? wanted.code
        : kind === "missing"
          ? "argument_missing"
          : kind === "unknown"
            ? "argument_unknown"
            : "argument_invalid";
    problems.push(problem(code, place, message));
  }
}

function checkTagged(
  context: GraphContext,
  tagged: Exclude<Tagged, { kind: "plain" }>,
  pointer: string,
  when: When,
  wanted: ExpectedValue,
): void {
  const { problems } = context.shared;
  if (problems.length >= MAX_PROBLEMS) return;
  if (tagged.kind === "malformed") {
    problems.push(problem("value_tag", pointer, `The tagged value is malformed: ${tagged.reason}.`));
  } else if (tagged.kind === "ref") {
    checkReference(context, tagged.ref, tagged.fallback, `${pointer}/$ref`, when, wanted);
  } else if (tagged.kind === "expr") {
    const type = checkExpression(
      context,
      tagged.expr,
      tagged.fallback !== undefined,
      `${pointer}/$expr`,
      when,
    );
    // Expressions have one kind of number, so it may well be whole.
    if (type === null || (type === "double" && typesOf(wanted.schema)?.has("integer") === true)) return;
    reportMisfit(context, schemaOfCel(type), "The expression", `${pointer}/$expr`, wanted);
  }
}

function reportMisfit(
  context: GraphContext,
  given: SchemaOrNull,
  what: string,
  pointer: string,
  wanted: ExpectedValue,
): void {
  const found = fit(given, wanted.schema);
  if (found.verdict !== "misfit" && found.verdict !== "maybe") return;
  const code = found.verdict === "misfit" ? wanted.code : "argument_unsure";
  const text =
    found.path.length === 0
      ? `${what} gives ${typeText(given)}; ${typeText(wanted.schema)} is expected.`
      : `${what} does not ${code === wanted.code ? "" : "surely "}fit: ${fitText(found)}`;
  context.shared.problems.push(problem(code, pointer, text));
}

function checkReference(
  context: GraphContext,
  text: string,
  fallback: Json | undefined,
  pointer: string,
  when: When,
  wanted: ExpectedValue,
): void {
  const { problems } = context.shared;
  const hasDefault = fallback !== undefined;
  const reference = parseReference(text);
  if (reference === null) {
    problems.push(problem("ref_syntax", pointer, `${quoted(text)} is not a reference.`));
    return;
  }
  if (!checkRoot(context, reference, hasDefault, pointer, when)) return;
  const root = rootSchema(context, text, when);
  if (root === null) return;
  const step = follow(root.schema, root.path);
  if (step.kind === "found") {
    if (step.sure === false && !hasDefault)
      problems.push(problem("ref_optional", pointer, `${quoted(text)} need not be there.`));
    if (isFixedItem(context, text))
      problems.push(problem("ref_fixed_item", pointer, `${quoted(text)} is the same in each round.`));
    const given = hasDefault
      ? { anyOf: [step.schema ?? {}, schemaOfValue(context, fallback, when, 0) ?? {}] }
      : step.schema;
    reportMisfit(context, given, quoted(text), pointer, wanted);
    return;
  }
  if (reference.root === "inputs" && step.name === reference.name) {
    reportInput(context, step.name, pointer);
  } else {
    // A default is for what may be absent; a path that the schema does not have is always absent.
    const before = root.path.slice(0, root.path.indexOf(step.name));
    const inside = step.names.filter((name) => {
      const deeper = follow(root.schema, [...before, name, step.name]);
      return deeper.kind === "found" && deeper.schema !== null;
    });
    const message = missingText(step.name, step.names);
    const [only] = inside;
    const place =
      only === undefined ? "" : ` ${quoted(step.name)} is in ${quoted(only)}: ${only}.${step.name}.`;
    problems.push(problem("ref_unknown_path", pointer, message + place));
  }
}

/** True for one certain item of the list that the map around goes through. */
function isFixedItem({ outer }: GraphContext, text: string): boolean {
  const map = outer?.context.graph.nodes[outer.node];
  const items = map?.type === "map" ? classify(map.map.items) : null;
  if (items?.kind !== "ref") return false;
  const list = asWritten(items.ref);
  const path = asWritten(text);
  return path.startsWith(`${list}[`) && /^\[\d/.test(path.slice(list.length));
}

function missingText(name: string, names: readonly string[]): string {
  const [near] = nearestNames(name, names, 1);
  const meant = near === undefined ? "" : `did you mean ${quoted(near)}; `;
  const shown =
    names.length === 0 ? "nothing is known to be there" : `there is ${names.slice(0, 15).join(", ")}`;
  return `There is no ${quoted(name)}; ${meant}${shown}.`;
}

/** False when the reference names nothing, and following it makes no sense. */
function checkRoot(
  context: GraphContext,
  reference: Reference,
  hasDefault: boolean,
  pointer: string,
  when: When,
): boolean {
  if (reference.root === "steps") {
    return checkStep(context, reference.step, reference.part === "outputs", hasDefault, pointer, when);
  }
  if ((reference.root === "item" || reference.root === "index") && context.outer === null) {
    const text = `\`${reference.root}\` is known only in the body of a map.`;
    context.shared.problems.push(problem("ref_scope", pointer, text));
    return false;
  }
  return true;
}

function checkStep(
  context: GraphContext,
  id: string,
  outputs: boolean,
  canDoWithout: boolean,
  pointer: string,
  when: When,
): boolean {
  const { problems } = context.shared;
  const step = findStep(context, id, when);
  if (step === null) {
    problems.push(problem("ref_unknown_step", pointer, `There is no step ${quoted(id)} here.`));
    return false;
  }
  const itself = step.context === context && step.node === when;
  if (itself || (!canDoWithout && !isCertain(step, outputs))) {
    const text = itself
      ? `${quoted(id)} refers to itself.`
      : when === "end"
        ? `${quoted(id)} does not run in every run that succeeds.`
        : `${quoted(id)} has not surely ${outputs ? "succeeded" : "ended"} before this step begins.`;
    problems.push(problem("ref_not_upstream", pointer, text));
    return false;
  }
  return true;
}

function reportInput(context: GraphContext, name: string, pointer: string): void {
  const { properties } = context.shared.document.inputs;
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const shown = names.length === 0 ? "none is declared" : `declared: ${names.slice(0, 15).join(", ")}`;
  context.shared.problems.push(
    problem("ref_unknown_input", pointer, `There is no input ${quoted(name)} (${shown}).`),
  );
}

/** Checks an expression and everything it names; its CEL type, or null when something is wrong with it. */
function checkExpression(
  context: GraphContext,
  source: string,
  hasDefault: boolean,
  pointer: string,
  when: When,
): string | null {
  const { problems } = context.shared;
  const compiled = compileExpression(source);
  if (!compiled.ok) {
    problems.push(problem(compiled.fault.code, pointer, compiled.fault.message));
    return null;
  }
  const { expression } = compiled;
  if (!checkNames(context, expression, hasDefault, pointer, when)) return null;
  const verdict = typeOfExpression(context, expression);
  if (verdict.type !== null) return verdict.type;
  const code = verdict.code === "no_such_key" ? "ref_unknown_path" : "expr_type";
  problems.push(problem(code, pointer, verdict.message));
  return null;
}

function checkNames(
  context: GraphContext,
  expression: Expression,
  hasDefault: boolean,
  pointer: string,
  when: When,
): boolean {
  let fine = true;
  if (expression.usesItem && context.outer === null) {
    const text = "`item` and `index` are known only in the body of a map.";
    context.shared.problems.push(problem("ref_scope", pointer, text));
    fine = false;
  }
  for (const name of expression.inputs) {
    const step = follow(context.shared.document.inputs, [name]);
    if (step.kind === "found") continue;
    reportInput(context, name, pointer);
    fine = false;
  }
  for (const id of expression.steps) {
    const canDoWithout = hasDefault || expression.asked.has(id);
    // The error of a step can be read after it failed, as a reference to it can.
    const taken = expression.paths.filter(([step]) => step === id);
    const outputs = taken.length === 0 || taken.some(([, part]) => part === "outputs");
    if (!checkStep(context, id, outputs, canDoWithout, pointer, when)) fine = false;
  }
  return fine;
}

/** Checks a condition: an expression that must give a boolean. */
export function checkCondition(
  context: GraphContext,
  source: string | undefined,
  pointer: string,
  when: When,
): void {
  if (source === undefined) return;
  const type = checkExpression(context, source, false, pointer, when);
  if (type === null || type === "bool" || type === "dyn") return;
  context.shared.problems.push(
    problem("expr_not_boolean", pointer, `The condition gives ${type}, not a boolean.`),
  );
}
