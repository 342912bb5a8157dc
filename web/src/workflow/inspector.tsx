import { compileForm, parseExact, stringifyExact, type FormDocument } from "#forms/index.ts";
import { NODE_SCHEMAS } from "#workflows/schema.ts";
import { useEffect, useMemo, useRef } from "react";
import { useTools, type ToolInfo } from "../api/queries.ts";
import { Form } from "../forms/form.tsx";
import { FormStore } from "../forms/form-store.ts";
import { at, bagAt, isBag, textAt, type Bag } from "../lib/read.ts";
import { words } from "../lib/format.ts";
import { typeOf } from "./model.ts";

interface Props {
  readonly node: Bag;
  /** References that are surely known where this step runs. */
  readonly known: readonly string[];
  readonly onChange: (node: Bag) => void;
}

/** One step as a form, made from the schema that checks it; a tool's arguments come from the tool's own schema. */
export function Inspector({ node, known, onChange }: Props) {
  const tools = useTools();
  const tool = tools.data?.find((item) => item.name === textAt(node, "tool"));
  const type = typeOf(node);
  const names = tools.data;
  const document = useMemo(() => nodeForm(type, tool, names ?? [], known), [type, tool, names, known]);
  if (document === null || names === undefined) return null;
  return (
    <NodeForm
      key={`${document.formId} ${textAt(node, "id")}`}
      document={document}
      node={node}
      onChange={onChange}
    />
  );
}

function NodeForm({
  document,
  node,
  onChange,
}: {
  readonly document: FormDocument;
  readonly node: Bag;
  readonly onChange: (node: Bag) => void;
}) {
  const mine = useRef("");
  const store = useMemo(() => new FormStore(document, parseExact(JSON.stringify(node))), [document]);
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  // A change from elsewhere (undo, the canvas) comes in; a change made here goes out.
  useEffect(() => {
    const given = JSON.stringify(node);
    if (given !== mine.current && given !== stringifyExact(store.value ?? {}))
      store.replace(parseExact(given));
  }, [node, store]);
  useEffect(
    () =>
      store.subscribeAll(() => {
        const text = stringifyExact(store.value ?? {});
        if (text === mine.current) return;
        mine.current = text;
        const value: unknown = JSON.parse(text);
        if (isBag(value) && textAt(value, "id") !== "") latest.current(value);
      }),
    [store],
  );
  return <Form store={store} />;
}

function nodeForm(
  type: keyof typeof NODE_SCHEMAS,
  tool: ToolInfo | undefined,
  tools: readonly ToolInfo[],
  known: readonly string[],
): FormDocument | null {
  const base: unknown = JSON.parse(JSON.stringify(NODE_SCHEMAS[type]));
  if (!isBag(base)) return null;
  const properties = bagAt(base, "properties");
  const changed: Record<string, unknown> = { ...properties };
  if (type === "tool") {
    changed["tool"] = {
      ...bagAt(properties, "tool"),
      examples: undefined,
      enum: undefined,
      oneOf: tools.map((item) => ({ const: item.name, title: `${item.title} (${item.name})` })),
    };
    if (tool !== undefined)
      changed["with"] = { ...bagable(tool.inputSchema, known), title: `Arguments of ${tool.title}` };
  }
  const order = [
    "id",
    "type",
    "title",
    "tool",
    "with",
    "approval",
    "cases",
    "wait",
    "map",
    "handoff",
    "subworkflow",
    "set",
    "if",
  ];
  const sorted = Object.fromEntries(
    Object.entries(changed).toSorted(([a], [b]) => rank(order, a) - rank(order, b)),
  );
  const schema: unknown = JSON.parse(JSON.stringify({ ...base, properties: sorted }));
  return (
    compileForm(schema, { formId: `node:${type}:${tool?.name ?? ""}:${known.length}`, title: "Step" }).form ??
    null
  );
}

function rank(order: readonly string[], key: string): number {
  const found = order.indexOf(key);
  return found < 0 ? order.length : found;
}

/** A tool's schema in which each argument may also be a reference or an expression. */
function bagable(schema: Bag, known: readonly string[]): Bag {
  const properties = Object.entries(bagAt(schema, "properties")).map(([name, property]) => [
    name,
    {
      title: textAt(property, "title", words(name)),
      ...(typeof at(property, "description") === "string" && {
        description: textAt(property, "description"),
      }),
      anyOf: [
        { title: "Value", ...(isBag(property) ? property : {}) },
        {
          title: "From elsewhere",
          type: "object",
          required: ["$ref"],
          additionalProperties: false,
          properties: {
            $ref: {
              type: "string",
              title: "Reference",
              examples: known.slice(0, 3),
              description: "For example $inputs.url or $steps.fetch.outputs#/data/id",
            },
          },
        },
        {
          title: "Expression",
          type: "object",
          required: ["$expr"],
          additionalProperties: false,
          properties: { $expr: { type: "string", title: "CEL expression" } },
        },
      ],
    },
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: at(schema, "required"),
    additionalProperties: false,
  };
}
