import type { Workflow } from "@workflow-ui/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useCallerNames } from "../api/names.ts";
import { fullTime } from "../lib/format.ts";
import { toast } from "../shell/notices.ts";
import { RunRow } from "../runs/run-row.tsx";
import { Load } from "../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Empty, Panel } from "../ui/page.tsx";
import { RowList } from "../ui/rows.tsx";
import { type Graph } from "./document/model.ts";
import { graphOf } from "./document/read-graph.ts";
import { VersionDiff } from "./document/version-diff.tsx";
import { call, useOperation } from "../api/operations.ts";

/** The runs of one workflow. */
export function RunsTab({ workflowId }: { readonly workflowId: string }) {
  const runs = useOperation("list_runs", { workflowId });
  return (
    <Panel flush>
      <Load query={runs}>
        {({ runs: list }) => {
          if (list.length === 0) return <Empty title="This workflow has not run" />;
          return (
            <RowList>
              {list.map((run) => (
                <RunRow key={run.id} run={run} />
              ))}
            </RowList>
          );
        }}
      </Load>
    </Panel>
  );
}

/** The published versions, which never change, and how the draft differs from each. */
export function VersionsTab({
  record,
  onRestore,
}: {
  readonly record: Workflow;
  readonly onRestore: (graph: Graph) => void;
}) {
  const { id } = record;
  const versions = useOperation("list_workflow_versions", { id });
  const [from, setFrom] = useState("");
  const nameOf = useCallerNames();
  const maker = nameOf(record.createdBy ?? "");
  const changer = nameOf(record.updatedBy ?? "");
  const restore = useMutation({
    mutationFn: (version: number) => call("get_workflow_version", { id, version: String(version) }),
    onSuccess: ({ version }) => {
      onRestore(graphOf(version));
      toast("good", `The draft is now version ${version.version} again`, "Undo brings back what it was.");
    },
    onError: (error) => toast("bad", "It was not restored", error.message),
  });
  return (
    <Panel title="Published versions">
      <p className="mb-3 text-ink-2">
        Draft revision {record.revision ?? 1}, changed {fullTime(record.updatedAt)}
        {changer === "" ? "" : ` by ${changer}`}. {maker === "" ? "" : `Created by ${maker}.`}
      </p>
      <Load query={versions}>
        {({ versions: list }) => {
          if (list.length === 0)
            return (
              <p>Nothing is published yet. A published version never changes, and runs are pinned to it.</p>
            );
          return (
            <ul className="divide-y divide-line">
              {list.map((version) => (
                <li key={version.version} className="flex flex-wrap items-center gap-3 py-2">
                  <span className="font-medium">Version {version.version}</span>
                  <span
                    className="min-w-0 flex-1 basis-52 truncate text-sm text-ink-2"
                    title={version.digest}
                  >
                    published {fullTime(version.publishedAt)}
                  </span>
                  <Button size="sm" onClick={() => setFrom(String(version.version))}>
                    Compare with the draft
                  </Button>
                  <Button size="sm" onClick={() => restore.mutate(version.version)}>
                    Restore
                  </Button>
                </li>
              ))}
            </ul>
          );
        }}
      </Load>
      {from === "" ? null : <VersionDiff id={record.id} version={from} onClose={() => setFrom("")} />}
    </Panel>
  );
}
