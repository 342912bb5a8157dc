import type { Guard, GuardRule } from "../../../packages/client/client.ts";
import type { Envelope } from "../../kernel/envelope.ts";
import type { Cli } from "../command.ts";
import { cursorOption, limitOption } from "../conventions.ts";
import { Failure } from "../failure.ts";
import { list, page, record } from "../from-operation.ts";
import type { Result } from "../output.ts";
import { table } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";

const DECISIONS = ["allow", "deny", "ask", "dry-run"] as const;
const ruleArgument = argument("rule", "The name of the rule.");
const stopArgument = argument("name", "The name of a connection, or the id of a key, a token or a client.");
const trustArgument = argument("id", "The id of a key or a token.");
const ruleOptions = [
  option("--when <CEL>", "The condition, over tool, server, effect, agent, args, caller, person and time."),
  option("--decision <WORD>", "What is decided.", { choices: DECISIONS }),
  option("--four-eyes", "ask: not the person behind the caller decides."),
  option("--at <N>", "Its place among the rules; 1 is the first."),
];
const adding = (id: string): string => `suitectl guard add ${id} --when 'server == "shop"' --decision deny`;
const COLUMNS = {
  RULE: "id",
  DECISION: "decision",
  "FOUR EYES": ({ fourEyes }: GuardRule) => fourEyes === true,
  ON: ({ enabled }: GuardRule) => enabled !== false,
  WHEN: "when",
} as const;

/** The guard: rules, decisions, stops, the bypass. */
export const guard = group("guard", {
  rules: {
    summary: "The rules in their order. Needs the scope admin.",
    examples: [example("Every rule")],
    run: async (cli) => shown(await cli.client().run("get_guard", {})),
  },
  add: {
    summary: "Add a rule; the first rule whose condition holds decides.",
    args: [ruleArgument],
    options: ruleOptions,
    examples: [example("Refuse calls of a connection", [adding("no-shop")])],
    run: (cli) =>
      changedRules(cli, (rules, id) => {
        if (rules.some((rule) => rule.id === id))
          throw new Failure("conflict", `There is a rule ${id} already.`, {
            next: `suitectl guard change ${id} changes it.`,
          });
        return placed(cli, rules, { id, when: "true", decision: "ask" }, rules.length);
      }),
  },
  change: {
    summary: "Change a rule, its place, or turn it on or off.",
    args: [ruleArgument],
    options: [
      ...ruleOptions,
      option("--on", "Apply it again."),
      option("--off", "Keep it without applying it."),
    ],
    examples: [example("Turn a rule off", [adding("no-tea"), "suitectl guard change no-tea --off"])],
    run: (cli) =>
      changedRules(cli, (rules, id) => {
        const at = placeOf(rules, id);
        return placed(cli, rules.toSpliced(at, 1), rules.at(at) ?? { id, when: "true", decision: "ask" }, at);
      }),
  },
  remove: {
    summary: "Remove a rule.",
    args: [ruleArgument],
    examples: [example("Remove a rule", [adding("no-milk"), "suitectl guard remove no-milk"])],
    run: (cli) => changedRules(cli, (rules, id) => rules.toSpliced(placeOf(rules, id), 1)),
  },
  decisions: list({
    summary: "Calls with what was decided about them, newest first.",
    options: [
      option("--decision <WORD>", "Only this; ask when left out. allow lists calls over connections.", {
        choices: ["ask", "deny", "dry-run", "bypass", "allow"],
      }),
      limitOption,
      cursorOption,
    ],
    examples: [example("What was refused last", "--decision deny")],
    operation: "list_guard_decisions",
    input: (cli) => ({ decision: oneOf(cli, ["ask", "deny", "dry-run", "bypass", "allow"]), ...page(cli) }),
    rows: "decisions",
    columns: {
      TIME: "at",
      WHO: ({ by }) => by.name,
      TOOL: "tool",
      DECISION: "decision",
      RULE: "rule",
      APPROVAL: ({ approvalId, approvalState }) =>
        approvalId === null ? null : `${approvalId} (${approvalState ?? ""})`,
    },
  }),
  simulate: record({
    summary: "What the rules, or one more in front of them, would have done to the last calls.",
    options: [...ruleOptions.slice(0, 3), option("--agent", "As if an agent had made every call.")],
    examples: [example("What a rule would do", `--when 'effect == "write"' --decision ask --agent`)],
    operation: "simulate_guard",
    async input(cli) {
      const { data } = await cli.client().run("get_guard", {});
      const given = cli.given.option("when") !== undefined;
      const first: GuardRule = { id: "tried", when: "true", decision: "ask" };
      const rules = given ? placed(cli, data.guard.rules, first, 0) : [...data.guard.rules];
      return { rules, agent: cli.given.flag("agent") };
    },
    record: "simulation",
    fields: ["calls"],
    more: ({ simulation: { counts, changed } }) => [
      { kind: "facts", facts: Object.entries(counts) },
      table({ TIME: "at", TOOL: "tool", BY: "by", DECISION: "decision", RULE: "rule" }, changed),
    ],
  }),
  stop: {
    summary: "Refuse all calls of a connection, or of a caller, at once.",
    args: [stopArgument],
    examples: [example("Stop a connection", ["suitectl guard stop shop", "suitectl guard resume shop"])],
    run: (cli) =>
      changedIds(cli, "stopped", (stopped, name) => [...stopped.filter((one) => one !== name), name]),
  },
  resume: {
    summary: "Let a stopped connection or caller go on.",
    args: [stopArgument],
    examples: [example("Let it go on", ["suitectl guard stop orders", "suitectl guard resume orders"])],
    run: (cli) => changedIds(cli, "stopped", (stopped, name) => stopped.filter((one) => one !== name)),
  },
  trust: {
    summary: "Do not ask about what a key or a token destroys elsewhere; a trusted key is no agent either.",
    args: [trustArgument],
    examples: [example("Trust a key", ["suitectl guard trust key_01", "suitectl guard distrust key_01"])],
    run: (cli) => changedIds(cli, "trusted", (trusted, id) => [...trusted.filter((one) => one !== id), id]),
  },
  distrust: {
    summary: "Ask about it again.",
    args: [trustArgument],
    examples: [example("Ask again", ["suitectl guard distrust key_02"])],
    run: (cli) => changedIds(cli, "trusted", (trusted, id) => trusted.filter((one) => one !== id)),
  },
  bypass: record({
    summary: "Ask about nothing for some minutes; each call that is not asked about is recorded.",
    about: "Refusals, limits and stops still hold. 0 minutes ends it.",
    args: [argument("minutes", "For how long, up to 480; 0 ends a bypass.")],
    options: [
      option("--reason <TEXT>", "Why, for the record."),
      option("--caller <ID>", "For this caller only."),
    ],
    examples: [
      example("Ten minutes without questions", [
        "suitectl guard bypass 10 --reason Migration",
        "suitectl guard bypass 0 --reason Done",
      ]),
    ],
    operation: "bypass_guard",
    input: ({ given }) => ({
      minutes: Number(given.argument("minutes")),
      reason: given.option("reason") ?? "",
      caller: given.option("caller"),
    }),
    record: "guard",
    fields: ["revision", "bypass"],
  }),
});

