/* Inputs that make careless code slow, each growing with a size in characters. */

/** One family of inputs. */
export interface Shape {
  readonly name: string;
  readonly make: (size: number) => unknown;
}

const repeated =
  (part: string, end = "") =>
  (size: number): string =>
    part.repeat(Math.max(1, Math.floor(size / part.length))) + end;

const entries = (count: number, member: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: Math.max(1, count) }, (_, i) => [`k${i}`, member(i)]));

const nested = (depth: number, key: string): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = key === "" ? [value] : { [key]: value };
  return value;
};

/** Texts: runs, unclosed brackets, near misses of what patterns look for. */
export const TEXTS: readonly Shape[] = [
  { name: "one letter", make: repeated("a") },
  { name: "slashes and an end", make: repeated("/", "x") },
  { name: "opening braces", make: repeated("/{") },
  { name: "opening brackets", make: repeated("[(") },
  { name: "spaces and an end", make: repeated(" ", "x") },
  { name: "dashes and an end", make: repeated("-", "x") },
  { name: "dots", make: repeated(".", "x") },
  { name: "lines", make: repeated("\n", "x") },
  { name: "words", make: repeated("aA1_ ") },
  { name: "addresses", make: (size) => `http://${repeated("asyncapi.yaml?")(size)}` },
  { name: "tokens", make: repeated("eyJaaaaaaaaaaa.eyJ-") },
  { name: "wide letters", make: repeated("ﬃ\u0301") },
  { name: "lists", make: repeated("a,;q=0") },
];

/** Objects: wide, deep, and shaped like schemas and graphs. */
export const OBJECTS: readonly Shape[] = [
  { name: "wide", make: (size) => entries(size / 10, () => 1) },
  { name: "deep", make: (size) => nested(Math.min(55, size), "a") },
  {
    name: "a schema of properties",
    make: (size) => ({ type: "object", properties: entries(size / 25, () => ({ type: "string" })) }),
  },
  {
    name: "a schema of references to itself",
    make: (size) => ({
      type: "object",
      properties: entries(size / 40, () => ({ $ref: "#", minProperties: 1 })),
    }),
  },
  {
    name: "alternatives",
    make: (size) => ({ anyOf: Array.from({ length: size / 14 }, () => ({ $ref: "#" })) }),
  },
  {
    name: "requirements",
    make: (size) => ({ required: Array.from({ length: size / 9 }, (_, i) => `k${i}`) }),
  },
  { name: "a long text", make: (size) => ({ title: "t", text: repeated("/{")(size) }) },
  { name: "long names", make: (size) => ({ [repeated("x")(size / 2)]: 1, [repeated("y")(size / 2)]: 2 }) },
  {
    name: "dependent schemas",
    make: (size) => ({ type: "object", dependentSchemas: entries(size / 20, () => ({ $ref: "#" })) }),
  },
];

/** Arrays: of numbers, texts, empty objects and steps. */
export const ARRAYS: readonly Shape[] = [
  { name: "numbers", make: (size) => Array.from({ length: size / 4 }, (_, i) => i) },
  { name: "texts", make: (size) => Array.from({ length: size / 8 }, (_, i) => `t${i}`) },
  { name: "empty objects", make: (size) => Array.from({ length: size / 3 }, () => ({})) },
  { name: "deep arrays", make: (size) => [nested(Math.min(50, size), "")] },
  {
    name: "steps",
    make: (size) =>
      Array.from({ length: size / 70 }, (_, i) => ({
        id: `n${i}`,
        type: "transform",
        value: { $expr: `inputs.a${i} + 1` },
      })),
  },
  {
    name: "steps of one name",
    make: (size) => Array.from({ length: size / 40 }, () => ({ id: "n", type: "tool", tool: "get_workflw" })),
  },
];

/** Bodies of forms: few long and many short parameters. */
export const FORMS: readonly Shape[] = [
  { name: "short parameters", make: repeated("a&") },
  { name: "one name again and again", make: repeated("grant_type=x&") },
  {
    name: "different names",
    make: (size) => Array.from({ length: size / 9 }, (_, i) => `k${i}=1`).join("&"),
  },
  { name: "a long value", make: (size) => `client_id=${repeated("a")(size)}` },
  { name: "a long name", make: (size) => `${repeated("a")(size)}=1` },
  { name: "percent signs", make: (size) => `token=${repeated("%")(size)}` },
  { name: "encoded letters", make: (size) => `code=${repeated("%C3%A9")(size)}` },
  { name: "equals signs", make: repeated("=") },
  { name: "brackets", make: (size) => `scope${repeated("[a]")(size)}=1` },
  { name: "scopes", make: (size) => `grant_type=refresh_token&scope=${repeated("a+")(size)}` },
];

/** Texts of documents, YAML first. */
export const DOCUMENTS: readonly Shape[] = [
  { name: "YAML keys", make: (size) => Array.from({ length: size / 9 }, (_, i) => `k${i}: 1`).join("\n") },
  { name: "YAML flow sequences", make: (size) => `a: ${"[".repeat(Math.min(size, 5_000))}` },
  { name: "YAML list", make: (size) => `nodes:\n${"- {id: a, type: tool}\n".repeat(size / 22)}` },
  { name: "YAML aliases", make: (size) => `a: &a [1]\nb: [${"*a,".repeat(size / 3)}]` },
  { name: "YAML comments", make: (size) => `a: 1\n${"# x\n".repeat(size / 4)}` },
  {
    name: "JSON steps",
    make: (size) =>
      JSON.stringify({
        nodes: Array.from({ length: size / 40 }, (_, i) => ({ id: `n${i}`, type: "transform", value: i })),
        edges: [],
      }),
  },
  {
    name: "Arazzo steps",
    make: (size) =>
      JSON.stringify({
        arazzo: "1.0.0",
        info: { title: "x", version: "1" },
        sourceDescriptions: [],
        workflows: [
          {
            workflowId: "w",
            steps: Array.from({ length: size / 50 }, (_, i) => ({
              stepId: `s${i}`,
              operationId: "get_info",
            })),
          },
        ],
      }),
  },
  {
    name: "Serverless Workflow tasks",
    make: (size) =>
      JSON.stringify({
        document: { dsl: "1.0.0", namespace: "x", name: "x", version: "1.0.0" },
        do: Array.from({ length: size / 40 }, (_, i) => ({ [`t${i}`]: { set: { a: i } } })),
      }),
  },
];
