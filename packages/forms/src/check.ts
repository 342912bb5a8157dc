/* @workflow-ui/forms/check: verdicts in a worker with a deadline; load it when a form is first checked. */
export { findProblems as findProblemsInWorker, validateValue as validateInWorker } from "./state/validate.ts";
