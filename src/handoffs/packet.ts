import { Type, type Static } from "typebox";
import { Compile } from "typebox/compile";
import { digestOf, sha256Hex } from "../kernel/canonical-json.ts";
import { AppError, type Problem } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { SERVICE } from "../kernel/service.ts";
import { childOf, traceparentOf, type Trace } from "../kernel/trace.ts";
import { siblingBaseUrl, type Settings } from "../ports/settings.ts";
import { schemaProblems } from "./packet-problems.ts";

/** The only packet version that is made and accepted. */
export const HANDOFF_SCHEMA = "suite.handoff.v1";

/** Where a packet stands, as the sender writes it and as the receiver answers. */
const PACKET_STATES = ["preview_ready", "ready", "accepted", "completed"] as const;

const text = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description });
const artifactIds = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100, description });

/** JSON Schema of a handoff packet, as OpenAPI and AsyncAPI publish it and the receiver checks it. */
export const handoffPacketSchema = Type.Object(
  {
    schemaVersion: Type.Literal(HANDOFF_SCHEMA, { description: "The version of the packet." }),
    id: Type.String({
      pattern: "^delegation_[a-z0-9_-]+_[0-9a-f]+$",
      minLength: 14,
      maxLength: 200,
      description: "Delegation id `delegation_<target>_<hex>`; a receiver stores a packet once under it.",
    }),
    from: text(100, "The sending service."),
    to: text(100, "The target service."),
    capability: text(200, "The capability requested from the target."),
    intent: text(2_000, "What the sender wants, for a person to read."),
    transport: Type.Union([Type.Literal("openapi"), Type.Literal("mcp")], {
      description: "How the target is spoken to.",
    }),
    auth: Type.Object(
      {
        required: Type.Boolean({ description: "Whether the target wants a credential." }),
        satisfied: Type.Boolean({
          description: "Whether one is shown with this packet; false in a preview.",
        }),
        mode: text(50, "The kind of credential."),
      },
      { description: "What the target wants to see before it accepts." },
    ),
    status: Type.Enum([...PACKET_STATES], { description: "Where the handoff stands." }),
    dryRun: Type.Boolean({ description: "True for a preview: nothing is asked to happen." }),
    inputArtifactIds: artifactIds("The artifacts or share packets the work is about."),
    outputArtifactIds: artifactIds("The results; empty until the target confirmed."),
    trace: Type.Object(
      {
        traceId: Type.String({ pattern: "^(?!0{32})[0-9a-f]{32}$", description: "W3C trace id." }),
        spanId: Type.String({ pattern: "^(?!0{16})[0-9a-f]{16}$", description: "The span of this handoff." }),
        parentSpanId: Type.String({ pattern: "^[0-9a-f]{16}$", description: "The span that caused it." }),
        traceparent: Type.String({
          pattern: "^00-[0-9a-f]{32}-[0-9a-f]{16}-01$",
          description: "The same as a W3C traceparent header.",
        }),
        requestId: text(200, "The request that made the packet."),
        traceUrl: Type.String({
          pattern: "^https?://",
          maxLength: 2_000,
          description: "Where the trace is shown.",
        }),
      },
      { description: "How the handoff is followed across services." },
    ),
    resultRef: Type.Union([Type.String({ minLength: 1, maxLength: 2_000 }), Type.Null()], {
      description: "What the target confirmed; null until it did.",
    }),
    confirmation: Type.Object(
      {
        required: Type.Boolean({ description: "Whether a confirmation of the target is needed." }),
        received: Type.Boolean({ description: "Whether it came." }),
        source: Type.Union([Type.String({ maxLength: 200 }), Type.Null()], { description: "Who confirmed." }),
      },
      { description: "What was confirmed, and by whom." },
    ),
    payload: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: "object",
        description:
          "The work itself: the artifact and the action. Sent packets carry it; a preview of delegate_artifact shows it.",
      }),
    ),
  },
  { $id: HANDOFF_SCHEMA, title: "HandoffPacket", description: "Work that one service hands to another." },
);

/** A handoff packet. */
export type HandoffPacket = Static<typeof handoffPacketSchema>;

const compile = () => Compile(handoffPacketSchema);
let compiled: ReturnType<typeof compile> | undefined;

/** Compiled at the first packet, so that a start does not wait for it. */
function validator(): ReturnType<typeof compile> {
  compiled ??= compile();
  return compiled;
}

