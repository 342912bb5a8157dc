import { Type, type Static } from "typebox";
import { freeObject, schemaDocument, TextOrNull, Time, viewOf } from "./common.ts";

const text = Type.String();
const texts = Type.Array(text);
const count = Type.Integer();
const preview = freeObject("Values of the service that owns the step.");

const DemoStepView = viewOf("DemoStep", "A step of the demo flow, and what was found when it was asked.", {
  id: text,
  order: count,
  title: text,
  purpose: text,
  userAction: text,
  nextAction: text,
  ownerService: text,
  endpoint: text,
  method: text,
  inputPreview: preview,
  outputPreview: preview,
  publicSafe: Type.Boolean(),
  protectedAction: Type.Boolean(),
  status: text,
  handoffStatus: Type.Optional(text),
  probeStatus: text,
  handoff: Type.Object({
    from: text,
    to: text,
    transport: text,
    status: text,
    requiresAuth: Type.Boolean(),
    resultRef: TextOrNull,
    confirmationPolicy: text,
  }),
  evidence: freeObject("What was observed differs by the service that was asked."),
});
/** A step of the demo flow. */
export type DemoStepView = Static<typeof DemoStepView>;

const BlueprintView = viewOf("Blueprint", "What could run on a schedule, and what each step needs first.", {
  id: text,
  title: text,
  status: text,
  cadence: text,
  publicSafe: Type.Boolean(),
  protectedActions: texts,
  source: Type.Object({ service: text, url: text, status: text }),
  steps: Type.Array(
    Type.Object({ order: count, service: text, action: text, status: text, outputPolicy: text }),
  ),
  demoPrompt: text,
  nextAction: text,
});
/** A blueprint of an automation. */
export type BlueprintView = Static<typeof BlueprintView>;

/** The demo flow: six steps through the suite. */
export const DemoSuiteView = viewOf("DemoSuite", "The demo flow, and what was found when it was asked.", {
  schemaVersion: text,
  title: text,
  generatedAt: Time,
  mode: text,
  status: text,
  summary: Type.Object({
    steps: count,
    publicSafeSteps: count,
    protectedSteps: count,
    probePass: count,
    probeFail: count,
    probeTimeout: count,
    confirmationGatedHandoffs: count,
    notConfigured: Type.Optional(count),
  }),
  flow: Type.Array(DemoStepView),
  automations: Type.Array(BlueprintView),
  handoffPolicy: text,
  operatorScript: texts,
});
export type DemoSuiteView = Static<typeof DemoSuiteView>;

/** What the receiver of handoffs takes and what it promises. */
export const ReceiverView = viewOf("Receiver", "What the receiver of handoffs takes and promises.", {
  schemaVersion: text,
  service: text,
  endpoint: text,
  aliases: texts,
  status: text,
  accepts: texts,
  methods: texts,
  publicSafeProbe: Type.Boolean(),
  protectedAcceptance: Type.Boolean(),
  auth: Type.Object({
    requiredForAcceptedHandoff: Type.Boolean(),
    acceptedHeaders: texts,
    browserStorage: text,
  }),
  confirmationPolicy: text,
  outputPolicy: text,
});
export type ReceiverView = Static<typeof ReceiverView>;

/** The answer to the sender of a handoff. */
export const ReceivedView = viewOf("ReceivedHandoff", "The answer to the sender of a packet.", {
  schemaVersion: text,
  id: text,
  status: Type.Enum(["accepted", "preview_ready"]),
  dryRun: Type.Boolean(),
  receivedAt: Type.Optional(Time),
  packetDigest: text,
  resultRef: Type.Null(),
  outputArtifactIds: texts,
  confirmation: Type.Object({ required: Type.Boolean(), received: Type.Boolean(), source: Type.Null() }),
  statusUrl: Type.Optional(text),
  nextAction: text,
});
export type ReceivedView = Static<typeof ReceivedView>;

/** What this gateway serves and how to reach it. */
export const InfoView = viewOf("Info", "What this gateway serves and how to reach it.", {
  name: text,
  version: text,
  endpoint: text,
  transport: text,
  canonicalMcpGateway: text,
  capabilities: Type.Object({ tools: texts, resources: texts, prompts: texts }),
  counts: Type.Object({
    tools: count,
    publicTools: count,
    protectedTools: count,
    resources: count,
    prompts: count,
  }),
  tools: Type.Array(
    Type.Object({
      name: text,
      description: text,
      inputSchema: schemaDocument("JSON Schema of the arguments."),
      protected: Type.Boolean(),
    }),
  ),
  resources: Type.Array(Type.Object({ uri: text, name: text, description: text, mimeType: text })),
  prompts: Type.Array(
    Type.Object({
      name: text,
      description: text,
      arguments: Type.Array(Type.Object({ name: text, description: text, required: Type.Boolean() })),
    }),
  ),
  auth: Type.Object({ public: texts, protected: text }),
  discovery: Type.Record(Type.String(), Type.String(), { description: "The address of each document." }),
  boundary: text,
  generatedAt: Time,
});
