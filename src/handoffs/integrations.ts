import { AppError } from "../kernel/errors.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { SIBLING_NAMES, type SiblingName } from "../ports/settings.ts";
import type { SiblingStatus, Siblings } from "../ports/siblings.ts";

/** The sibling of this name (or its slug, `ai-gateway`), or `not_found` with the nearest ones. */
export function siblingNamed(slug: string): SiblingName {
  const wanted = slug.trim().toLowerCase().replaceAll("-", "_");
  const found = SIBLING_NAMES.find((name) => name === wanted);
  if (found !== undefined) return found;
  const near = nearestNames(wanted, SIBLING_NAMES);
  throw new AppError("not_found", "There is no service of this name in the suite.", {
    nextAction: `Use one of: ${(near.length > 0 ? near : SIBLING_NAMES).join(", ")}.`,
    details: { nearest: near },
  });
}

/** What is shown of a sibling: what was really observed, and when. Its key is never part of it. */
export function integrationCard(status: SiblingStatus) {
  return {
    slug: status.name,
    title: status.title,
    purpose: status.purpose,
    configured: status.configured,
    url: status.url,
    transport: status.transport,
    capabilities: status.capabilities,
    state: status.state,
    status: CARD_STATUS[status.state],
    observed: {
      lastSuccessAt: status.lastSuccessAt,
      lastFailureAt: status.lastFailureAt,
      lastFailure: status.lastFailure,
    },
    nextAction: NEXT_ACTION[status.state](status.name.toUpperCase()),
  };
}

/** Every sibling's card, and how many are in which state. */
export function integrationMatrix(siblings: Siblings) {
  const all = siblings.all();
  const count = (...states: readonly SiblingStatus["state"][]): number =>
    all.filter(({ state }) => states.includes(state)).length;
  return {
    integrations: all.map(integrationCard),
    counts: {
      total: all.length,
      configured: all.filter(({ configured }) => configured).length,
      reachable: count("reachable"),
      failing: count("failing", "circuit_open"),
      notObserved: count("unknown"),
      notConfigured: count("not_configured"),
    },
    policy:
      "A service counts as reachable only after it confirmed something in this process. Nothing is probed to make this list.",
  };
}

const CARD_STATUS: Readonly<Record<SiblingStatus["state"], string>> = {
  not_configured: "degraded",
  unknown: "configured",
  reachable: "ready",
  failing: "degraded",
  circuit_open: "degraded",
};

const NEXT_ACTION: Readonly<Record<SiblingStatus["state"], (name: string) => string>> = {
  not_configured: (name) => `Set SUITE_${name}_URL and SUITE_${name}_KEY, or start with --with-suite.`,
  unknown: () => "Use it: what is observed then is shown here.",
  reachable: () => "Nothing to do.",
  failing: () => "Look at the last failure, then try again.",
  circuit_open: () => "Wait a moment; the service tries again automatically.",
};
