import { Type } from "typebox";
import { integrationCard, integrationMatrix, siblingNamed } from "../handoffs/integrations.ts";
import { delegate, previewOf, undeclaredCapability, type Delegation } from "../handoffs/outbox.ts";
import { handoffPacketSchema } from "../handoffs/packet.ts";
import { unconfirmedAnswer } from "../handoffs/results.ts";
import { titleOf } from "../handoffs/report.ts";
import { handoffView } from "../handoffs/views.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { requireScope } from "../ports/caller.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import type { SiblingName } from "../ports/settings.ts";
import { freeObject, inputOf, TextOrNull, TimeOrNull, viewOf } from "../model/common.ts";
import { HandoffView } from "../model/handoffs.ts";
import { jsonObject } from "./shapes.ts";

const { defineTool, declared } = toolList();

const IntegrationView = viewOf("Integration", "A service of the suite with what was observed of it.", {
  slug: Type.String(),
  title: Type.String(),
  purpose: Type.String(),
  configured: Type.Boolean(),
  url: TextOrNull,
  transport: Type.Enum(["openapi", "mcp"]),
  capabilities: Type.Array(Type.String()),
  state: Type.Enum(["not_configured", "unknown", "reachable", "failing", "circuit_open"]),
  status: Type.String({ description: "The state in short: ready, configured or degraded." }),
  observed: Type.Object({ lastSuccessAt: TimeOrNull, lastFailureAt: TimeOrNull, lastFailure: TextOrNull }),
  nextAction: Type.String(),
});

defineTool({
  name: "delegate_artifact",
  title: "Delegate artifact",
  description:
    "Prepares a suite.handoff.v1 packet that hands an artifact to a service of the suite. By default it is a preview: nothing is sent, stored or claimed. With an API key, `dryRun: false` and a configured service of the suite it is stored, sent and retried, and the answer says accepted or, with a confirmed reference, completed.",
  input: inputOf({
    targetService: Type.String({
      description: "The service of the suite: sandbox, evals, docs, sheets, catalog, …",
    }),
    artifact: Type.Optional(jsonObject("The artifact, or what identifies it. Its `id` names the input.")),
    action: Type.Optional(
      Type.String({
        description:
          "What the target should do: one of the capabilities that list_integrations shows for it. Default: the first of them.",
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: "False sends the packet. Default true: a preview." })),
  }),
  output: Type.Object({
    status: Type.String({ description: "preview_ready, accepted or completed." }),
    delegationId: Type.String(),
    packet: Type.Optional(
      Type.Object(
        {
          ...handoffPacketSchema.properties,
          payload: freeObject("What the service of the suite gets: the artifact is its owner's."),
        },
        { description: "The suite.handoff.v1 packet of a preview." },
      ),
    ),
    handoff: Type.Optional(HandoffView),
    resultRef: TextOrNull,
    sendable: Type.Optional(
      Type.Boolean({
        description: "Of a preview: whether the service of the suite is configured and declares the action.",
      }),
    ),
    nextAction: Type.String(),
  }),
  access: "public",
  effect: "external",
  idempotent: true,
  openWorld: true,
  asks: { argument: "targetService", otherwise: null },
  async run({ targetService, artifact = {}, action, dryRun = true }, { context }) {
    const sibling = siblingNamed(targetService);
    const { capabilities, configured } = context.services.siblings.status(sibling);
    const delegation = delegationOf(sibling, artifact, action ?? capabilities[0] ?? "receive");
    if (dryRun) {
      const packet = previewOf(delegation, context);
      const undeclared = undeclaredCapability(context.services, delegation);
      return {
        status: "preview_ready",
        delegationId: packet.id,
        packet: { ...packet, payload: delegation.payload },
        resultRef: null,
        sendable: undeclared === null && configured,
        nextAction:
          undeclared !== null
            ? `Nothing was sent, and this packet would be refused: ${undeclared.message}`
            : configured
              ? "Nothing was sent. Call again with dryRun false and an API key to send it."
              : `Nothing was sent, and it cannot be sent yet: ${sibling} is not configured. Set SUITE_${sibling.toUpperCase()}_URL and SUITE_${sibling.toUpperCase()}_KEY.`,
      };
    }
    requireScope(context.caller, "handoff");
    const { outcome, record, packet } = await delegate(delegation, context);
    if (outcome.status === "degraded")
      return unconfirmedAnswer(delegation.sibling, outcome, { delegationId: packet.id });
    const resultRef = outcome.status === "completed" ? outcome.confirmation.resultRef : null;
    return {
      status: outcome.status,
      delegationId: packet.id,
      ...(record !== null && { handoff: handoffView(record, context.services.settings.baseUrl) }),
      resultRef,
      nextAction:
        resultRef === null
          ? afterAcceptance(record !== null)
          : "The service of the suite confirmed the result reference.",
    };
  },
});

defineTool({
  name: "list_integrations",
  title: "List integrations",
  description:
    "Lists every service of the suite with what was really observed of it in this process: whether it is configured, when it last confirmed something, when and why it last failed. Nothing is probed to make the list, and no credential is shown.",
  input: inputOf({}),
  output: Type.Object({
    integrations: Type.Array(IntegrationView),
    counts: Type.Object({
      total: Type.Integer(),
      configured: Type.Integer(),
      reachable: Type.Integer(),
      failing: Type.Integer(),
      notObserved: Type.Integer(),
      notConfigured: Type.Integer(),
    }),
    policy: Type.String(),
  }),
  access: "public",
  effect: "none",
  quick: true,
  run: (_args, { services }) => integrationMatrix(services.siblings),
});

defineTool({
  name: "get_integration_status",
  title: "Integration status",
  description:
    "Shows one service of the suite: what it is for, whether it is configured, and what was last observed of it and when. Use it after a degraded answer to see why. An unknown slug is answered with the nearest names.",
  input: inputOf({ slug: Type.String({ description: "The service's name, such as docs or ai_gateway." }) }),
  output: IntegrationView,
  access: "public",
  effect: "none",
  quick: true,
  run: ({ slug }, { services }) => integrationCard(services.siblings.status(siblingNamed(slug))),
});

function afterAcceptance(isKept: boolean): string {
  return isKept
    ? "The service of the suite accepted the packet. Its outcome is asked for in the background; read svc://delegations."
    : "The service of the suite accepted the packet. No persistence adapter is configured, so nothing is kept of it here.";
}

function delegationOf(sibling: SiblingName, artifact: JsonObject, action: string): Delegation {
  const capability = action.trim();
  if (capability === "" || capability.length > 200) {
    throw new AppError("invalid_input", "action is a name of 1 to 200 characters.", {
      problems: [{ pointer: "/action", message: "must have 1 to 200 characters" }],
    });
  }
  const { id } = artifact;
  return {
    sibling,
    capability,
    intent: `Hand ${titleOf(artifact, "an artifact")} to ${sibling} to ${capability}.`,
    payload: { action: capability, artifact },
    inputArtifactIds: typeof id === "string" && id !== "" && id.length <= 200 ? [id] : [],
    background: true,
  };
}

/** The tools of this domain. */
export const handoffsTools: readonly Tool[] = declared;