function shown(envelope: Envelope<{ readonly guard: Guard }>): Result {
  const { rules, stopped, limits, agents, trusted } = envelope.data.guard;
  const facts = {
    stopped: stopped.join(", "),
    agents: agents.join(", "),
    trusted: trusted.join(", "),
    limits: limits.length,
  };
  return {
    envelope,
    ids: rules.map(({ id }) => id),
    view: [table(COLUMNS, rules), { kind: "facts", facts: Object.entries(facts) }],
  };
}

async function changedRules(
  cli: Cli,
  change: (rules: readonly GuardRule[], id: string) => GuardRule[],
): Promise<Result> {
  const { revision, rules } = (await cli.client().run("get_guard", {})).data.guard;
  const input = { revision, rules: change(rules, cli.given.argument("rule")) };
  return shown(await cli.client().run("change_guard", input));
}

async function changedIds(
  cli: Cli,
  list: "stopped" | "trusted",
  change: (ids: readonly string[], id: string) => string[],
): Promise<Result> {
  const { revision, [list]: ids } = (await cli.client().run("get_guard", {})).data.guard;
  const id = cli.given.argument(list === "stopped" ? "name" : "id");
  return shown(await cli.client().run("change_guard", { revision, [list]: change(ids, id) }));
}

function placeOf(rules: readonly GuardRule[], id: string): number {
  const at = rules.findIndex((rule) => rule.id === id);
  if (at >= 0) return at;
  throw new Failure("missing", `No rule is named ${id}.`, { next: "suitectl guard rules shows them." });
}

/** The rules with this one, changed by the options, where `--at` says or where it stood. */
function placed(cli: Cli, rules: readonly GuardRule[], rule: GuardRule, before: number): GuardRule[] {
  const { given } = cli;
  const changed: GuardRule = {
    ...rule,
    when: given.option("when") ?? rule.when,
    decision: oneOf(cli, DECISIONS) ?? rule.decision,
    ...(given.flag("four-eyes") && { fourEyes: true }),
    ...(given.flag("off") ? { enabled: false } : given.flag("on") ? { enabled: true } : {}),
  };
  return rules.toSpliced((given.integer("at", 1) ?? before + 1) - 1, 0, changed);
}

function oneOf<T extends string>({ given }: Cli, choices: readonly T[]): T | undefined {
  return choices.find((choice) => choice === given.option("decision"));
}
