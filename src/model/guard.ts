import { Type, type Static } from "typebox";
import { freeObject, TextOrNull, Time, TimeOrNull, viewOf } from "./common.ts";

/** What can be decided about a call. */
const GUARD_DECISIONS = ["allow", "deny", "ask", "dry-run"] as const;

const Decision = Type.Enum([...GUARD_DECISIONS], {
  title: "GuardDecision",
  description: "What is decided about a call.",
});
const Id = Type.String({ minLength: 1, maxLength: 300 });
const Ids = (description: string) => Type.Array(Id, { maxItems: 500, description });

/** A rule of the guard. */
const GuardRule = viewOf("GuardRule", "The first rule whose condition holds decides.", {
  id: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,62}$", description: "A short name." }),
  when: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description:
      "CEL over tool, server, effect (read, write, destructive), agent, args, caller {id, kind, name}, person {email, role}, time {iso, hour, weekday}.",
  }),
  decision: Decision,
  fourEyes: Type.Optional(
    Type.Boolean({ description: "ask: another person than the one behind the caller decides." }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: "false: the rule is kept and not applied." })),
});

/** A bound on how often calls are made. */
const GuardLimit = viewOf("GuardLimit", "A bound on calls that are not reads.", {
  caller: Type.Optional(Id),
  tool: Type.Optional(Id),
  perMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  perDay: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
});

/** What can be set. */
export const GUARD_SETTINGS = {
  rules: Type.Array(GuardRule, { maxItems: 200, description: "In order: the first that holds decides." }),
  limits: Type.Array(GuardLimit, {
    maxItems: 200,
    description: "Each holds for every caller and tool it names, counted apart.",
  }),
  agents: Ids("Ids of keys and tokens that count as agents, besides every OAuth client."),
  trusted: Ids(
    "Ids of keys that are no agents even where they use /mcp, and of keys and tokens whose destructive calls are not asked about.",
  ),
  stopped: Ids("Connections, and ids of callers, whose calls are all refused."),
};

/** The guard as admins see it. */
export const GuardView = viewOf("Guard", "What the guard decides by.", {
  revision: Type.Integer({ minimum: 0 }),
  ...GUARD_SETTINGS,
  bypass: Type.Union([
    viewOf("GuardBypass", "A time in which nothing is asked.", {
      until: Time,
      by: Type.String(),
      reason: Type.String(),
      caller: Type.Union([Type.String(), Type.Null()], {
        description: "For this caller only; null for all.",
      }),
    }),
    Type.Null(),
  ]),
  changedAt: TimeOrNull,
});
export type GuardView = Static<typeof GuardView>;

/** How a decision can be looked for. */
export const GUARD_OUTCOMES = ["ask", "deny", "dry-run", "bypass", "allow"] as const;

/** A call with what was decided about it. */
export const GuardDecisionView = viewOf("GuardedCall", "A call, and what the guard decided about it.", {
  id: Type.String(),
  at: Time,
  by: Type.Object({ id: Type.String(), name: Type.String() }),
  tool: Type.String(),
  decision: Type.Enum([...GUARD_OUTCOMES]),
  rule: TextOrNull,
  arguments: Type.Union([freeObject("The arguments of the tool.", "Secrets are masked."), Type.Null()]),
  runId: TextOrNull,
  approvalId: TextOrNull,
  approvalState: TextOrNull,
});
export type GuardDecisionView = Static<typeof GuardDecisionView>;

/** What a rule would have done to calls that were made. */
export const GuardSimulation = viewOf(
  "GuardSimulation",
  "What the rules would have decided about past calls.",
  {
    calls: Type.Integer({ minimum: 0 }),
    counts: Type.Object({
      allow: Type.Integer(),
      deny: Type.Integer(),
      ask: Type.Integer(),
      "dry-run": Type.Integer(),
    }),
    changed: Type.Array(
      Type.Object({
        at: Time,
        tool: Type.String(),
        by: Type.String(),
        decision: Decision,
        rule: Type.String(),
      }),
      { description: "Those that would not simply have been allowed, newest first; 100 at most." },
    ),
  },
);
