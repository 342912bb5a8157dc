/* @workflow-ui/forms/sample: example values made from a schema; load it when one is asked for. */
export { sampleOfPattern } from "./values/pattern-sample.ts";
export { sampleValue } from "./values/sample.ts";
