import type { Approval } from "@workflow-ui/client";
import { useMemo } from "react";
import { addressOf, useConnections } from "../api/connections.ts";
import { useOperation } from "../api/operations.ts";
import { useGraphTools } from "../api/step-tools.ts";
import { DataView } from "../ui/data-view.tsx";
import { graphOf } from "../workflow/read-graph.ts";
import { consequencesOf } from "./consequences.ts";

const CHOICES = {
  approved: "Approving does this",
  rejected: "Rejecting does this",
  changes: "Requesting changes does this",
  expired: "If nobody decides in time",
} as const;

/** What happens after each choice, with all that will be sent. */
export function Consequences({ approval }: { readonly approval: Approval }) {
  const ran = useOperation("get_run_document", { id: approval.runId });
  const run = useOperation("get_run", { id: approval.runId }).data?.run;
  const graph = graphOf(ran.data);
  const { tools, ready } = useGraphTools(graph.nodes);
  const places = usePlaces();
  if (graph.nodes.length === 0 || !ready) return null;
  const results = (run?.steps ?? []).map(({ id, output }) => [id, { outputs: output }]);
  const known = { inputs: run?.inputs, steps: Object.fromEntries(results) };
  return (
    <dl className="mb-5 space-y-2 rounded-lg border border-line px-3 py-2">
      {consequencesOf(graph, approval.stepId, tools, known, places).map(({ choice, steps }) =>
        (choice === "expired" && approval.expiresAt === null) ||
        (choice === "changes" && steps.length === 0) ? null : (
          <div key={choice}>
            <dt className="text-sm font-semibold text-ink-2">{CHOICES[choice]}</dt>
            <dd>
              {steps.length === 0 ? (
                choice === "approved" ? (
                  "The run goes on to its end. Nothing is sent or changed after this."
                ) : (
                  "The run ends here. Nothing is sent or changed."
                )
              ) : (
                <ul className="list-disc pl-5">
                  {steps.map(({ sentence, sent }) => (
                    <li key={sentence} dir="auto">
                      {sentence}
                      {sent === null || choice !== "approved" ? null : (
                        <div className="my-1 rounded-lg bg-sunken px-3 py-1">
                          <DataView value={sent} />
                        </div>
                      )}
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
