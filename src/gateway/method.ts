import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Generation, McpHeaders } from "./protocol-generation.ts";
import type { FixedResult } from "./lists.ts";

/** What a method is given when it does not matter who calls. */
export interface OpenCall {
  readonly params: Readonly<Record<string, unknown>>;
  readonly generation: Generation;
}

/** What a method is given when the caller's rights matter. */
export interface IdentifiedCall extends OpenCall {
  readonly context: CallContext;
  readonly headers: McpHeaders;
  /** The id of the request. */
  readonly id: string | number;
  /** Sends a notification ahead of the result; null where the answer is one document. */
  readonly notify: ((method: string, params: JsonObject) => void) | null;
  /** Whether the caller still counts, for what stays open. */
  isKnown(): Promise<boolean>;
}

/** The result as JSON text of an object, or one that was serialised at start. */
export type MethodResult = string | FixedResult;

/** A JSON-RPC method. The caller is authenticated only where it matters. */
export type Method =
  | { readonly kind: "open"; readonly generations: readonly Generation[]; run(call: OpenCall): MethodResult }
  | {
      readonly kind: "identified";
      readonly generations: readonly Generation[];
      /** What logs and metrics call it. */
      readonly label: (params: OpenCall["params"]) => string;
      run(call: IdentifiedCall): Promise<MethodResult>;
    };

/** The refusal of a parameter of a method. */
export function badParam(pointer: string, expected: string, given: unknown): AppError {
  const type =
    given === undefined
      ? "nothing"
      : given === null
        ? "null"
        : Array.isArray(given)
          ? "an array"
          : typeof given;
  return new AppError("invalid_params", `params${pointer.replaceAll("/", ".")} must be ${expected}.`, {
    problems: [
      { pointer, message: `It must be ${expected}.`, expected, given: type, fix: `Give ${expected}.` },
    ],
  });
}
