import type { ApprovalDetail, Json, JsonObject, Problem, RunDetail } from "../../packages/client/client.ts";
import type { Refused } from "../support/answers.ts";

/*
 * What /mcp answers, as far as tests look at it. Its tools declare free objects: they give parts of what the operations
 * answer that they stand for.
 */

type Approval = ApprovalDetail["approval"];

/** A run; of its approvals those that wait for a decision. */
type Run = Pick<RunDetail, "id" | "status" | "outputs" | "steps"> & {
  readonly approvals: readonly (Pick<Approval, "id" | "stepId" | "title"> & {
    readonly shownDigest: string;
  })[];
};

/** A call, or what stands in its place while a person has not decided. */
interface Called {
  readonly result: Json;
  readonly omitted: readonly string[];
  readonly status: string;
  readonly approvalId: string;
  readonly runId: string;
}

interface Tools {
  readonly find: {
    readonly hits: readonly { readonly name: string; readonly args?: string }[];
    readonly nextCursor: string | null;
  };
  readonly describe: {
    readonly name: string;
    readonly effect: string;
    readonly inputSchema: { readonly required: readonly string[]; readonly properties: JsonObject };
    readonly example: { readonly name: string; readonly arguments: JsonObject };
    readonly draftDiffers: boolean;
  };
  readonly call: Called;
  readonly render_form: { readonly link: string };
  readonly check_value: { readonly valid: boolean; readonly problems: readonly Problem[] };
  readonly connect: { readonly connected: boolean; readonly tools: readonly string[] };
  readonly write_workflow: {
    readonly id: string;
    readonly revision: number;
    readonly status: string;
    readonly valid: boolean;
    readonly plan: { readonly approvals: readonly Json[] };
  };
  readonly try_workflow: { readonly dryRun: { readonly state: string } };
  readonly run: { readonly run: Run };
  /** The member that is named like the kind of record. */
  readonly get: {
    readonly run: Run;
    readonly approval: Pick<Approval, "status"> & {
      readonly shownDigest: string;
      readonly you: { readonly mayDecide: boolean };
    };
    readonly artifact: { readonly title: string };
    readonly proof: { readonly verified: boolean };
  };
  /** Each kind of record shows its own members. */
  readonly list: { readonly items: readonly JsonObject[]; readonly nextCursor: string | null };
  readonly decide: { readonly approval: Pick<Approval, "status"> };
}

/** The data of a tool of /mcp, or an error in its place. */
export type ToolData<N extends string> = N extends keyof Tools ? Tools[N] & Refused : Refused;

/* Answers of JSON-RPC are JSON: no interfaces, which are not known to be. */

/** A result of a tool, a task in its place, or the question that comes first. */
type Outcome = {
  readonly resultType: string;
  readonly isError: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent: Json;
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage: string;
  readonly ttlMs: number | null;
  /** Of a task that has ended. */
  readonly result: Outcome;
  readonly inputRequests: { readonly [id: string]: InputRequest };
  readonly requestState: string;
};
type InputRequest = {
  readonly method: string;
  readonly params: {
    readonly mode: string;
    readonly message: string;
    readonly url: string;
    readonly requestedSchema: Json;
  };
};

type Results = {
  readonly "server/discover": {
    readonly capabilities: { readonly tools: Json; readonly extensions: JsonObject };
  };
  readonly "tools/list": {
    readonly tools: readonly {
      readonly name: string;
      readonly inputSchema: JsonObject;
      readonly outputSchema: JsonObject;
      readonly annotations: { readonly readOnlyHint: boolean };
    }[];
    readonly cacheScope: string;
  };
  readonly "tools/call": Outcome;
  readonly "tasks/get": Outcome;
  readonly "tasks/update": { readonly resultType: string };
  readonly "tasks/cancel": { readonly resultType: string };
};

/** The answer of a method: its result or an error. Each test looks at the one that it expects. */
export type MethodAnswer<M extends string> = {
  readonly result: M extends keyof Results ? Results[M] : Json;
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly data: {
      readonly code: string;
      readonly details: JsonObject;
      readonly requiredCapabilities: Json;
    };
  };
};