/** What a packet is made from. */
export interface PacketRequest {
  readonly target: string;
  readonly capability: string;
  readonly intent: string;
  readonly transport: HandoffPacket["transport"];
  readonly inputArtifactIds: readonly string[];
  /** The content the id is made from: the same content gives the same delegation. */
  readonly payload: JsonObject;
  /** Makes a delegation of its own out of content that was delegated before. */
  readonly idempotencyKey?: string;
  readonly trace: Trace;
  readonly requestId: string;
}

/** A preview packet: nothing is asked, nothing is claimed, and no credential is in it. */
export function previewPacket(settings: Pick<Settings, "siblings">, request: PacketRequest): HandoffPacket {
  const span = childOf(request.trace);
  return {
    schemaVersion: HANDOFF_SCHEMA,
    id: delegationId(request),
    from: SERVICE.id,
    to: request.target,
    capability: request.capability,
    intent: request.intent,
    transport: request.transport,
    auth: { required: true, satisfied: false, mode: "api_key" },
    status: "preview_ready",
    dryRun: true,
    inputArtifactIds: [...request.inputArtifactIds],
    outputArtifactIds: [],
    trace: {
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: request.trace.spanId,
      traceparent: traceparentOf(span),
      requestId: request.requestId,
      traceUrl: `${siblingBaseUrl(settings, "trace")}/traces/${span.traceId}`,
    },
    resultRef: null,
    confirmation: { required: true, received: false, source: null },
  };
}

/** The packet that is really sent: the preview, its content, and the word that a credential goes with it. */
export function liveRequest(preview: HandoffPacket, payload: JsonObject, keyShown: boolean): HandoffPacket {
  return {
    ...preview,
    status: "ready",
    dryRun: false,
    auth: { ...preview.auth, satisfied: keyShown },
    payload,
  };
}

/** `delegation_<target>_<hex>`, the same for the same work. */
function delegationId(
  request: Pick<PacketRequest, "target" | "capability" | "payload" | "idempotencyKey">,
): string {
  const slug = request.target
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .slice(0, 60);
  const content = digestOf({
    capability: request.capability,
    payload: request.payload,
    ...(request.idempotencyKey !== undefined && { idempotencyKey: request.idempotencyKey }),
  });
  return `delegation_${slug}_${sha256Hex(content).slice(0, 32)}`;
}

/**
 * What identifies a packet's content: everything but its trace. A sender that lost its outbox asks for the same work
 * under the same id in another trace, and that is the same packet.
 */
export function packetDigest({ trace: _trace, ...content }: HandoffPacket): string {
  return digestOf(content);
}

/** A packet from outside, checked. Throws `invalid_input` with every problem. */
export function parsePacket(value: unknown): HandoffPacket {
  if (!isObject(value)) {
    throw new AppError("invalid_input", "A handoff packet is a JSON object.", {
      problems: [{ pointer: "", message: "must be an object", expected: `a ${HANDOFF_SCHEMA} packet` }],
    });
  }
  if (value["schemaVersion"] !== HANDOFF_SCHEMA) {
    throw new AppError("invalid_input", `Only ${HANDOFF_SCHEMA} packets are accepted.`, {
      problems: [
        {
          pointer: "/schemaVersion",
          message: "is not a version this receiver accepts",
          expected: HANDOFF_SCHEMA,
          given: shown(value["schemaVersion"]),
        },
      ],
    });
  }
  if (!validator().Check(value)) {
    const problems = schemaProblems(handoffPacketSchema, value);
    const first = problems[0] === undefined ? "" : `: ${problems[0].pointer} ${problems[0].message}`;
    throw new AppError("invalid_input", `The handoff packet is not well formed${first}.`, { problems });
  }
  const contradiction = contradictionIn(value);
  if (contradiction) {
    throw new AppError("invalid_input", "The handoff packet contradicts itself.", {
      problems: [contradiction],
    });
  }
  return value;
}

/** What the schema cannot say: parts that must agree. */
function contradictionIn(packet: HandoffPacket): Problem | null {
  const { trace } = packet;
  if (trace.traceparent !== `00-${trace.traceId}-${trace.spanId}-01`) {
    return { pointer: "/trace/traceparent", message: "does not name the packet's trace and span" };
  }
  if (packet.status === "completed" && packet.resultRef === null) {
    return {
      pointer: "/resultRef",
      message: "is null, and nothing is completed without a result reference",
      expected: "what the target confirmed",
    };
  }
  return null;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 100) : value === undefined ? "nothing" : typeof value;
}
