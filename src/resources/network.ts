import { renderCompliance } from "../discovery/scorecard.ts";
import { integrationMatrix } from "../handoffs/integrations.ts";
import { handoffView } from "../handoffs/views.ts";
import { readsPrivate } from "../ports/caller.ts";
import type { Resource } from "../ports/definitions.ts";
import { HANDOFF_STATES } from "../model/states.ts";
import type { HandoffState } from "../ports/records.ts";
import { SIBLING_NAMES, siblingBaseUrl } from "../ports/settings.ts";

const SHOWN = 50;

/** The resources of this domain. */
export const networkResources: readonly Resource[] = [
  {
    uri: "svc://integrations",
    name: "svc-integrations",
    title: "Integration matrix",
    description: "Every service of the suite with what was really observed of it in this process, and when.",
    read: ({ services }) => integrationMatrix(services.siblings),
  },
  {
    uri: "svc://delegations",
    name: "svc-delegations",
    title: "Delegations",
    description:
      "The targets work can be delegated to, whether delegations are kept durably, and where the newest ones stand.",
    async read({ services, caller }) {
      const { store, siblings, settings } = services;
      const page = await store.read.handoffs.list({ limit: SHOWN });
      const count = (state: HandoffState): number => page.items.filter((item) => item.state === state).length;
      return {
        schemaVersion: "suite.handoff.v1",
        targets: siblings.all().map(({ name, title, configured, state, capabilities }) => ({
          service: name,
          title,
          configured,
          state,
          capabilities,
        })),
        durable: {
          status: store.kind === "none" ? "degraded" : "configured",
          store: store.kind,
          policy:
            store.kind === "none"
              ? "No persistence adapter is configured: packets can be previewed, but none is kept or retried."
              : "A packet is on disk before it is sent, is retried under the same id, and is completed only with a confirmed reference.",
        },
        newest: {
          shown: page.items.length,
          more: page.nextCursor !== null,
          states: Object.fromEntries(HANDOFF_STATES.map((state) => [state, count(state)])),
          // No handoff is public: of those of others only the counts are shown.
          handoffs: page.items
            .filter(({ createdBy }) => readsPrivate(caller, createdBy))
            .map((item) => handoffView(item, settings.baseUrl)),
        },
      };
    },
  },
  {
    uri: "svc://network/sites",
    name: "svc-network-sites",
    title: "Network sites",
    description:
      "The sites of the network this service knows: itself and every service of the suite, configured or not.",
    read({ services }) {
      const { settings, siblings } = services;
      return {
        sites: [
          {
            name: "svc",
            url: settings.baseUrl,
            configured: true,
            state: "reachable",
            discovery: `${settings.baseUrl}/llms.txt`,
          },
          ...SIBLING_NAMES.map((name) => {
            const { configured, state, lastSuccessAt, lastFailureAt, purpose } = siblings.status(name);
            return {
              name,
              url: siblingBaseUrl(settings, name),
              configured,
              state,
              purpose,
              lastSuccessAt,
              lastFailureAt,
            };
          }),
        ],
        canonicalGateway: `${siblingBaseUrl(settings, "mcp")}/api/mcp`,
        policy:
          "A site under suite.invalid is not configured and can never answer. States are what was observed, not probed for this list.",
      };
    },
  },
  {
    uri: "svc://network/compliance",
    name: "svc-network-compliance",
    title: "Network compliance",
    description:
      "Whether this service's routes and discovery documents are as declared, computed by asking them.",
    read: (context) => renderCompliance(context),
  },
];
