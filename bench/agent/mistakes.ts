/* Mistakes about records, states and connected tools. The repair follows the error: its problems, the nearest name, the kind, version or list that it names. */

type Json = Record<string, unknown>;
type Step = readonly [tool: string, args: Json];

/** The API of the connected shop. */
export const ORDERS_PATHS = {
  "/orders": {
    post: {
      operationId: "createOrder",
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties: {
                item: { type: "string" },
                quantity: { type: "integer", minimum: 1 },
                size: { enum: ["small", "large"] },
              },
              required: ["item"],
              additionalProperties: false,
            },
          },
        },
      },
      responses: { 201: { description: "made" } },
    },
  },
  "/orders/{id}": {
    get: {
      operationId: "getOrder",
      parameters: [
        { name: "id", in: "path", required: true, schema: { type: "string" } },
        { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 50 } },
      ],
      responses: { 200: { description: "ok" } },
    },
  },
};
const typo = (id = ""): string => `${id.slice(0, -1)}${id.endsWith("z") ? "y" : "z"}`;
const own = (name: string, args: Json = {}): Step => ["call", { name, arguments: args }];
const connected = (name: string, args: Json): Step => ["call", { name, arguments: args }];
const KINDS = ["workflow", "run", "approval", "artifact"] as const;
const READERS = { workflow: "get_workflow", run: "get_workflow_run", artifact: "get_artifact" } as const;
const item = "tea";
/** Calls that each have one mistake, with the ids of records that exist. */
export const mistakesWith = (ids: Readonly<Record<string, string>>): readonly Step[] => [
  ...KINDS.map((kind): Step => ["get", { kind, id: typo(ids[kind]) }]),
  // The id of one kind where another is wanted.
  ...KINDS.flatMap((kind) =>
    KINDS.filter((other) => other !== kind).map((other): Step => ["get", { kind, id: ids[other] }]),
  ),
  ...Object.entries(READERS).flatMap(([kind, tool]) => [
    own(tool, { id: typo(ids[kind]) }),
    own(tool, { id: "the-newest" }),
  ]),
  ["get", { kind: "template", id: "form-intake-aproval" }],
  ["get", { kind: "template", id: "form-intake" }],
  own("get_template", { id: "form-intake-approvals" }),
  own("instantiate_template", { templateId: "form_intake_approval", name: "x" }),
  ["run", { workflow: typo(ids["workflow"]) }],
  own("get_workflow", { id: ids["artifact"] }),
  ["try_workflow", { id: typo(ids["workflow"]) }],
  ["write_workflow", { id: typo(ids["workflow"]), description: "x" }],
  own("validate_workflow", { id: typo(ids["workflow"]) }),
  own("plan_workflow", { id: typo(ids["workflow"]) }),
  own("dry_run_workflow", { id: typo(ids["workflow"]) }),
  own("publish_workflow", { id: typo(ids["workflow"]) }),
  own("update_artifact", { id: ids["artifact"], artifact: { title: "y", version: 9 } }),
  own("update_artifact", { id: typo(ids["artifact"]), artifact: { title: "y" } }),
  own("publish_artifact", { id: ids["artifact"] }),
  own("get_integration_status", { slug: "evls" }),
  own("get_integration_status", { slug: "sandbx" }),
  own("get_cli_example", { id: "cal-preview" }),
  own("get_agent_platform", { id: "mcp-clients" }),
  own("save_artefact", { artifact: { title: "x" } }),
  own("list_artifact", {}),
  own("render_mcp_tool_form", { toolName: "save_artefact" }),
  ["describe", { name: "save_artefact" }],
  ["describe", { name: "shop:createOder" }],
  ["render_form", { tool: "save_artefact" }],
  ["list", { kind: "workflows" }],
  ["get", { kind: "runs", id: ids["run"] }],
  connected("shop:createOder", { body: { item } }),
  connected("shp:createOrder", { body: { item } }),
  connected("shop:createOrder", {}),
  connected("shop:createOrder", { body: {} }),
  connected("shop:createOrder", { item }),
  connected("shop:createOrder", { body: { itm: item } }),
  connected("shop:createOrder", { body: { item: 5 } }),
  connected("shop:createOrder", { body: { item, quantity: "2" } }),
  connected("shop:createOrder", { body: { item, quantity: 0 } }),
  connected("shop:createOrder", { body: { item, size: "huge" } }),
  connected("shop:createOrder", { body: { item, colour: "red" } }),
  connected("shop:getOrder", {}),
  connected("shop:getOrder", { id: "o1" }),
  connected("shop:getOrder", { path: { id: "o1" }, query: { limit: 500 } }),
  connected("shop:getOrder", { path: { id: "o1" }, query: { limit: "5" } }),
  connected("shop:getOrder", { path: { id: "o1", limit: 5 } }),
];

