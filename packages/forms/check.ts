/* @workflow-ui/forms/check: verdicts in a worker with a deadline. */
export {
  findProblems as findProblemsInWorker,
  validateValue as validateInWorker,
} from "../../web/src/forms/validate.ts";
