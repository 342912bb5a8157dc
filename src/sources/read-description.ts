import type { RequestTemplate } from "../../packages/forms/src/index.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { findOperation, operationSchema, type ApiDescription, type OperationQuery } from "./openapi.ts";

/*
 * What is looked up in a description. The answer is small even when the description is not, so a description of
 * another service is read in a worker thread and only the answer crosses.
 */

/** What to look up in a description. */
export type Question =
  | { readonly kind: "operation"; readonly query: OperationQuery; readonly whole: boolean }
  | { readonly kind: "event"; readonly eventName: string };

/** An operation as a form needs it. */
export interface DescribedOperation {
  readonly ref: string;
  readonly title: string;
  readonly schema: JsonObject;
  readonly request: RequestTemplate;
  readonly isProtected: boolean;
}

/** The payload of an event. */
export interface DescribedEvent {
  readonly title: string;
  readonly schema: JsonObject;
}

declare module "../ports/platform.ts" {
  interface WorkerTasks {
    look_up: {
      readonly input: { readonly baseUrl: string; readonly question: Question };
      readonly output: DescribedOperation | DescribedEvent | null;
    };
  }
}

const LARGEST_YAML = 2_000_000;

/** The operation of a description that is asked for; `not_found` or `invalid_input` with what there is. */
export function operationOf(api: ApiDescription, query: OperationQuery, whole: boolean): DescribedOperation {
  const operation = findOperation(api, query, whole);
  const { schema, title, request, isProtected } = operationSchema(api, operation);
  const ref = operation.id ?? `${operation.method.toUpperCase()} ${operation.path}`;
  return { ref, title, schema, request, isProtected };
}

/** True for text that begins as a JSON object or list. */
export function isJsonText(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/** YAML takes the reader a hundred times as long as JSON. */
export function checkYamlSize(text: string): void {
  if (text.length <= LARGEST_YAML) return;
  throw new AppError("too_large", `A YAML description may have at most ${LARGEST_YAML} characters.`, {
    nextAction: "Serve the description as JSON.",
  });
}
