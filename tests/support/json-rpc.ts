import type { JsonObject } from "../../src/kernel/json.ts";

/** A JSON-RPC answer: a result, or an error in its place. Each test looks at the one that it expects. */
export interface JsonRpcAnswer extends JsonObject {
  readonly id: string | number | null;
  readonly result: McpResult;
  readonly error: JsonRpcError;
}

interface JsonRpcError extends JsonObject {
  readonly code: number;
  readonly message: string;
  readonly data: ErrorData;
}

/** What the service says about an error. */
interface ErrorData extends JsonObject {
  readonly code: string;
  readonly problems: readonly ({ readonly pointer: string; readonly fix?: string } & JsonObject)[];
  readonly nextAction: string;
  readonly retryAfterSeconds: number;
  readonly details: JsonObject;
}

/** What the results of MCP have: each method answers some of these members. */
interface McpResult extends JsonObject {
  readonly capabilities: JsonObject;
  readonly tools: readonly McpTool[];
  readonly content: readonly ({ readonly type: string; readonly text: string } & JsonObject)[];
  readonly structuredContent: Envelope;
  readonly resources: readonly ({ readonly uri: string } & JsonObject)[];
  readonly resourceTemplates: readonly ({ readonly uriTemplate: string } & JsonObject)[];
  readonly contents: readonly ({ readonly text: string } & JsonObject)[];
  readonly messages: readonly PromptMessage[];
  readonly completion: Completion;
}

interface McpTool extends JsonObject {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: JsonObject;
  readonly annotations: JsonObject;
  readonly _meta?: JsonObject;
}

interface ObjectSchema extends JsonObject {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
}

/** What a tool answers: `ok` is false when it did not do what was asked. */
export interface Envelope extends JsonObject {
  readonly ok: boolean;
  readonly data: JsonObject;
}

/** A message of a prompt. */
export interface PromptMessage extends JsonObject {
  readonly role: string;
  readonly content: {
    readonly type: string;
    readonly text?: string;
    readonly resource?: { readonly text: string };
  };
}

/** What `completion/complete` offers. */
export interface Completion extends JsonObject {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore: boolean;
}
