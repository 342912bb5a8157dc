import { Type } from "typebox";
import { problemAt } from "../kernel/errors.ts";
import { GUARD_SETTINGS, GuardSimulation, GuardView } from "../model/guard.ts";
import { inputOf } from "../model/common.ts";
import { operationsWith } from "../ports/operations.ts";
import type { ManagedGuard } from "./guard.ts";
import { ruleProblem, timeFacts } from "./rules.ts";

const PAST_CALLS = 500;
const MOST_LISTED = 100;

/** What the operations of the guard work with. */
export interface GuardOperationParts {
  readonly guard: ManagedGuard;
}

const { operation } = operationsWith<GuardOperationParts>();
const { rules, limits, agents, trusted, stopped } = GUARD_SETTINGS;

function ruleProblems(given: GuardView["rules"] | undefined) {
  return (given ?? []).flatMap(({ when }, index) => {
    const problem = ruleProblem(when);
    return problem === null ? [] : [problemAt(`rules/${index}/when`, `a CEL condition: ${problem}`)];
  });
}

const getGuard = operation({
  name: "get_guard",
  title: "Show the guard",
  description: "Rules, limits, agents, stopped connections and callers, and a bypass if one is on.",
  http: "GET /api/svc/guard",
  access: "admin",
  effect: "none",
  idempotent: true,
  input: inputOf({}),
  output: Type.Object({ guard: GuardView }),
  run: async (_input, _call, { guard }) => ({ guard: await guard.settings() }),
});

const changeGuard = operation({
  name: "change_guard",
  title: "Change the guard",
  description:
    "Replaces the lists that are given; others stay. Holds for the next call, whichever way it comes.",
  http: "PATCH /api/svc/guard",
  access: "admin",
  effect: "write",
  idempotent: true,
  input: inputOf({
    revision: Type.Optional(Type.Integer({ minimum: 0, description: "The revision that you changed." })),
    rules: Type.Optional(rules),
    limits: Type.Optional(limits),
    agents: Type.Optional(agents),
    trusted: Type.Optional(trusted),
    stopped: Type.Optional(stopped),
  }),
  output: Type.Object({ guard: GuardView }),
  examples: [
    {
      rules: [
        { id: "no-refunds", when: 'tool == "shop:refund" && args.body.amount > 100.0', decision: "deny" },
      ],
    },
  ],
  rules: (input) => ruleProblems(input.rules),
  run: async ({ revision = null, ...changes }, { caller }, { guard }) => ({
    guard: await guard.change(changes, revision, { changed: Object.keys(changes) }, caller),
  }),
});

const bypassGuard = operation({
  name: "bypass_guard",
  title: "Bypass the guard for a while",
  description:
    "Calls that would be asked about go on for some minutes; each is recorded. Denials, limits and stops still hold. 0 minutes ends it.",
  http: "POST /api/svc/guard/bypass",
  access: "admin",
  effect: "destructive",
  idempotent: true,
  input: inputOf({
    minutes: Type.Integer({ minimum: 0, maximum: 480, description: "For how long; 0 ends a bypass." }),
    reason: Type.String({
      minLength: 1,
      maxLength: 1_000,
      pattern: "\\S",
      description: "Why, for the record.",
    }),
    caller: Type.Optional(Type.String({ maxLength: 300, description: "For this caller only." })),
  }),
  output: Type.Object({ guard: GuardView }),
  examples: [{ minutes: 30, reason: "Migration of the shop" }],
  run: async ({ minutes, reason, caller: only = null }, { services, caller }, { guard }) => {
    const until = new Date(services.clock.now() + minutes * 60_000).toISOString();
    const bypass = minutes === 0 ? null : { until, by: caller.id, reason, caller: only };
    return { guard: await guard.change({ bypass }, null, { bypass: minutes, reason }, caller) };
  },
});

const simulateGuard = operation({
  name: "simulate_guard",
  title: "Simulate the guard",
  description: "What rules would have decided about the last connected calls; nothing is changed.",
  http: "POST /api/svc/guard/simulate",
  access: "admin",
  effect: "none",
  idempotent: true,
  input: inputOf({
    rules: Type.Optional(rules),
    agent: Type.Optional(Type.Boolean({ description: "Look at every call as if an agent had made it." })),
  }),
  output: Type.Object({ simulation: GuardSimulation }),
  examples: [{ agent: true }],
  rules: (input) => ruleProblems(input.rules),
  async run({ rules: given, agent = false }, { services }, { guard }) {
    const current = await guard.settings();
    const { items } = await services.store.read.connections.calls({}, { limit: PAST_CALLS });
    const counts = { allow: 0, deny: 0, ask: 0, "dry-run": 0 };
    const changed = items.flatMap(({ at, connection, definition, by, arguments: args }) => {
      const tool = `${connection}:${definition}`;
      const effect = services.connections.head(tool)?.effect ?? "destructive";
      const facts = {
        tool,
        server: connection,
        effect,
        agent: agent || guard.isAgent(by),
        args: args ?? {},
        caller: { id: by, kind: "", name: "" },
        person: { email: "", role: "" },
        time: timeFacts(Date.parse(at)),
      };
      const { decision, rule } = guard.simulate(given ?? current.rules, facts, true);
      counts[decision] += 1;
      return decision === "allow" ? [] : [{ at, tool, by, decision, rule }];
    });
    return { simulation: { calls: items.length, counts, changed: changed.slice(0, MOST_LISTED) } };
  },
});

/** What admins do with the guard. */
export const guardOperations = [getGuard, changeGuard, bypassGuard, simulateGuard];
