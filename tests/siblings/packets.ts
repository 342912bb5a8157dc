import { randomHex } from "../../src/kernel/ids.ts";

/** A well-formed live packet with an id and a trace of its own. */
export function testPacket(over: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const [traceId, spanId] = [randomHex(16), randomHex(8)];
  return {
    schemaVersion: "suite.handoff.v1",
    id: `delegation_svc_${randomHex(8)}`,
    from: "sandbox",
    to: "svc",
    capability: "run_workflow",
    intent: "Run a workflow",
    transport: "openapi",
    auth: { required: true, satisfied: true, mode: "api_key" },
    status: "ready",
    dryRun: false,
    inputArtifactIds: [],
    outputArtifactIds: [],
    trace: {
      traceId,
      spanId,
      parentSpanId: randomHex(8),
      traceparent: `00-${traceId}-${spanId}-01`,
      requestId: "req_1",
      traceUrl: "https://trace.example/t",
    },
    resultRef: null,
    confirmation: { required: true, received: false, source: null },
    ...over,
  };
}
