import type { JsonObject } from "../../kernel/json.ts";
import type { ProposedTrigger } from "../../model/triggers.ts";

/** A ready-made workflow that solves a task. Its document is an ordinary `suite.workflow.v1`. */
export interface WorkflowTemplate {
  readonly id: string;
  readonly name: string;
  /** What it is for and what happens, in a few sentences. */
  readonly description: string;
  readonly tags: readonly string[];
  /** Siblings that must be configured for every step to do its work; without them those steps end degraded. */
  readonly needs: readonly string[];
  /** Inputs to try it with. */
  readonly exampleInputs: JsonObject;
  readonly document: JsonObject;
  /** What starts it by itself. */
  readonly triggers?: readonly ProposedTrigger[];
}

/** Declares a template. */
export function defineTemplate(template: WorkflowTemplate): WorkflowTemplate {
  return template;
}
