import type { Approval } from "@workflow-ui/client";
import { useMemo } from "react";
import { isJsonRecord } from "#kernel/json.ts";
import { addressOf, useConnections } from "../api/connections.ts";
import { useOperation } from "../api/operations.ts";
import { useGraphTools } from "../workflow/inspect/step-tools.ts";
import { DataView } from "../ui/data-view.tsx";
import { graphOf } from "../workflow/document/read-graph.ts";
import { callsOf, consequencesOf, type ShownCall } from "./consequences.ts";

const CHOICES = {
  approved: "Approving does this",
  rejected: "Rejecting does this",
  changes: "Requesting changes does this",
  expired: "Without a decision in time",
} as const;

/** What happens after each choice; for an approval, each call with all that will be sent. */
export function Consequences({ approval }: { readonly approval: Approval }) {
  const ran = useOperation("get_run_document", { id: approval.runId });
  const graph = graphOf(ran.data);
  const { tools, ready } = useGraphTools(graph.nodes);
  const places = usePlaces();
  if (graph.nodes.length === 0 || !ready) return null;
  const facts = { tools, places };
  const calls = callsOf(approval.shown, graph, facts);
  return (
    <dl className="mb-5 space-y-2 rounded-lg border border-line px-3 py-2">
      {consequencesOf(graph, approval.stepId, facts).map(({ choice, sentences }) =>
        (choice === "expired" && approval.expiresAt === null) ||
        (choice === "changes" && sentences.length === 0) ? null : (
          <div key={choice}>
            <dt className="text-sm font-semibold text-ink-2">{CHOICES[choice]}</dt>
            <dd>
              {choice === "approved" && calls.length > 0 ? (
                <Calls calls={calls} />
              ) : sentences.length === 0 ? (
                choice === "approved" ? (
                  "The run goes on to its end. Nothing is sent or changed after this."
                ) : (
                  "The run ends here. Nothing is sent or changed."
                )
              ) : (
                <ul className="list-disc pl-5">
                  {sentences.map((sentence) => (
                    <li key={sentence} dir="auto">
                      {sentence}
                    </li>
                  ))}
                </ul>
              )}
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** One box a call: what it does and where, the tool's name, and its arguments as a table. */
function Calls({ calls }: { readonly calls: readonly ShownCall[] }) {
  return (
    <ol className="my-1 space-y-2">
      {calls.map(({ title, name, effect, condition, arguments: given }, index) => (
        <li key={index} className="rounded-lg bg-sunken px-3 py-2">
          <p dir="auto">{effect === "" ? title : `${title}: ${effect}.`}</p>
          {name === "" ? null : <code className="text-xs break-all text-ink-2">{name}</code>}
          {condition === "" ? null : (
            <p dir="auto" className="text-sm text-ink-2">
              Only if {condition}.
            </p>
          )}
          {isJsonRecord(given) && Object.keys(given).length > 0 ? <DataView value={given} /> : null}
        </li>
      ))}
    </ol>
  );
}

/** Connections by short name, as their title and host. */
function usePlaces(): ReadonlyMap<string, string> {
  const { data } = useConnections();
  return useMemo(
    () =>
      new Map(
        (data?.connections ?? []).map((connection) => {
          const { name, title } = connection;
          const host = URL.parse(addressOf(connection))?.host ?? "";
          return [name, host === "" ? `“${title}”` : `“${title}” (${host})`];
        }),
      ),
    [data],
  );
}
