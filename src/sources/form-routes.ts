import { withCompanions, withHints, type FormSource } from "../forms/index.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { HttpRoute } from "../ports/http.ts";
import { sizeFor } from "../ports/settings.ts";
import { renderAnswer } from "./rendering.ts";

const MEMBERS = ["schema", "title", "sourceRef", "hints", "companions"];

/** What there is about forms beside the tools: a schema that comes in several documents. */
export const formRoutes: readonly HttpRoute[] = [
  {
    method: "POST",
    path: "/api/svc/forms",
    summary:
      "Renders a JSON Schema as a form, with documents that it refers to (companions, by address) and how it should look (hints).",
    access: "mixed",
    async handle({ body, context }) {
      const { schema, title, source } = read(body);
      const limit = sizeFor(context.caller, context.services.settings.schemaBytes);
      const input = { schema, source, title, trusted: false, limit };
      return { status: 200, body: await renderAnswer(input, context) };
    },
  },
];

interface Asked {
  readonly schema: JsonObject;
  readonly title: string | undefined;
  readonly source: FormSource;
}

/** The schema with everything that was sent along inside it, so that the bounds are those of the whole. */
function read(body: Json | undefined): Asked {
  if (!isJsonObject(body)) throw wrong("", "Give an object with `schema`.");
  const { schema, title, sourceRef, hints, companions = {} } = body;
  for (const name of Object.keys(body))
    if (!MEMBERS.includes(name)) throw wrong(`/${name}`, `There is no member “${name.slice(0, 60)}”.`);
  if (!isJsonObject(schema)) throw wrong("/schema", "`schema` is a JSON Schema: an object.");
  if (title !== undefined && typeof title !== "string") throw wrong("/title", "`title` is a text.");
  if (sourceRef !== undefined && typeof sourceRef !== "string")
    throw wrong("/sourceRef", "`sourceRef` is a text.");
  if (hints !== undefined && !isJsonObject(hints))
    throw wrong("/hints", "`hints` is an object: hints by JSON Pointer, a uiSchema or a UI schema.");
  if (!isJsonObject(companions) || Object.values(companions).some((document) => !isJsonObject(document)))
    throw wrong("/companions", "`companions` is an object of schemas by their addresses.");
  const whole = Object.keys(companions).length === 0 ? schema : withCompanions(schema, companions);
  return {
    schema: hints === undefined ? whole : withHints(whole, hints),
    title,
    source: { kind: "json_schema", ...(sourceRef !== undefined && { ref: sourceRef }) },
  };
}

function wrong(pointer: string, message: string): AppError {
  return new AppError("invalid_input", message, {
    problems: [{ pointer, message }],
    nextAction: `Send ${MEMBERS.join(", ")}; only schema is required.`,
  });
}
