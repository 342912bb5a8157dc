import { randomHex } from "../../src/kernel/ids.ts";
import type { JsonObject } from "../../src/kernel/json.ts";

/** Gives packets of about 1 KB, each with an id of its own. */
export function packets(): () => JsonObject & { readonly id: string } {
  const run = randomHex(8);
  let serial = 0;
  return () => {
    const spanId = (++serial).toString(16).padStart(16, "0");
    const traceId = `${run}${spanId}`;
    return {
      schemaVersion: "suite.handoff.v1",
      id: `delegation_svc_${traceId}`,
      from: "bench",
      to: "svc",
      capability: "run",
      intent: "Measure how many handoffs a second are accepted with durable records.",
      transport: "openapi",
      auth: { required: true, satisfied: true, mode: "api_key" },
      status: "ready",
      dryRun: false,
      inputArtifactIds: [`artifact_${traceId}`],
      outputArtifactIds: [],
      trace: {
        traceId,
        spanId,
        parentSpanId: spanId,
        traceparent: `00-${traceId}-${spanId}-01`,
        requestId: `request_${traceId}`,
        traceUrl: `https://trace.example/traces/${traceId}`,
      },
      resultRef: null,
      confirmation: { required: true, received: false, source: null },
      payload: {
        action: "run",
        artifact: { id: `artifact_${traceId}`, title: "Work", notes: "x".repeat(200) },
      },
    };
  };
}
