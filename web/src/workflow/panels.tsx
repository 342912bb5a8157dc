import { useState } from "react";
import { useCallerNames } from "../api/names.ts";
import { useDocument, useResource } from "../api/queries.ts";
import { fullTime } from "../lib/format.ts";
import { bagAt, bagsAt, numberAt, textAt, type Bag } from "../lib/read.ts";
import { getJson } from "../api/rpc.ts";
import { toast } from "../shell/notices.ts";
import { RunRow } from "../pages/home.tsx";
import { Load } from "../shell/states.tsx";
import { Button } from "../ui/button.tsx";
import { Empty, Panel } from "../ui/page.tsx";
import { RowList } from "../ui/rows.tsx";
import { graphOf, type Graph } from "./model.ts";
import { VersionDiff } from "./version-diff.tsx";

/** The runs of one workflow. */
export function RunsTab({ workflowId }: { readonly workflowId: string }) {
  const runs = useResource("svc://runs");
  return (
    <Panel flush>
      <Load query={runs}>
        {(data) => {
          const list = bagsAt(data, "runs").filter((run) => textAt(run, "workflowId") === workflowId);
          if (list.length === 0) return <Empty title="This workflow has not run" />;
          return (
            <RowList>
              {list.map((run) => (
                <RunRow key={textAt(run, "id")} run={run} />
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
  readonly record: Bag;
  readonly onRestore: (graph: Graph) => void;
}) {
  const id = encodeURIComponent(textAt(record, "id"));
  const versions = useDocument(`/api/svc/workflows/${id}/versions`);
  const [from, setFrom] = useState("");
  const nameOf = useCallerNames();
  const maker = nameOf(textAt(record, "createdBy"));
  const changer = nameOf(textAt(record, "updatedBy"));
  const restore = async (version: number) => {
    try {
      const found = await getJson(`/api/svc/workflows/${id}/versions/${version}`);
      onRestore(graphOf(bagAt(found, "data", "version")));
      toast("good", `The draft is now version ${version} again`, "Undo brings back what it was.");
    } catch (error) {
      toast("bad", error instanceof Error ? error.message : "It was not restored");
    }
  };
  return (
    <Panel title="Published versions">
      <p className="mb-3 text-ink-2">
        Draft revision {numberAt(record, "revision") ?? 1}, changed {fullTime(textAt(record, "updatedAt"))}
        {changer === "" ? "" : ` by ${changer}`}. {maker === "" ? "" : `Made by ${maker}.`}
      </p>
      <Load query={versions}>
        {(data) => {
          const list = bagsAt(data, "data", "versions");
          if (list.length === 0)
            return (
              <p>Nothing is published yet. A published version never changes, and runs are pinned to it.</p>
            );
          return (
            <ul className="divide-y divide-line">
              {list.map((version) => (
                <li key={numberAt(version, "version")} className="flex flex-wrap items-center gap-3 py-2">
                  <span className="font-medium">Version {numberAt(version, "version")}</span>
                  <span
                    className="min-w-0 flex-1 basis-52 truncate text-sm text-ink-2"
                    title={textAt(version, "digest")}
                  >
                    published {fullTime(textAt(version, "publishedAt"))}
                  </span>
                  <Button size="sm" onClick={() => setFrom(String(numberAt(version, "version") ?? ""))}>
                    Compare with the draft
                  </Button>
                  <Button size="sm" onClick={() => void restore(numberAt(version, "version") ?? 0)}>
                    Restore
                  </Button>
                </li>
              ))}
            </ul>
          );
        }}
      </Load>
      {from === "" ? null : (
        <VersionDiff id={textAt(record, "id")} version={from} onClose={() => setFrom("")} />
      )}
    </Panel>
  );
}
