import { isJsonObject, isObject, type JsonObject } from "../kernel/json.ts";
import type { WorkerTask } from "../ports/platform.ts";
import type { RenderInput } from "../sources/render-form.ts";
import type { Question } from "../sources/read-description.ts";
import type { ToolView } from "../workflows/catalog-view.ts";
import type { Found } from "../workflows/views.ts";

/** A task: JSON in, JSON out, and the text of a document if one went along. An AppError that it throws reaches the caller as it is. */
type Task = (input: unknown, document: string, bytes: Uint8Array) => unknown;

/** An output with long texts beside it; the caller gets `{output, texts}`. */
export class WithTexts {
  readonly output: unknown;
  readonly texts: readonly string[];

  constructor(output: unknown, texts: readonly string[]) {
    this.output = output;
    this.texts = texts;
  }
}

/** How each task is loaded: the code of a task that is not asked for is not in memory. */
const LOADERS: Readonly<Record<WorkerTask, (shared: unknown) => Promise<Task>>> = {
  async validate_value() {
    const { checkText } = await import("./schema-checker.ts");
    return (input) => checkText(member(input, "schema"), member(input, "value"));
  },
  async json_shape() {
    const { jsonShape } = await import("../kernel/json-shape.ts");
    return (_input, _document, bytes) => jsonShape(bytes);
  },
  async read_yaml() {
    const { readYaml } = await import("../kernel/yaml.ts");
    const { AppError } = await import("../kernel/errors.ts");
    return (input) => {
      try {
        return { value: readYaml(String(member(input, "text")), { maxAliasCount: 100 }) };
      } catch {
        throw new AppError("invalid_input", "The text is not YAML, or has a key twice.");
      }
    };
  },
  async look_up() {
    const { lookUp } = await import("../sources/read-description.ts");
    return (input, document) => {
      const question = member(input, "question");
      if (!isQuestion(question)) throw new TypeError("nothing was asked");
      return lookUp(document, String(member(input, "baseUrl")), question);
    };
  },
  async read_definitions() {
    const { readDefinitions } = await import("../sources/api-definitions.ts");
    return (input, document) => {
      const { url, known = null } = object(input);
      const api = readDefinitions(
        document,
        typeof url === "string" ? url : "",
        isObject(known) ? known : null,
      );
      const definitions = api.definitions.map(({ text: _text, ...rest }) => rest);
      return new WithTexts(
        { ...api, definitions },
        api.definitions.map(({ text }) => text),
      );
    };
  },
  async render_form() {
    const { keptDigest, renderForm, written } = await import("../sources/render-form.ts");
    return (input) => {
      const { schema, source, title, formId, trusted, limit, gateway } = object(input);
      const asked: RenderInput = {
        schema: object(schema),
        source: { kind: "json_schema", ...object(source) },
        title: typeof title === "string" ? title : undefined,
        formId: typeof formId === "string" ? formId : undefined,
        trusted: trusted === true,
        limit: typeof limit === "number" ? limit : 0,
      };
      const form = renderForm(asked, typeof gateway === "string" ? gateway : "");
      const { json, ...about } = written(form);
      return new WithTexts({ ...about, digest: keptDigest(asked, form.title) }, [json]);
    };
  },
  async import_workflow() {
    const { readWorkflow } = await import("../formats/importing.ts");
    return (input) => {
      const source = member(input, "source");
      return readWorkflow(isJsonObject(source) ? source : String(source));
    };
  },
  async workflow_needs() {
    const { parseDocument } = await import("../workflows/document.ts");
    const { needsOf } = await import("../workflows/views.ts");
    return (input) => needsOf(parseDocument(object(member(input, "document"))).document);
  },
  async check_workflow(shared) {
    const { checkDocument } = await import("../workflows/checking.ts");
    const own = toolViews(shared);
    return (input) => {
      const { document, workflowId } = object(input);
      const found = member(input, "found");
      if (!isFound(found)) throw new TypeError("nothing was looked up");
      return checkDocument(object(document), own, found, typeof workflowId === "string" ? workflowId : null);
    };
  },
};

const loaded = new Map<WorkerTask, Task>();

/** The code of a task, loaded once. */
export async function loadTask(name: WorkerTask, shared: unknown): Promise<Task> {
  const known = loaded.get(name);
  if (known) return known;
  const task = await LOADERS[name](shared);
  loaded.set(name, task);
  return task;
}

function member(input: unknown, name: string): unknown {
  return isObject(input) ? input[name] : undefined;
}

function object(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Only our own process asks. */
function isQuestion(value: unknown): value is Question {
  return isObject(value) && (value["kind"] === "operation" || value["kind"] === "event");
}

function toolViews(value: unknown): ToolView[] {
  return Array.isArray(value) ? value.filter(isToolView) : [];
}

/** Only our own process sends what it looked up. */
function isFound(value: unknown): value is Found {
  return isObject(value) && Array.isArray(value["tools"]) && isObject(value["subworkflows"]);
}

/** Only our own process sends views, made by `viewOfTool`. */
function isToolView(value: unknown): value is ToolView {
  return isObject(value) && typeof value["name"] === "string" && isObject(value["inputSchema"]);
}
