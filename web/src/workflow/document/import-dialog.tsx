import type { ImportReport } from "@workflow-ui/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Check, HardDrive, Server, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { call } from "../../api/operations.ts";
import { takeHandedOver } from "../../form-maker/connection-source.ts";
import { saveDraft } from "../../lib/drafts.ts";
import { count } from "../../lib/format.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button, Spinner } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextFileDrop } from "../../ui/text-file-drop.tsx";
import { graphOf } from "./read-graph.ts";
import {
  addMissing,
  choiceOf,
  ImportConnections,
  missingConnections,
  missingWords,
  type ConnectionChoices,
} from "../../pages/connections/import-connections.tsx";
import { createProposed } from "../../pages/triggers/proposed.ts";
import { errorText } from "../../lib/error-text.ts";
import { useAction } from "../../lib/use-action.ts";
import { useCalm } from "../../lib/use-calm.ts";

const FORMATS: Readonly<Record<ImportReport["format"], string>> = {
  json: "our own format (JSON)",
  yaml: "our own format (YAML)",
  arazzo: "Arazzo",
  serverless: "Serverless Workflow",
  n8n: "n8n",
  postman: "Postman collection",
  har: "HAR file",
  curl: "curl",
};

/** Reads a workflow in any format the service reads, and names what got lost before anything is kept. */
export function ImportDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const take = (given: string) =>
    void import("#formats/har-import.ts").then((har) => setText(har.smallerArchive(given)));
  useEffect(() => {
    const given = takeHandedOver();
    if (given !== "") take(given);
  }, []);
  const [choices, setChoices] = useState<ConnectionChoices>({});
  const { report, problem, reading } = useReport(text);
  const missing = report === null ? [] : missingConnections(report);
  const adding = report === null ? "" : missingWords(report);
  const isIncomplete = missing.some((connection) => choiceOf(connection, choices).url.trim() === "");
  const leave = () => {
    setText("");
    setChoices({});
    onClose();
  };
  const keepHere = async () => {
    if (report === null) return;
    const id = await saveDraft({
      title: report.name,
      type: "workflow",
      content: {
        ...report.document,
        description: report.description,
        tags: report.tags,
      },
    });
    leave();
    await navigate({ to: "/workflows/$id", params: { id } });
  };
  const save = useAction({
    title: "Import workflow",
    failed: "It was not imported",
    run: async (_, signal) => {
      if (report !== null) await addMissing(report, choices);
      const { workflow, triggers } = await call("import_workflow", { text, save: true }, { signal });
      const id = workflow?.id ?? "";
      await createProposed(id, triggers);
      return id;
    },
    done: (id) => {
      leave();
      void navigate({ to: "/workflows/$id", params: { id } });
      return "Imported as a draft on the server";
    },
  });
  return (
    <Dialog
      open={open}
      onClose={leave}
      title="Import a workflow"
      description="n8n, a Postman collection, a HAR file, curl commands, Arazzo 1.x, Serverless Workflow 1.0.x, or suite.workflow.v1 in JSON or YAML. The service reads it without a key and keeps nothing."
      className="sm:w-[min(44rem,94vw)]"
      footer={
        <>
          <Button disabled={report === null || save.isPending} onClick={() => void keepHere()}>
            <HardDrive /> Open as a draft here
          </Button>
          <Button
            look="primary"
            busy={save.isPending}
            disabled={report === null || isIncomplete}
            onClick={() => save.mutate()}
          >
            <Server /> {adding === "" ? "Save on the server" : `Add ${adding} and save`}
          </Button>
        </>
      }
    >
      <TextFileDrop
        accept=".json,.yaml,.yml,.har,.sh,.txt"
        label="Choose a workflow file"
        hint="drop it here, or paste it below"
        className="rounded-lg"
        overClassName="outline-2 outline-offset-4 outline-accent"
        onText={take}
      >
        <textarea
          data-autofocus
          aria-label="The workflow as text"
          value={text}
          onChange={(event) => setText(event.target.value)}
          spellCheck={false}
          rows={9}
          placeholder={"curl https://api.example.com/orders\n\nor an n8n, Postman, HAR, Arazzo … file"}
          className="field-control resize-y font-mono text-sm"
        />
      </TextFileDrop>
      <div className="mt-3 min-h-8" aria-live="polite">
        {reading ? (
          <p className="flex items-center gap-2 text-ink-2">
            <Spinner /> Reading…
          </p>
        ) : problem !== "" ? (
          <p className="break-words text-bad">{problem}</p>
        ) : report === null ? null : (
          <>
            <Verdict report={report} />
            <div className="mt-3">
              <ImportConnections report={report} choices={choices} onChange={setChoices} />
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}

function Verdict({ report }: { readonly report: ImportReport }) {
  const { losses, validation } = report;
  // What only lacks a connection that will be added is no problem of the workflow.
  const missing = missingConnections(report).map((connection) => `"${connection.name}:`);
  const waiting = validation.problems.filter(
    (problem) => problem.code === "tool_unknown" && missing.some((name) => problem.message.includes(name)),
  ).length;
  const errors = validation.errors - waiting;
  const { warnings } = validation;
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 font-semibold break-words">{report.name}</p>
        <Badge tone="info">{FORMATS[report.format]}</Badge>
        <Badge>{count(graphOf(report).nodes.length, "step")}</Badge>
        {errors > 0 ? <Badge tone="bad">{count(errors, "problem")}</Badge> : null}
        {warnings > 0 ? <Badge tone="warn">{count(warnings, "warning")}</Badge> : null}
      </div>
      {report.triggers.length === 0 ? null : (
        <p className="text-sm">
          Saved with {count(report.triggers.length, "paused trigger")}:{" "}
          {report.triggers.map(({ name, kind }) => `${name ?? kind} (${kind})`).join(", ")}.
        </p>
      )}
      {losses.length === 0 ? (
        <p className="flex items-center gap-2 text-good">
          <Check aria-hidden className="size-4" /> Everything is imported.
        </p>
      ) : (
        <section aria-label="Not imported">
          <p className="flex items-center gap-2 font-medium text-warn">
            <TriangleAlert aria-hidden className="size-4" /> Not imported: {losses.length}
          </p>
          <ul className="mt-1 max-h-48 divide-y divide-line scroll-y rounded-lg border border-line text-sm">
            {losses.map((loss, index) => (
              <li key={`${loss.pointer} ${index}`} className="px-3 py-1.5">
                <span className="font-medium break-words">{loss.what}</span>{" "}
                <span className="text-ink-2">{loss.why}</span>{" "}
                <code className="inline-block font-mono text-xs break-all text-ink-3">{loss.pointer}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** What the service reads in a text, a moment after the last change. */
function useReport(text: string): {
  readonly report: ImportReport | null;
  readonly problem: string;
  readonly reading: boolean;
} {
  const calm = useCalm(text, 300);
  const { data, error, isPending } = useQuery({
    queryKey: ["import_workflow", calm],
    enabled: calm.trim() !== "",
    queryFn: ({ signal }) => call("import_workflow", { text: calm }, { signal, interactive: false }),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (text.trim() === "") return { report: null, problem: "", reading: false };
  const reading = calm !== text || isPending;
  return {
    report: reading ? null : (data ?? null),
    problem: reading || error === null ? "" : errorText(error),
    reading,
  };
}
