import { nearestNames } from "../kernel/nearest.ts";
import { allows, type Caller, type Scope } from "../ports/caller.ts";
import { scopesFor } from "../ports/operations.ts";
import type { Catalog, Route } from "../ports/services.ts";
import { KEY_HEADERS, METHODS } from "./methods.ts";

/** The boundary, rule by rule. The dispatcher enforces it; nothing here grants a right. */
export const ACCESS_RULES = {
  "methods.public": "Listing, reading and handshake methods of the gateway need no credential.",
  "methods.tool-call":
    "tools/call follows the tool it names: public tools need no credential, protected ones a key.",
  "tools.public":
    "A public tool needs no credential and never acts with more authority than an anonymous caller.",
  "tools.protected":
    "A protected tool needs an API key that holds the tool's scope, checked before anything runs.",
  "resources.public":
    "Every resource is readable without a credential; private values are left out without a key.",
  "prompts.public":
    "Every prompt is readable without a credential; what it embeds follows the caller's rights.",
  "paths.public": "This path answers without a credential and gives only public-safe content.",
  "paths.mixed": "This path answers without a credential, but what changes anything needs an API key.",
  "paths.key": "This path needs an API key for every request.",
} as const;

type RuleId = keyof typeof ACCESS_RULES;

type TargetKind = "tool" | "resource" | "prompt" | "method" | "path";

/** The answer to "may an agent use this?", with the rule it follows. */
export interface AccessVerdict {
  readonly target: string;
  readonly kind: TargetKind;
  readonly verdict: "public-safe" | "key-required";
  readonly ruleId: RuleId;
  readonly rule: string;
  readonly explanation: string;
  readonly requiredScope: Scope | null;
  /** What a caller without a key still gets when the verdict is about more than that. */
  readonly withoutKey: string;
  readonly acceptedHeaders: readonly string[];
  /** Whether the caller who asks could do it now; null when the path's handler decides that by the record or what is sent. */
  readonly callerMay: boolean | null;
}

/** What the evaluation looks at. */
export interface AccessSurface {
  readonly catalog: Pick<Catalog, "tools" | "resources" | "prompts" | "tool">;
  readonly routes: readonly Route[];
  readonly baseUrl: string;
}

const WRITE_ACTION = /^(?:write|send|accept|create|update|run|execute|call|submit|remove)$/i;
const HTTP_METHOD = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE)$/;
const WRITES: readonly string[] = ["POST", "PATCH", "DELETE"];

/** The verdict on a tool name, resource URI, prompt name, method or path; null when there is no such target. */
export function evaluateAccess(
  surface: AccessSurface,
  target: string,
  action: string | undefined,
  caller: Caller,
): AccessVerdict | null {
  const wanted = target.trim();
  return (
    toolVerdict(surface, wanted, caller) ??
    methodVerdict(wanted) ??
    resourceVerdict(surface, wanted) ??
    promptVerdict(surface, wanted) ??
    pathVerdict(surface, wanted, action, caller)
  );
}

function toolVerdict(surface: AccessSurface, name: string, caller: Caller): AccessVerdict | null {
  const tool = surface.catalog.tool(name);
  if (!tool) return null;
  if (tool.access === "public") {
    return verdict(name, "tool", "tools.public", `${name} is a public tool; calling it needs no credential.`);
  }
  return {
    ...verdict(
      name,
      "tool",
      "tools.protected",
      `${name} is protected because its effect is "${tool.effect}"; the key must hold the scope "${tool.access}".`,
    ),
    verdict: "key-required",
    requiredScope: tool.access,
    withoutKey: "The call is refused with error -32001 and nothing runs.",
    callerMay: allows(caller, tool.access),
  };
}

function methodVerdict(name: string): AccessVerdict | null {
  const method = METHODS.find((candidate) => candidate.method === name);
  if (!method) return null;
  return method.access === "public"
    ? verdict(name, "method", "methods.public", `${name} (${method.purpose}) is public.`)
    : {
        ...verdict(
          name,
          "method",
          "methods.tool-call",
          `${name} itself is public; ask about the tool's name for its verdict.`,
        ),
        withoutKey: "Public tools answer; protected tools are refused with error -32001.",
      };
}

function resourceVerdict(surface: AccessSurface, uri: string): AccessVerdict | null {
  const resource = surface.catalog.resources.find((candidate) => matchesUri(candidate.uri, uri));
  if (!resource) return null;
  return {
    ...verdict(uri, "resource", "resources.public", `${resource.title}. Reading it needs no credential.`),
    withoutKey: "Public records and safe summaries; private values are left out.",
  };
}

function promptVerdict(surface: AccessSurface, name: string): AccessVerdict | null {
  const prompt = surface.catalog.prompts.find((candidate) => candidate.name === name);
  return prompt
    ? verdict(name, "prompt", "prompts.public", `${prompt.title}. Getting it needs no credential.`)
    : null;
}

