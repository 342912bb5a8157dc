import { Type } from "typebox";
import { inputOf } from "../model/common.ts";
import { DemoSuiteView, ReceivedView, ReceiverView } from "../model/suite.ts";
import { operationsWith } from "../ports/operations.ts";
import { declaredDemoSuite, liveDemoSuite, runDemoSuite } from "./demo-suite.ts";
import { handoffPacketSchema } from "./packet.ts";
import { RECEIVER_ALIASES, RECEIVER_PATH, receiveHandoff, receiverReadiness } from "./receiver.ts";

const { operation, declared } = operationsWith<unknown>();

operation({
  name: "get_demo_flow",
  title: "Show the demo flow",
  description: "The six-step demo flow; with mode=live its public-safe steps are probed.",
  http: "GET /api/svc/demo-suite",
  access: "public",
  input: inputOf({
    mode: Type.Optional(
      Type.Enum(["declared", "live"], {
        description: "declared sends nothing to siblings; it is the default.",
      }),
    ),
  }),
  output: DemoSuiteView,
  run: ({ mode }, { context }) => (mode === "live" ? liveDemoSuite(context) : declaredDemoSuite(context)),
});

operation({
  name: "run_demo_flow",
  title: "Run the demo flow",
  description: "Runs all six steps of the demo flow for real; the protected ones are handed over.",
  http: "POST /api/svc/demo-suite/run",
  access: "handoff",
  effect: "external",
  idempotent: false,
  input: inputOf({}),
  output: DemoSuiteView,
  run: (_input, { context }) => runDemoSuite(context),
});

operation({
  name: "get_receiver_readiness",
  title: "Ask whether handoffs are received",
  description: "Readiness of the handoff receiver.",
  http: `GET ${RECEIVER_PATH}`,
  aliases: RECEIVER_ALIASES,
  ignoresOthers: true,
  access: "public",
  effect: "none",
  input: inputOf({}),
  output: ReceiverView,
  run: (_input, { services }) => receiverReadiness(services.settings.baseUrl),
});

operation({
  name: "receive_handoff",
  title: "Receive a handoff",
  description: "Receives a suite.handoff.v1 packet; accepting one needs a key with the scope handoff.",
  http: `POST ${RECEIVER_PATH}`,
  aliases: RECEIVER_ALIASES,
  ignoresOthers: true,
  access: "mixed",
  effect: "write",
  idempotent: true,
  status: 202,
  otherStatuses: { 200: "A dry run: the packet was checked and not stored." },
  input: inputOf({}),
  wholeBody: handoffPacketSchema,
  output: ReceivedView,
  run: (_input, { wholeBody, context }) => receiveHandoff(wholeBody, context),
});

/** The demo flow, and the receiver that siblings hand work to. */
export const suiteOperations = declared;
