import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { ProposedTrigger } from "../model/triggers.ts";
import { quote, type HttpCollector } from "./http/collector.ts";
import { listAt, objectAt, textAt } from "./reading.ts";

/** Names what has no counterpart here. */
export type Lose = (what: string, why: string) => void;

interface FormField {
  readonly word: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
  /** What steps get when it was left empty, as in n8n. */
  readonly empty: Json;
}

const MULTILINE = { "x-ui": { widget: "multiline" } } as const;
const SCALARS: Readonly<Record<string, JsonObject>> = {
  text: { type: "string" },
  textarea: { type: "string", ...MULTILINE },
  email: { type: "string", format: "email" },
  date: { type: "string", format: "date" },
  number: { type: "number" },
  password: { type: "string", format: "password" },
};
/** Options of a form trigger that its page here has too, or needs no setting for. */
const READ_OPTIONS = new Set([
  "path",
  "formSubmittedText",
  "respondWithOptions",
  "appendAttribution",
  "useWorkflowTimezone",
]);

/** Makes inputs of the fields of a form. What a field of ours has not is named. */
export function readFormFields(parameters: JsonObject, collector: HttpCollector, lose: Lose): void {
  for (const field of elementsOf(parameters, lose)) {
    const made = fieldOf(field, lose);
    if (made !== null) collector.field(made.word, made.schema, made.isRequired, made.empty);
  }
}

/** The settings of the page that a form trigger becomes. `inputOf` names the input of a field. */
export function formPageOf(
  parameters: JsonObject,
  inputOf: (word: string) => string,
  lose: Lose,
): Partial<ProposedTrigger> {
  const options = objectAt(parameters, "options");
  const answer = objectAt(objectAt(options, "respondWithOptions"), "values");
  const thanks = textAt(answer, "formSubmittedText") || textAt(options, "formSubmittedText");
  if (textAt(answer, "respondWith") === "redirect")
    lose(
      `That the form leads to ${quote(textAt(answer, "redirectUrl"))} afterwards.`,
      "Its page shows how far the run is.",
    );
  for (const option of Object.keys(options).filter((name) => !READ_OPTIONS.has(name)))
    lose(`The option ${quote(option)} of the form.`, "A form page has no such setting.");
  const hidden = elementsOf(parameters, () => {}).filter(
    (field) => textAt(field, "fieldType") === "hiddenField",
  );
  const inputs = hidden.map(
    (field) => [inputOf(textAt(field, "fieldName")), textAt(field, "fieldValue")] as const,
  );
  const title = textAt(parameters, "formTitle");
  const text = plainText(textAt(parameters, "formDescription"), lose);
  return {
    ...(title !== "" && { title: title.slice(0, 200) }),
    ...(text !== "" && { text: text.slice(0, 4_000) }),
    ...(thanks !== "" && { thanks: thanks.slice(0, 1_000) }),
    ...(textAt(parameters, "responseMode") === "responseNode" && { showOutputs: true }),
    ...(inputs.length > 0 && { inputs: Object.fromEntries(inputs) }),
  };
}

function elementsOf(parameters: JsonObject, lose: Lose): readonly JsonObject[] {
  const listed = listAt(objectAt(parameters, "formFields"), "values").filter(isJsonObject);
  const written = textAt(parameters, "jsonOutput");
  if (textAt(parameters, "defineForm") !== "json" || written === "") return listed;
  try {
    const fields: unknown = JSON.parse(written.replace(/^=/, ""));
    if (Array.isArray(fields)) return fields.filter(isJsonObject);
  } catch {
    // Named below.
  }
  lose("The fields of a form that are written as JSON.", "They are computed; add inputs in the editor.");
  return [];
}

function fieldOf(field: JsonObject, lose: Lose): FormField | null {
  const kind = textAt(field, "fieldType") || "text";
  const word = textAt(field, "fieldName") || textAt(field, "fieldLabel");
  const title = textAt(field, "fieldLabel") || word;
  const hint = textAt(field, "placeholder");
  const given = textAt(field, "defaultValue");
  const isRequired = field["requiredField"] === true && kind !== "hiddenField";
  const options = listAt(objectAt(field, "fieldOptions"), "values").flatMap((item) =>
    isJsonObject(item) ? [textAt(item, "option")] : [],
  );
  const choice = options.length > 0 ? { type: "string", enum: [...new Set(options)] } : { type: "string" };
  const made = (schema: JsonObject, empty: Json = "", preset: Json = given): FormField => ({
    word,
    schema: { ...schema, title, ...(given !== "" && { default: preset }) },
    isRequired,
    empty,
  });
  switch (kind) {
    case "html":
      lose(
        `The text ${quote(textAt(field, "html").slice(0, 60))} in the form.`,
        "A page has one text, under its title.",
      );
      return null;
    case "hiddenField":
      if (textAt(field, "fieldValue") === "")
        lose(
          `That the address of the form can set ${quote(word)}.`,
          "It is empty; set it in the inputs of the trigger.",
        );
      return made({ type: "string" });
    case "dropdown":
    case "radio":
    case "checkbox": {
      if (kind !== "checkbox" && field["multiselect"] !== true) return made(choice);
      const many = { type: "array", items: choice, uniqueItems: true, ...limitsOf(field, isRequired) };
      return made(
        many,
        [],
        given.split(",").map((one) => one.trim()),
      );
    }
    case "file": {
      const accepted = textAt(field, "acceptFileTypes");
      if (accepted !== "")
        lose(
          `That ${quote(title)} takes only ${accepted.slice(0, 80)}.`,
          "The page takes files of every type.",
        );
      lose(
        `That ${quote(title)} is a file in the data of steps.`,
        "It is saved as an artifact, and steps get its id.",
      );
      const file = { type: "string", format: "artifact" };
      return field["multipleFiles"] === false
        ? made(file)
        : made({ type: "array", items: file, ...(isRequired && { minItems: 1 }) }, []);
    }
    case "number":
      return made(SCALARS["number"] ?? {}, 0, Number.isFinite(Number(given)) ? Number(given) : 0);
    default:
      if (SCALARS[kind] === undefined)
        lose(`That ${quote(title)} is a field of the kind ${quote(kind)}.`, "It is asked for as text.");
      return made({
        ...(SCALARS[kind] ?? SCALARS["text"]),
        ...(hint !== "" && { "x-ui": { ...objectAt(SCALARS[kind] ?? {}, "x-ui"), placeholder: hint } }),
      });
  }
}

/** How many options may be chosen. */
function limitsOf(field: JsonObject, isRequired: boolean): JsonObject {
  const number = (name: string): number => Math.max(0, Math.round(Number(field[name] ?? 1)) || 0);
  const exact = number("numberOfSelections");
  const isExact = textAt(field, "limitSelection") === "exact";
  const isRange = textAt(field, "limitSelection") === "range";
  const least = Math.max(isExact ? exact : isRange ? number("minSelections") : 0, isRequired ? 1 : 0);
  return {
    ...(least > 0 && { minItems: least }),
    ...((isExact || isRange) && { maxItems: isExact ? exact : number("maxSelections") }),
  };
}

/** Text without markup. */
function plainText(html: string, lose: Lose): string {
  const text = html.replaceAll(/\\n|<br\s*\/?>/g, "\n").replaceAll(/<\/?[A-Za-z][^<>]{0,500}>/g, "");
  if (/<[A-Za-z]/.test(html.replaceAll(/<br\s*\/?>/g, "")))
    lose("The markup in the text of the form.", "The text of a form page is plain.");
  return text;
}
