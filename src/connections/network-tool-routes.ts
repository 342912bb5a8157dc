import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { requireScope } from "../ports/caller.ts";
import type { DefinitionRecord } from "../ports/connections.ts";
import type { HttpRoute } from "../ports/http.ts";
import { changeDefinition } from "./definition-admin.ts";
import { GATEWAY } from "./definition.ts";
import type { ManagedConnections } from "./service.ts";

/** The routes that the canonical gateway's tools had before there were connections. */
export function networkToolRoutes(connections: ManagedConnections): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: "/api/svc/network-tools",
      summary: "Tools synced from the canonical gateway, with their pinned and pending definitions.",
      access: "key",
      async handle({ context }) {
        const records = await context.services.store.read.connections.definitions(GATEWAY);
        return { status: 200, body: ok({ tools: records.map(networkToolView) }) };
      },
    },
    {
      method: "POST",
      path: "/api/svc/network-tools/accept",
      summary: "An operator accepts the changed definition of a quarantined tool.",
      access: "key",
      async handle({ body, context }) {
        requireScope(context.caller, "admin");
        if (!isJsonObject(body) || typeof body["id"] !== "string" || typeof body["digest"] !== "string") {
          throw new AppError(
            "invalid_input",
            "Name the tool's id and the digest of the definition you looked at.",
            {
              problems: [{ pointer: "", message: "must have id and digest" }],
            },
          );
        }
        const change = { kind: "accept", digest: body["digest"] } as const;
        const record = await changeDefinition(connections, body["id"], change, context);
        return { status: 200, body: ok({ tool: networkToolView(record) }) };
      },
    },
  ];
}

function networkToolView(record: DefinitionRecord): JsonObject {
  const { connection, name, digest, state, definition, pendingDefinition, review, syncedAt } = record;
  return {
    id: `${connection}:${name}`,
    server: connection,
    name,
    state,
    digest,
    definition,
    ...(pendingDefinition !== null && { pendingDefinition, pendingDigest: review?.digest ?? null }),
    syncedAt,
  };
}