/** Sets or removes what a pointer names, in a copy. */
function withValue(root: any, pointer: string, value: unknown): any {
  const copy = structuredClone(root);
  const path = namesIn(pointer);
  const last = path.pop() ?? "";
  let at = copy;
  for (const name of path) at = at[name] ??= {};
  if (value === undefined && Array.isArray(at)) at.splice(Number(last), 1);
  else if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}
const namesIn = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
const valueAt = (root: any, pointer: string): any =>
  namesIn(pointer).reduce((at: any, name) => at?.[name], root);

/** The arguments after each problem's fix was done once: a rename, a move, a removal, or the example put in its place. */
export function repaired(args: any, problems: readonly any[]): any {
  let next = args;
  for (const { pointer, fix = "", example } of problems) {
    const parent = pointer.slice(0, pointer.lastIndexOf("/"));
    const [, from = "", to = ""] = /^Rename "([^"]+)" to "([^"]+)"/.exec(fix) ?? [];
    const [, moved = ""] = /^Move "[^"]+" to (\S+)\.$/.exec(fix) ?? [];
    const value = valueAt(args, pointer);
    if (to !== "")
      next = withValue(withValue(next, `${parent}/${to}`, value), `${parent}/${from}`, undefined);
    else if (moved !== "") next = withValue(withValue(next, moved, value), pointer, undefined);
    else if (fix.startsWith("Remove")) next = withValue(next, pointer, undefined);
    // What a problem before it put here may be right already.
    else if (example !== undefined && (!fix.startsWith("Add") || valueAt(next, pointer) === undefined))
      next = pointer === "" ? example : withValue(next, pointer, example);
  }
  return next;
}
/** What the error says to do, done once. */
export async function follow(
  [tool, args]: Step,
  error: any,
  list: (kind: string) => Promise<readonly { readonly id: string }[]>,
): Promise<Step> {
  const isInner = tool === "call";
  const inner: any = isInner ? args["arguments"] : args;
  const put = (changed: any): Step => [tool, isInner ? { ...args, arguments: changed } : changed];
  const problems = error.problems ?? [];
  const [named] = problems;
  const meant = /Did you mean "([^"]+)"/.exec(named?.fix ?? "")?.[1];
  if (meant !== undefined) return [tool, { ...args, name: meant }];
  if (problems.length > 0) return put(repaired(inner, problems));
  const { nearest = [], currentVersion } = error.details ?? {};
  if (currentVersion !== undefined) return put(withValue(inner, "/artifact/version", currentVersion));
  const text = String(error.nextAction ?? "");
  const name = ["templateId", "id", "slug", "toolName", "tool", "name", "workflow"].find(
    (key) => key in inner,
  );
  if (nearest.length > 0) {
    if (isInner && String(args["name"]).includes(":")) return [tool, { ...args, name: nearest[0] }];
    return put({ ...inner, [name ?? "id"]: nearest[0] });
  }
  const kind = /get \{"kind": "(\w+)"\}/.exec(text)?.[1];
  if (kind !== undefined && tool === "get") return put({ ...inner, kind });
  const listed = /list \{"kind": "(\w+)"\}/.exec(text)?.[1];
  if (listed !== undefined) {
    const found = await list(listed);
    const wrong = String(inner[name ?? "id"]);
    const common = (id: string): number => {
      let length = 0;
      while (length < id.length && id[length] === wrong[length]) length++;
      return length;
    };
    const [best] = found.toSorted((a, b) => common(b.id) - common(a.id));
    return put({ ...inner, [name ?? "id"]: best?.id });
  }
  return [tool, args];
}
