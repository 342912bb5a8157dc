import { Type } from "typebox";
import { AuditNames } from "../audit/names.ts";
import { problemAt } from "../kernel/errors.ts";
import { isJsonObject } from "../kernel/json.ts";
import {
  GUARD_OUTCOMES,
  GUARD_SETTINGS,
  GuardDecisionView,
  GuardSimulation,
  GuardView,
} from "../model/guard.ts";
import { inputOf, NEXT_CURSOR, PAGE_INPUT } from "../model/common.ts";
import { operationsWith, pageIn } from "../ports/operations.ts";
import { pastCalls } from "./facts.ts";
import type { ManagedGuard } from "./guard.ts";
import { decide, ruleProblem } from "./rules.ts";

const MOST_LISTED = 100;

/** What the operations of the guard work with. */
export interface GuardOperationParts {
  readonly guard: ManagedGuard;
}

const { operation, declared } = operationsWith<GuardOperationParts>();
const { rules, limits, agents, trusted, stopped } = GUARD_SETTINGS;

function ruleProblems(given: GuardView["rules"] | undefined) {
  return (given ?? []).flatMap(({ when }, index) => {
    const problem = ruleProblem(when);
    return problem === null ? [] : [problemAt(`rules/${index}/when`, `a CEL condition: ${problem}`)];
  });
}

operation({
  name: "get_guard",
  title: "Show the guard",
  description: "Rules, limits, agents, stopped connections and callers, and a bypass if one is on.",
  http: "GET /api/svc/guard",
  access: "admin",
  input: inputOf({}),
  output: Type.Object({ guard: GuardView }),
  run: async (_input, _call, { guard }) => ({ guard: await guard.settings() }),
});

operation({
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

operation({
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

operation({
  name: "simulate_guard",
  title: "Simulate the guard",
  description: "What rules would have decided about the last connected calls; nothing is changed.",
  http: "POST /api/svc/guard/simulate",
  access: "admin",
  effect: "none",
  input: inputOf({
    rules: Type.Optional(rules),
    agent: Type.Optional(Type.Boolean({ description: "Look at every call as if an agent had made it." })),
  }),
  output: Type.Object({ simulation: GuardSimulation }),
  examples: [{ agent: true }],
  rules: (input) => ruleProblems(input.rules),
  async run({ rules: given, agent = false }, { services }, { guard }) {
    const current = await guard.settings();
    const counts = { allow: 0, deny: 0, ask: 0, "dry-run": 0 };
    const past = await pastCalls(services, (id) => guard.isAgent(id));
    const changed = past.flatMap(({ at, by, leaves, facts }) => {
      const { id: callerId, kind } = facts.caller;
      const isProgram =
        (kind === "key" || kind === "token") && !current.trusted.some((one) => one === callerId);
      const { decision, rule } = decide(
        given ?? current.rules,
        { ...facts, agent: agent || facts.agent },
        leaves,
        isProgram,
      );
      counts[decision] += 1;
      return decision === "allow" ? [] : [{ at, tool: facts.tool, by, decision, rule }];
    });
    return { simulation: { calls: past.length, counts, changed: changed.slice(0, MOST_LISTED) } };
  },
});

const ACTION_OF = {
  ask: "guard.asked",
  deny: "guard.denied",
  "dry-run": "guard.dry_run",
  bypass: "guard.bypassed",
} as const;

operation({
  name: "list_guard_decisions",
  title: "List the calls that the guard decided about",
  description: "Calls with one decision, newest first. Of allowed calls those over connections are listed.",
  http: "GET /api/svc/guard/decisions",
  access: "admin",
  input: inputOf({
    decision: Type.Optional(
      Type.Enum([...GUARD_OUTCOMES], { description: "What was decided; ask when not given." }),
    ),
    ...PAGE_INPUT,
  }),
  output: Type.Object({ decisions: Type.Array(GuardDecisionView), nextCursor: NEXT_CURSOR }),
  examples: [{ decision: "deny", limit: 20 }],
  async run({ decision = "ask", ...page }, { services }) {
    const { read } = services.store;
    const names = new AuditNames(read);
    const named = async (id: string) => ({ id, name: (await names.named(id)).name });
    const decisions: GuardDecisionView[] = [];
    if (decision === "allow") {
      const { items, nextCursor } = await read.connections.calls({}, pageIn(page));
      for (const { id, at, by, connection, definition, arguments: args, runId } of items) {
        const tool = `${connection}:${definition}`;
        const approval = { approvalId: null, approvalState: null };
        const call = { id, at, by: await named(by), tool, arguments: args, runId };
        decisions.push({ ...call, decision, rule: null, ...approval });
      }
      return { decisions, nextCursor };
    }
    const { items, nextCursor } = await read.audit.list(pageIn(page), { action: ACTION_OF[decision] });
    for (const { id, createdAt: at, actor, detail } of items) {
      const { tool, rule, runId, arguments: args } = detail;
      const run = typeof runId === "string" ? runId : null;
      const asked =
        run === null ? undefined : (await read.approvals.list({ limit: 1 }, { runId: run })).items[0];
      decisions.push({
        id,
        at,
        by: await named(actor),
        tool: typeof tool === "string" ? tool : "",
        decision,
        rule: typeof rule === "string" && rule !== "" ? rule : null,
        arguments: args !== undefined && isJsonObject(args) ? args : null,
        runId: run,
        approvalId: asked?.id ?? null,
        approvalState: asked?.state ?? null,
      });
    }
    return { decisions, nextCursor };
  },
});

/** What admins do with the guard. */
export const guardOperations = declared;
