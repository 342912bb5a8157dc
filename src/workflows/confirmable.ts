import type { JsonObject } from "../kernel/json.ts";
import { SIBLING_NAMES, type SiblingName } from "../ports/settings.ts";
import type { ToolCatalogView, ToolView } from "./catalog-view.ts";
import type { HandoffNode } from "./schema.ts";

/** A step that another service has to confirm, and whether it can as things are set up now. */
export type ExternalStep = {
  /** The sibling that is asked; null when only a run knows which one. */
  readonly sibling: SiblingName | null;
  readonly confirmable: boolean;
  readonly reason: string;
  readonly nextAction: string | null;
};

/** What is external about a call to a tool; null when no other service has to confirm it. */
export function externalCall(
  view: ToolCatalogView,
  tool: ToolView | undefined,
  given: JsonObject | undefined,
): ExternalStep | null {
  if (tool?.asks === undefined) return null;
  const { asks } = tool;
  const sibling = typeof asks === "string" ? asks : named(given?.[asks.argument], asks.otherwise);
  if (sibling === null) {
    return {
      sibling,
      confirmable: true,
      reason: "A run knows which service has to confirm it.",
      nextAction: null,
    };
  }
  return asked(view, sibling, null);
}

/** What is external about a handoff: always something. */
export function externalHandoff(
  view: ToolCatalogView,
  { target, capability, dryRun }: HandoffNode["handoff"],
): ExternalStep {
  if (dryRun === true) {
    return {
      sibling: target,
      confirmable: false,
      reason: "The step only prepares a preview packet; nothing is sent, so nothing is confirmed.",
      nextAction: "Set handoff.dryRun to false to send it.",
    };
  }
  return asked(view, target, capability);
}

function asked(view: ToolCatalogView, sibling: SiblingName, capability: string | null): ExternalStep {
  const known = view.sibling(sibling);
  if (known !== undefined && !known.configured) {
    const name = sibling.toUpperCase();
    return {
      sibling,
      confirmable: false,
      reason: `The service ${sibling} of the suite is not configured, so the step would fail and nothing would be confirmed.`,
      nextAction: `Set SUITE_${name}_URL and SUITE_${name}_KEY, or start with --with-suite to try it out.`,
    };
  }
  if (known !== undefined && capability !== null && !known.capabilities.includes(capability)) {
    const declared = known.capabilities.join(", ");
    return {
      sibling,
      confirmable: false,
      reason: `The service ${sibling} of the suite declares no capability "${capability.slice(0, 100)}", so the packet would be refused.`,
      nextAction: `Use one of ${declared}.`,
    };
  }
  return { sibling, confirmable: true, reason: `${sibling} has to confirm it.`, nextAction: null };
}

/** The sibling that a literal argument names; null when the value is known only at run time, or is no sibling. */
function named(value: unknown, otherwise: SiblingName | null): SiblingName | null {
  if (value === undefined) return otherwise;
  const wanted = typeof value === "string" ? value.trim().toLowerCase().replaceAll("-", "_") : null;
  return SIBLING_NAMES.find((name) => name === wanted) ?? null;
}
