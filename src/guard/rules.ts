import { EvaluationError, type ParseResult } from "@marcbachmann/cel-js";
import { isObject, type JsonObject } from "../kernel/json.ts";
import type { GuardView } from "../model/guard.ts";
import type { ConnectedEffect } from "../ports/connections.ts";
import { checkWith, newEnvironment } from "../workflows/expressions.ts";

type Rule = GuardView["rules"][number];
type Decision = Rule["decision"];

/** What rules look at. */
export interface Facts {
  readonly tool: string;
  readonly server: string;
  readonly effect: ConnectedEffect;
  /** Whether the call comes from an agent, or from a run that one started. */
  readonly agent: boolean;
  readonly args: JsonObject;
  readonly caller: JsonObject;
  readonly person: JsonObject;
  readonly time: JsonObject;
}

/** What was decided, and by which rule. */
export interface Verdict {
  readonly decision: Decision;
  readonly fourEyes: boolean;
  readonly rule: string;
  /** No rule held. */
  readonly isDefault: boolean;
}

const environment = newEnvironment()
  .registerVariable("tool", "string")
  .registerVariable("server", "string")
  .registerVariable("effect", "string")
  .registerVariable("agent", "bool")
  .registerVariable("args", "dyn")
  .registerVariable("caller", "dyn")
  .registerVariable("person", "dyn")
  .registerVariable("time", "dyn");
const parsed = new Map<string, ParseResult>();
const MOST_PARSED = 500;

/** Why a condition cannot be used; null when it can. */
export function ruleProblem(when: string): string | null {
  // It backtracks, and what it looks at is the caller's.
  if (/\bmatches\s*\(/.test(when)) return "the function matches is refused; use contains, startsWith or ==";
  const { type, message } = checkWith(environment, when);
  if (type === null) return message;
  return type === "bool" || type === "dyn" ? null : `it gives ${type}, not true or false`;
}

/** What an argument that is not there leads to. */
const ABSENT: ReadonlySet<string> = new Set(["no_such_key", "index_out_of_bounds"]);

/**
 * A condition about an argument that is not there does not hold. One that cannot be evaluated for another reason, such as
 * a text where it compares numbers, holds unless the rule allows: else a value of another type would be a way around it.
 */
function holds({ when, decision }: Rule, facts: Facts): boolean {
  try {
    let run = parsed.get(when);
    if (run === undefined) {
      run = environment.parse(when);
      if (parsed.size >= MOST_PARSED) parsed.clear();
      parsed.set(when, run);
    }
    return run({ ...facts }) === true;
  } catch (error) {
    const isAbsent = error instanceof EvaluationError && ABSENT.has(error.code);
    return !isAbsent && decision !== "allow";
  }
}

/** The first rule that holds decides; where none does, the defaults. A program is a key or token that is not trusted. */
export function decide(rules: readonly Rule[], facts: Facts, leaves: boolean, isProgram: boolean): Verdict {
  const rule = rules.find((one) => one.enabled !== false && holds(one, facts));
  if (rule !== undefined)
    return {
      decision: rule.decision,
      fourEyes: rule.fourEyes ?? facts.effect === "destructive",
      rule: rule.id,
      isDefault: false,
    };
  const needsApproval = facts.agent || (isProgram && facts.server !== "");
  if (facts.effect === "destructive" && needsApproval)
    return { decision: "ask", fourEyes: true, rule: "default-destructive", isDefault: true };
  return facts.effect === "write" && facts.agent && leaves
    ? { decision: "ask", fourEyes: false, rule: "default-write", isDefault: true }
    : { decision: "allow", fourEyes: false, rule: "default", isDefault: true };
}

/** The parts of a time that rules use, in UTC. */
export function timeFacts(now: number): JsonObject {
  const date = new Date(now);
  return { iso: date.toISOString(), hour: date.getUTCHours(), weekday: date.getUTCDay() };
}

/** The settings in a stored document; what is missing is empty. */
export function settingsIn(stored: unknown): Omit<GuardView, "revision" | "changedAt"> {
  const given = isObject(stored) ? stored : {};
  // Only our own operation writes it, after its input was checked.
  const { rules = [], limits = [], agents = [], trusted = [], stopped = [], bypass = null } = given;
  const settings: Omit<GuardView, "revision" | "changedAt"> = JSON.parse(
    JSON.stringify({ rules, limits, agents, trusted, stopped, bypass }),
  );
  return settings;
}