function pathVerdict(
  surface: AccessSurface,
  target: string,
  action: string | undefined,
  caller: Caller,
): AccessVerdict | null {
  const path = pathOf(surface.baseUrl, target);
  if (path === null) return null;
  const route = routeFor(surface.routes, path, action ?? "read");
  if (route === undefined) return null;
  const { access } = route.operation;
  const text = `${route.method} ${route.path}: ${route.operation.description}`;
  if (access === "public") return verdict(target, "path", "paths.public", text);
  const isGuarded = route.access !== "mixed";
  if (!isGuarded && route.method === "GET") {
    return {
      ...verdict(target, "path", "paths.mixed", text),
      withoutKey:
        "Public records; private values are left out, and private records are like ones that do not exist.",
    };
  }
  const { all, any } = scopesFor(access);
  const [only = null] = all.length + any.length === 1 ? [...all, ...any] : [];
  return {
    ...verdict(target, "path", isGuarded ? "paths.key" : "paths.mixed", `${text} ${needs(route)}`),
    verdict: "key-required",
    requiredScope: only,
    withoutKey: isGuarded
      ? "Every request is refused with status 401."
      : "Reading and dry runs; nothing is accepted.",
    callerMay: mayCall(route, caller),
  };
}

/** The route that the gateway would choose: an exact path before one with variables, then the method. */
function routeFor(routes: readonly Route[], path: string, action: string): Route | undefined {
  const exact = routes.filter((route) => route.path === path);
  const candidates = exact.length > 0 ? exact : routes.filter((route) => matchesPath(route.path, path));
  const method = action.trim().toUpperCase();
  const of = (wanted: string): Route | undefined => candidates.find((route) => route.method === wanted);
  if (HTTP_METHOD.test(method)) return of(method === "HEAD" ? "GET" : method);
  const writing = WRITES.map(of).find((route) => route !== undefined);
  return WRITE_ACTION.test(action.trim()) ? (writing ?? of("GET")) : (of("GET") ?? writing);
}

/** What a route asks for, in words. */
function needs({ access, operation }: Route): string {
  if (access === "person") return "It is for signed-in people; a key or a token has no account.";
  const { all, any } = scopesFor(operation.access);
  const scopes = [...all, ...(any.length > 0 ? [any.join(" or ")] : [])];
  return scopes.length === 0
    ? "Every valid key will do."
    : `The key must hold the scope ${scopes.join(" and ")}.`;
}

function mayCall({ access, operation }: Route, caller: Caller): boolean | null {
  if (access === "mixed") return null;
  if (caller.kind === "anonymous") return false;
  if (access === "person") return caller.kind === "person";
  const { all, any } = scopesFor(operation.access);
  return (
    all.every((scope) => allows(caller, scope)) &&
    (any.length === 0 || any.some((scope) => allows(caller, scope)))
  );
}

function verdict(target: string, kind: TargetKind, ruleId: RuleId, explanation: string): AccessVerdict {
  return {
    target,
    kind,
    verdict: "public-safe",
    ruleId,
    rule: ACCESS_RULES[ruleId],
    explanation,
    requiredScope: null,
    withoutKey: "The same answer.",
    acceptedHeaders: KEY_HEADERS,
    callerMay: true,
  };
}

/** The path of a target that is a path or an address on this service; null otherwise. */
function pathOf(baseUrl: string, target: string): string | null {
  if (target.startsWith("/")) return target.split(/[?#]/, 1)[0] ?? target;
  if (!URL.canParse(target) || !URL.canParse(baseUrl)) return null;
  const url = new URL(target);
  return url.origin === new URL(baseUrl).origin ? url.pathname : null;
}

function matchesPath(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (pattern.endsWith("/*")) return path.startsWith(pattern.slice(0, -1));
  return (
    wanted.length === given.length && wanted.every((part, at) => /^[:{]/.test(part) || part === given[at])
  );
}

/** True when a URI is the resource's, or fits its template. */
export function matchesUri(template: string, uri: string): boolean {
  if (!template.includes("{id}")) return template === uri || template === uri.replace(/\/$/, "");
  const prefix = template.slice(0, template.indexOf("{id}"));
  return (
    uri === template ||
    (uri.startsWith(prefix) && uri.length > prefix.length && !uri.slice(prefix.length).includes("/"))
  );
}

/** The names nearest to a target that does not exist, best first. */
export function nearestTargets(surface: AccessSurface, target: string): readonly string[] {
  const names = [
    ...surface.catalog.tools.map((tool) => tool.name),
    ...surface.catalog.resources.map((resource) => resource.uri),
    ...surface.catalog.prompts.map((prompt) => prompt.name),
    ...METHODS.map(({ method }) => method),
    ...surface.routes.map((route) => route.path),
  ];
  return nearestNames(target, new Set(names));
}
