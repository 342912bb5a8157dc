import type { OperationName, OutputOf, Problem, WorkflowProblem } from "../../packages/client/client.ts";
import type { ROUTES } from "../../packages/client/operations.ts";
import type { Json } from "../../src/kernel/json.ts";

/*
 * What a route answers, found in the generated list of operations from the method and the path as a test writes them:
 * `GET /api/svc/runs/${id}` is the answer of `get_run`. A path that no operation declares, or that is only known when
 * the test runs, answers an error as far as the types know.
 */

type Routes = typeof ROUTES;

/** The parts of a path, without its query; what stands in `{}` or comes from a variable is any text. */
type Parts<P extends string> = P extends `${infer Path}?${string}`
  ? Parts<Path>
  : P extends `${infer Head}/${infer Rest}`
    ? [Part<Head>, ...Parts<Rest>]
    : [Part<P>];
type Part<S extends string> = S extends `{${string}}` ? string : S;

type PartsOf = {
  readonly [N in keyof Routes]: Routes[N] extends `${infer Method} ${infer Path}`
    ? [Method, ...Parts<Path>]
    : never;
};

/** The operations that these parts name; with a name where a route takes any, also those that have this name itself. */
type Named<Asked extends readonly string[]> = {
  readonly [N in keyof Routes]: Asked extends PartsOf[N] ? N : never;
}[keyof Routes];
type Exactly<Asked extends readonly string[], N extends keyof Routes> = N extends keyof Routes
  ? PartsOf[N] extends Asked
    ? N
    : never
  : never;

/** The operation of a method and a path. */
type OperationAt<M extends string, P extends string, N extends keyof Routes = Named<[M, ...Parts<P>]>> = [
  Exactly<[M, ...Parts<P>], N>,
] extends [never]
  ? N
  : Exactly<[M, ...Parts<P>], N>;

/** What the service answers when it refuses. Each test looks at the part that it expects. */
export interface Refused {
  readonly error: {
    readonly code: string;
    readonly message: string;
    /** A problem of a workflow has its code and severity too. */
    readonly problems: readonly (Problem & Pick<WorkflowProblem, "code" | "severity">)[];
    readonly nextAction: string;
    readonly retryAfterSeconds: number;
    /** Of a call of another service: its HTTP status, whether it may have happened, and what that service answered. */
    readonly status: number;
    readonly effect: string;
    readonly upstream: { readonly from: string; readonly note: string; readonly text: string };
    readonly details: Readonly<Record<string, Json>>;
  };
}

/** What stands beside the error when something that had to confirm the action did not. */
interface Unconfirmed {
  readonly status: string;
  /** Of a decision that was shown only. */
  readonly decided: boolean;
  readonly reason: string;
  readonly adapter: string;
  readonly effect: string;
  readonly nextAction: string;
}

/** The answer of an operation: what it declares, or an error in its place. */
export type AnswerOf<N extends string> = N extends OperationName
  ? OutputOf<N> & Refused & Omit<Unconfirmed, keyof OutputOf<N>>
  : Refused & Unconfirmed;

/** The answer of a route. */
export type AnswerAt<M extends string, P extends string> = [OperationAt<M, P>] extends [never]
  ? Refused & Unconfirmed
  : AnswerOf<OperationAt<M, P>>;
