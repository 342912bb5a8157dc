import type { Run } from "@workflow-ui/client";
import { useCallerNames } from "../api/names.ts";
import { ago, took } from "../lib/format.ts";
import { StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Row } from "../ui/rows.tsx";

/** A run in a list: of which version, when, how long, and who started it. */
export function RunRow({ run }: { readonly run: Run }) {
  const nameOf = useCallerNames();
  const { kind, workflowName, workflowVersion: version, startedBy = "" } = run;
  const by = nameOf(startedBy);
  const time = took(run);
  const parts = [
    `${kind === "dry_run" ? "Dry run of " : ""}${version === null ? "draft" : `version ${version}`}`,
    ago(run.createdAt),
    ...(time === "" ? [] : [`took ${time}`]),
    ...(by === "" ? [] : [`by ${by}`]),
  ];
  const sub = parts.join(" · ");
  return (
    <Row
      link={{ to: "/runs/$id", params: { id: run.id } }}
      title={workflowName ?? (kind === "dry_run" ? "Dry run of a draft" : "Run of a removed workflow")}
      sub={sub.charAt(0).toUpperCase() + sub.slice(1)}
      end={<StateBadge state={run.status} />}
    />
  );
}
