/* @workflow-ui/forms/sample: example values made from a schema; load it when one is asked for. */
export { sampleValue } from "../../src/forms/sample.ts";
