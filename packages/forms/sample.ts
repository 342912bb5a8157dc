/* @workflow-ui/forms/sample: example values made from a schema; load it when one is asked for. */
export { sampleOfPattern } from "../../src/forms/pattern-sample.ts";
export { sampleValue } from "../../src/forms/sample.ts";
