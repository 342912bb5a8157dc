import { AppError } from "../../src/kernel/errors.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { HANDOFF_SCHEMA, packetDigest, parsePacket, type HandoffPacket } from "../../src/handoffs/packet.ts";
import { handoffPathOf } from "../../src/siblings/adapter.ts";
import { Refusal, type SiblingRoute } from "./http.ts";
import type { SiblingContext, SiblingDefinition, WorkDone } from "./sibling.ts";
import type { ResultStore } from "./store.ts";

/**
 * The receiver of every sibling: a dry run is only looked at, a live packet needs the key and is done once. The
 * same packet again gets the stored answer, also while it is being worked on; other content is a conflict.
 */
export function handoffRoutes(
  definition: SiblingDefinition,
  context: SiblingContext,
): readonly SiblingRoute[] {
  const received = context.results;
  const working = new Map<string, Promise<JsonObject>>();

  async function take(packet: HandoffPacket, digest: string): Promise<JsonObject> {
    const stored = await received.get(packet.id);
    if (stored !== null) {
      if (stored["digest"] !== digest) throw new Refusal(409, "conflict", "Another packet has this id.");
      return answerOf(packet.id, stored, context.url, definition.name);
    }
    const done = await definition.work(packet, context);
    const record = { digest, packetId: packet.id, ...recordOf(done) };
    await received.put(packet.id, record);
    return answerOf(packet.id, record, context.url, definition.name);
  }

  return [
    {
      method: "GET",
      path: handoffPathOf(definition),
      isProtected: false,
      handle: () => ({
        data: {
          service: definition.name,
          status: "configured",
          accepts: [HANDOFF_SCHEMA],
          methods: ["GET", "POST"],
        },
      }),
    },
    {
      method: "POST",
      path: handoffPathOf(definition),
      isProtected: false,
      async handle({ body, hasKey }) {
        const packet = checked(body);
        if (packet.dryRun) {
          return { data: { id: packet.id, status: "preview_ready", resultRef: null, outputArtifactIds: [] } };
        }
        if (!hasKey) throw new Refusal(401, "unauthorized", "A live packet needs the key.");
        const digest = packetDigest(packet);
        const pending = working.get(packet.id) ?? take(packet, digest);
        working.set(packet.id, pending);
        try {
          const data = await pending;
          if (data["packetDigest"] !== digest)
            throw new Refusal(409, "conflict", "Another packet has this id.");
          return { status: data["status"] === "completed" ? 200 : 202, data };
        } finally {
          working.delete(packet.id);
        }
      },
    },
    {
      method: "GET",
      path: "/api/handoffs/*",
      isProtected: true,
      async handle({ params: [id = ""] }) {
        const stored = await received.get(id);
        if (stored === null) throw new Refusal(404, "not_found", "No packet of this id was received.");
        return { data: answerOf(id, stored, context.url, definition.name) };
      },
    },
  ];
}

/** A packet that was waiting is done now. */
export async function completeHandoff(
  received: ResultStore,
  id: string,
  done: Extract<WorkDone, { status: "completed" }>,
): Promise<void> {
  const stored = await received.get(id);
  if (stored === null) throw new Refusal(404, "not_found", "No packet of this id was received.");
  await received.put(id, { ...stored, ...recordOf(done) });
}

function recordOf(done: WorkDone): JsonObject {
  return done.status === "completed"
    ? { status: "completed", resultRef: done.resultRef, result: done.result }
    : { status: "accepted", resultRef: null };
}

function answerOf(id: string, record: JsonObject, url: string, source: string): JsonObject {
  const isDone = record["status"] === "completed";
  return {
    schemaVersion: HANDOFF_SCHEMA,
    id,
    status: record["status"] ?? "accepted",
    packetDigest: record["digest"] ?? null,
    resultRef: isDone ? (record["resultRef"] ?? null) : null,
    outputArtifactIds: [],
    confirmation: { required: true, received: isDone, source: isDone ? source : null },
    ...(isDone && { result: record["result"] ?? {} }),
    statusUrl: `${url}/api/handoffs/${id}`,
  };
}

function checked(body: JsonObject): HandoffPacket {
  try {
    return parsePacket(body);
  } catch (error) {
    if (error instanceof AppError) throw new Refusal(400, error.code, error.message);
    throw error;
  }
}
