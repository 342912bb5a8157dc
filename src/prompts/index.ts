import type { Prompt } from "../ports/definitions.ts";
import { artifactsPrompts } from "./artifacts.ts";
import { formsPrompts } from "./forms.ts";
import { handoffsPrompts } from "./handoffs.ts";
import { provenancePrompts } from "./provenance.ts";
import { runsPrompts } from "./runs.ts";
import { servicePrompts } from "./service.ts";
import { workflowsPrompts } from "./workflows.ts";

/** Every prompt, by domain. */
export const allPrompts: readonly Prompt[] = [
  ...servicePrompts,
  ...formsPrompts,
  ...workflowsPrompts,
  ...runsPrompts,
  ...artifactsPrompts,
  ...handoffsPrompts,
  ...provenancePrompts,
];
