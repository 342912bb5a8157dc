import type { Envelope } from "../kernel/envelope.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Trace } from "../kernel/trace.ts";
import type { RunDetail } from "../model/runs.ts";
import type { Caller } from "./caller.ts";
import type { Services } from "./services.ts";
import type { SiblingName } from "./settings.ts";

/**
 * What a tool, resource or prompt gets besides its arguments. Some members are computed on demand, so a context is
 * never spread: `contextWith` changes one. It is declared as a class because lint then refuses the spread.
 */
export abstract class CallContext {
  abstract readonly caller: Caller;
  abstract readonly services: Services;
  abstract readonly trace: Trace;
  abstract readonly requestId: string;
  abstract readonly signal: AbortSignal;
  /** `_meta` of the request: extras that have no place in a tool's parameters (see docs). */
  abstract readonly meta: JsonObject;
  /** In a dry run the dispatcher refuses every tool that can change something. */
  abstract readonly dryRun?: boolean;
  /** Of a run: the connected tools that it may call, each with the pin that it had when the run started. */
  abstract readonly pins?: Readonly<Record<string, string | null>> | undefined;
  /** Takes reports of progress; absent when the caller did not ask for them or cannot receive them. */
  abstract readonly onProgress?: ((update: ProgressUpdate) => void) | undefined;
  /** Asks the person at the caller something in the middle of the call; absent when the caller cannot be asked. */
  abstract readonly questions?: Questions | undefined;
  /** Asks the client before anything was done; absent when it cannot be asked. */
  abstract readonly client?: ClientRequests | undefined;
}

/** Requests of the service to a client, each with a key of its own: `{method, params}`. */
export interface ClientRequests {
  /** How the person at the client can be asked. */
  readonly modes: ReadonlySet<QuestionMode>;
  /**
   * The results by key. A client of revision 2026-07-28 sends its call again with them, so what asks must not have
   * changed anything before: the call runs from its beginning, in any process.
   */
  ask(requests: Readonly<Record<string, JsonObject>>): Promise<JsonObject>;
}

/** Ends a call whose client has to be asked first. Only the entry point of that client catches it. */
export class Unanswered extends Error {
  readonly requests: JsonObject;

  constructor(requests: JsonObject) {
    super("the client has to be asked first");
    this.requests = requests;
  }
}

/** How a question is answered: in a form, or by opening an address. */
export type QuestionMode = "form" | "url";

/** Asks the caller: parameters and answer are those of MCP's `elicitation/create`. */
export interface Questions {
  readonly modes: ReadonlySet<QuestionMode>;
  ask(params: JsonObject): Promise<JsonObject>;
}

/** How far a call has come, as MCP says it. */
export interface ProgressUpdate extends JsonObject {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The sibling that a tool asks to confirm what it does: always the same, or the one that an argument names. */
export type AsksSibling = SiblingName | { readonly argument: string; readonly otherwise: SiblingName | null };

/** What calling a tool can change. Dry runs block everything but `none`. */
export type Effect = "none" | "write" | "destructive" | "external";

/** How an MCP endpoint presents its tools. */
export interface EntryPoint {
  /** Leads a model through a task. */
  readonly instructions: string;
  /** Whether tools/list shows the schemas of answers. */
  readonly listsOutputs: boolean;
  /** True where resources/list has the templates too, as the fixed interface wants it; otherwise they are listed apart. */
  readonly listsTemplates?: true;
  /** True for a tool that may ask its caller something in the middle of a call. */
  asks(tool: string): boolean;
  /** True where an answer of every tool may be a run that goes on. */
  readonly startsRuns?: true;
  /** The tools for a caller, as tools/list shows them; absent where the list is the same for all. */
  tools?(context: CallContext): Promise<readonly JsonObject[]>;
  /** Changes with the list of tools; absent where the list is fixed. */
  toolsVersion?(context: CallContext): Promise<string>;
  /** What the call that started a run answers when the run has ended. */
  ended(run: RunDetail, context: CallContext): Promise<Envelope>;
  /** Content and structured content of an answer; without it both hold the whole envelope. */
  present?(envelope: Envelope): { readonly content: readonly JsonObject[]; readonly structured: string };
}

/** A resource. `{id}` in the URI makes it a template. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Of a template: where its ids are listed. Reading the template as it is written tells so. */
  readonly idsFrom?: { readonly resource: string; readonly tool: string };
  /** Of what is no JSON document: `read` then gives its `text`, or its bytes in Base64 as `blob`. */
  readonly mimeType?: string;
  /** The document at this URI; `id` is the template's variable. Throws `not_found` when there is none. */
  read(context: CallContext, id: string): Promise<JsonObject> | JsonObject;
}

/** One argument of a prompt. */
export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** One message of a prompt: text, an image, or a document embedded as a resource. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content:
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image"; readonly data: string; readonly mimeType: string }
    | {
        readonly type: "resource";
        readonly resource: { readonly uri: string; readonly mimeType: string; readonly text: string };
      };
}

/** A prompt that embeds the live data it speaks of. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  messages(
    args: Readonly<Record<string, string>>,
    context: CallContext,
  ): Promise<readonly PromptMessage[]> | readonly PromptMessage[];
}
