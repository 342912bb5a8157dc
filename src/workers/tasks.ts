import type { Texts, WorkerTask, WorkerTasks } from "../ports/platform.ts";
import { inputOf, type Shared } from "./protocol.ts";

/** A task, and the text of a document or its bytes if one went along. An AppError that it throws reaches the caller as it is. */
type Task<T extends WorkerTask> = (
  input: WorkerTasks[T]["input"],
  document: string,
  bytes: Uint8Array,
) => WorkerTasks[T]["output"];

/** A task with its input as JSON text. */
type LoadedTask<T extends WorkerTask> = (
  input: string,
  document: string,
  bytes: Uint8Array,
) => WorkerTasks[T]["output"];

/** An output with long texts beside it. */
export class WithTexts<T> implements Texts<T> {
  readonly output: T;
  readonly texts: readonly string[];

  constructor(output: T, texts: readonly string[]) {
    this.output = output;
    this.texts = texts;
  }
}

/** How each task is loaded: the code of a task that is not asked for is not in memory. */
const LOADERS: { readonly [T in WorkerTask]: (shared: Shared) => Promise<Task<T>> } = {
  async validate_value() {
    const { checkText } = await import("./schema-checker.ts");
    return ({ schema, value }) => checkText(schema, value);
  },
  async json_shape() {
    const { jsonShape } = await import("../kernel/json-shape.ts");
    return (_input, _document, bytes) => jsonShape(bytes);
  },
  async read_yaml() {
    const { readYaml } = await import("../kernel/yaml.ts");
    const { AppError } = await import("../kernel/errors.ts");
    return ({ text }) => {
      try {
        return { value: readYaml(text, { maxAliasCount: 100 }) };
      } catch {
        throw new AppError("invalid_input", "The text is not YAML, or has a key twice.");
      }
    };
  },
  async look_up() {
    const { lookUp } = await import("../sources/look-up.ts");
    return ({ baseUrl, question }, document) => lookUp(document, baseUrl, question);
  },
  async read_definitions() {
    const { readDefinitions } = await import("../sources/api-definitions.ts");
    return ({ url, known }, document) => {
      const api = readDefinitions(document, url, known);
      const definitions = api.definitions.map(({ text: _text, ...rest }) => rest);
      return new WithTexts(
        { ...api, definitions },
        api.definitions.map(({ text }) => text),
      );
    };
  },
  async render_form() {
    const { keptDigest, renderForm, written } = await import("../rendering/render-form.ts");
    return ({ gateway, ...asked }) => {
      const form = renderForm(asked, gateway);
      const { json, ...about } = written(form);
      return new WithTexts({ ...about, digest: keptDigest(asked, form.title) }, [json]);
    };
  },
  async import_workflow() {
    const { readWorkflow } = await import("../formats/importing.ts");
    return ({ source }) => readWorkflow(source);
  },
  async workflow_needs() {
    const { parseDocument } = await import("../workflows/document.ts");
    const { needsOf } = await import("../workflows/views.ts");
    return ({ document }) => needsOf(parseDocument(document).document);
  },
  async check_workflow(shared) {
    const { checkDocument } = await import("../workflows/checking.ts");
    return ({ document, workflowId, found }) => checkDocument(document, shared ?? [], found, workflowId);
  },
};

/** The code of a task. */
export async function loadTask<T extends WorkerTask>(name: T, shared: Shared): Promise<LoadedTask<T>> {
  const task = await LOADERS[name](shared);
  return (text, document, bytes) => task(inputOf(name, text), document, bytes);
}
