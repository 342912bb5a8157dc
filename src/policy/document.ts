import { pointerSegment } from "../kernel/paths.ts";
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";
import type { Problem } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { BUILT_IN_PLATFORMS } from "./platforms.ts";
import { AI_STATEMENTS, ROBOTS_DISALLOW, TRUST_POLICY_LINE } from "./texts.ts";

const text = (max: number) => Type.String({ minLength: 1, maxLength: max });

const Statement = Type.Object(
  {
    statement: text(500),
    verified: Type.Boolean(),
    evidence: Type.Union([
      Type.Literal("tested"),
      Type.Literal("checked-in-process"),
      Type.Literal("not-verified"),
    ]),
    how: text(500),
  },
  { additionalProperties: false },
);

const Platform = Type.Object(
  {
    id: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,62}$" }),
    name: text(120),
    kind: Type.Union([
      Type.Literal("mcp-client"),
      Type.Literal("http-client"),
      Type.Literal("crawler"),
      Type.Literal("browser"),
      Type.Literal("cli"),
      Type.Literal("service"),
      Type.Literal("workflow"),
    ]),
    access: Type.Union([
      Type.Literal("public-safe"),
      Type.Literal("key-required"),
      Type.Literal("public-safe-and-key"),
    ]),
    grants: Type.Array(text(300), { maxItems: 20 }),
    statements: Type.Array(Statement, { maxItems: 20 }),
  },
  { additionalProperties: false },
);

// The part of the agent policy that an operator may change; everything else follows from the registry.
const AgentPolicySchema = Type.Object(
  {
    schemaVersion: Type.Literal("suite.agent-policy.v1"),
    summary: text(2000),
    contact: Type.Union([text(300), Type.Null()]),
    aiStatements: Type.Array(text(1000), { minItems: 1, maxItems: 50 }),
    robotsDisallow: Type.Array(Type.String({ pattern: "^/[\\x21-\\x7e]*$", maxLength: 200 }), {
      maxItems: 100,
    }),
    platforms: Type.Array(Platform, { minItems: 1, maxItems: 100 }),
    trustPolicyLine: Type.Literal(TRUST_POLICY_LINE),
  },
  { additionalProperties: false },
);

/** The agent policy. */
export type AgentPolicy = Static<typeof AgentPolicySchema>;

/** The policy before an operator changed anything. */
export const BUILT_IN_POLICY: AgentPolicy = {
  schemaVersion: "suite.agent-policy.v1",
  summary:
    "Agents are welcome. Whatever reads, renders, validates, plans or previews is public; whatever persists, runs, decides, sends or publishes needs an API key. Access follows the key, never the name an agent gives itself.",
  contact: null,
  aiStatements: [...AI_STATEMENTS],
  robotsDisallow: [...ROBOTS_DISALLOW],
  platforms: [...BUILT_IN_PLATFORMS],
  trustPolicyLine: TRUST_POLICY_LINE,
};

/** The names on each side of the boundary, from the registry. */
export interface BoundaryNames {
  readonly publicTools: readonly string[];
  readonly protectedTools: readonly string[];
}

/** A change that was read: the policy it makes, or everything that is wrong with it. */
export type PolicyChange =
  | { readonly ok: true; readonly policy: AgentPolicy; readonly changed: readonly string[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const EDITABLE = ["summary", "contact", "aiStatements", "robotsDisallow", "platforms"] as const;
/** Unknown members that are reported one by one. */
const MAX_STRANGE = 20;
const ECHOED = ["schemaVersion", "trustPolicyLine", "boundary"] as const;

/** Applies the members of `change` to `current`. A change that would weaken or misstate the boundary is refused. */
export function applyPolicyChange(
  current: AgentPolicy,
  change: JsonObject,
  names: BoundaryNames,
): PolicyChange {
  const problems: Problem[] = [...boundaryProblems(change, names), ...secretProblems(change, "")];
  const known: readonly string[] = [...EDITABLE, ...ECHOED];
  const strange = Object.keys(change).filter((key) => !known.includes(key));
  for (const key of strange.slice(0, MAX_STRANGE)) {
    problems.push({
      pointer: `/${pointerSegment(key)}`,
      message: "The agent policy has no such member.",
      expected: `one of ${EDITABLE.join(", ")}`,
    });
  }
  const given = EDITABLE.filter((key) => change[key] !== undefined);
  if (given.length === 0) {
    problems.push({
      pointer: "",
      message: "Nothing to change.",
      expected: `at least one of ${EDITABLE.join(", ")}`,
    });
  }
  const next: unknown = {
    ...current,
    ...Object.fromEntries(given.map((key) => [key, change[key]])),
  };
  problems.push(...shapeProblems(next));
  if (problems.length > 0 || !Value.Check(AgentPolicySchema, next)) return { ok: false, problems };
  const duplicate = next.platforms.find(
    (platform, at) => next.platforms.findIndex(({ id }) => id === platform.id) !== at,
  );
  if (duplicate) {
    return {
      ok: false,
      problems: [{ pointer: "/platforms", message: `Two platforms have the id ${duplicate.id}.` }],
    };
  }
  const changed = given.filter((key) => JSON.stringify(current[key]) !== JSON.stringify(next[key]));
  return { ok: true, policy: next, changed };
}

/** A stored policy, or null when it does not fit this version's form. */
export function readPolicy(stored: JsonObject): AgentPolicy | null {
  const value: unknown = stored;
  return Value.Check(AgentPolicySchema, value) ? value : null;
}

function shapeProblems(next: unknown): readonly Problem[] {
  return Value.Errors(AgentPolicySchema, next)
    .slice(0, 20)
    .map((error) => ({
      pointer: error.instancePath,
      message:
        error.instancePath === "/trustPolicyLine"
          ? "The trust policy line is required word for word."
          : `The value ${error.message}.`,
    }));
}

function boundaryProblems(change: JsonObject, names: BoundaryNames): readonly Problem[] {
  const problems: Problem[] = [];
  if (change["trustPolicyLine"] !== undefined && change["trustPolicyLine"] !== TRUST_POLICY_LINE) {
    problems.push({
      pointer: "/trustPolicyLine",
      message: "The trust policy line is required word for word.",
      expected: TRUST_POLICY_LINE,
    });
  }
  if (change["schemaVersion"] !== undefined && change["schemaVersion"] !== "suite.agent-policy.v1") {
    problems.push({ pointer: "/schemaVersion", message: "Unknown form.", expected: "suite.agent-policy.v1" });
  }
  const boundary = change["boundary"];
  if (boundary !== undefined) problems.push(...statedBoundaryProblems(boundary, names));
  const platforms = change["platforms"];
  if (Array.isArray(platforms)) {
    platforms.forEach((platform: unknown, at) => {
      if (isObject(platform)) problems.push(...grantProblems(platform, at, names));
    });
  }
  return problems;
}

/** A policy may repeat the boundary, never move it: the dispatcher enforces what the registry says. */
function statedBoundaryProblems(boundary: unknown, names: BoundaryNames): readonly Problem[] {
  if (!isObject(boundary)) {
    return [
      { pointer: "/boundary", message: "The boundary is an object with publicTools and protectedTools." },
    ];
  }
  const problems: Problem[] = [];
  for (const key of Object.keys(boundary)) {
    const listed = boundary[key];
    if ((key !== "publicTools" && key !== "protectedTools") || !Array.isArray(listed)) {
      problems.push({
        pointer: `/boundary/${pointerSegment(key)}`,
        message: "The boundary states publicTools and protectedTools, each a list of tool names.",
      });
      continue;
    }
    const expected = names[key];
    listed.forEach((name: unknown, at) => {
      if (typeof name === "string" && expected.includes(name)) return;
      problems.push({
        pointer: `/boundary/${key}/${at}`,
        message:
          key === "publicTools"
            ? "This tool is protected or unknown; a policy cannot make it public."
            : "This tool is public or unknown; a policy cannot claim a protection that is not enforced.",
        given: String(name).slice(0, 80),
      });
    });
    for (const name of expected) {
      if (listed.includes(name)) continue;
      problems.push({
        pointer: `/boundary/${key}`,
        message: `${name} is missing: leaving a tool out would ${key === "protectedTools" ? "weaken" : "misstate"} the boundary.`,
      });
    }
  }
  return problems;
}

function grantProblems(
  platform: Record<string, unknown>,
  at: number,
  names: BoundaryNames,
): readonly Problem[] {
  const grants = platform["grants"];
  if (!Array.isArray(grants) || platform["access"] === "key-required") return [];
  return grants.flatMap((grant: unknown, index) => {
    const protectedName =
      typeof grant === "string" ? names.protectedTools.find((name) => wordsOf(grant).has(name)) : undefined;
    return protectedName !== undefined && platform["access"] === "public-safe"
      ? [
          {
            pointer: `/platforms/${at}/grants/${index}`,
            message: `${protectedName} is protected; a platform without a key cannot be granted it.`,
            fix: "Set access to key-required or public-safe-and-key, or drop the grant.",
          },
        ]
      : [];
  });
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\W+/));
}

/** The policy is public, so nothing that looks like a key may enter it. */
function secretProblems(value: unknown, pointer: string): readonly Problem[] {
  if (typeof value === "string") {
    return /suite_(?:live|tok)_|-----BEGIN [A-Z ]*PRIVATE KEY/.test(value)
      ? [{ pointer, message: "This looks like a secret, and the policy is public." }]
      : [];
  }
  if (Array.isArray(value)) return value.flatMap((item, at) => secretProblems(item, `${pointer}/${at}`));
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) =>
      secretProblems(item, `${pointer}/${pointerSegment(key)}`),
    );
  }
  return [];
}
