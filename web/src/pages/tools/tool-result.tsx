import type { OperationError, Problem } from "@workflow-ui/client";
import { Archive, Copy, Download } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { RawAnswer } from "../../api/rpc.ts";
import { type FormStore, withoutSecrets } from "@workflow-ui/forms";
import { copyText, download } from "../../lib/clipboard.ts";
import { saveDraft } from "../../lib/drafts.ts";
import { duration } from "../../lib/format.ts";
import { bytes } from "@workflow-ui/forms-react/ui/bytes.ts";
import { isJsonRecord } from "#kernel/json.ts";
import { toast } from "../../shell/notices.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, Spinner } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock, JsonBlock } from "../../ui/code-block.tsx";
import { DataTable, DataView, tablesIn } from "../../ui/data-view.tsx";
import { Menu } from "@workflow-ui/forms-react/ui/menu.tsx";
import { Empty } from "../../ui/page.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import type { ToolInfo } from "../../api/tools.ts";
import { textAt } from "../../lib/read.ts";

/** How a call ended: with an answer, or without one. */
export type Outcome =
  | { readonly kind: "answer"; readonly answer: RawAnswer; readonly at: number }
  | { readonly kind: "error"; readonly error: OperationError; readonly at: number; readonly ms: number };

interface Props {
  readonly outcome: Outcome | null;
  readonly busy: boolean;
  readonly tool: ToolInfo;
  readonly store: FormStore;
}

/** The answer: done, not done, or refused, and what was confirmed. */
export function ToolResult({ outcome, busy, tool, store }: Props) {
  const ref = useRef<HTMLElement>(null);
  const when = outcome?.at;
  useEffect(() => {
    if (when === undefined) return;
    const box = ref.current;
    if (box !== null && box.getBoundingClientRect().top > window.innerHeight - 120)
      box.scrollIntoView({ block: "start", behavior: "smooth" });
  }, [when]);
  return (
    <section
      ref={ref}
      aria-label="Result"
      aria-busy={busy}
      className="panel top-4 min-[1400px]:sticky min-w-0 overflow-hidden"
    >
      {busy ? (
        <p role="status" className="flex items-center gap-2 px-4 py-3 text-ink-2">
          <Spinner /> Running…
        </p>
      ) : null}
      {outcome === null ? (
        busy ? null : (
          <Empty title="No result yet">Fill in the form and run it. Nothing is sent before.</Empty>
        )
      ) : outcome.kind === "error" ? (
        <Failed error={outcome.error} ms={outcome.ms} />
      ) : (
        <Answered key={outcome.at} answer={outcome.answer} tool={tool} store={store} />
      )}
    </section>
  );
}

function Failed({ error, ms }: { readonly error: OperationError; readonly ms: number }) {
  return (
    <>
      <Banner tone="bad" title={error.code === "unreachable" ? "Not sent or not answered" : "Refused"}>
        {error.message}
      </Banner>
      <div className="space-y-2 p-4">
        <ProblemList problems={error.problems} />
        {error.nextAction === null ? null : <p className="text-ink-2">{error.nextAction}</p>}
        <p className="text-sm text-ink-3">
          Code {error.code}
          {error.status > 0 ? ` · HTTP ${error.status}` : ""} · {duration(ms)}
        </p>
      </div>
    </>
  );
}

function ProblemList({ problems }: { readonly problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="list-disc space-y-1 pl-5">
      {problems.map((problem) => (
        <li key={problem.pointer + problem.message}>
          <code className="font-mono text-sm">{problem.pointer === "" ? "/" : problem.pointer}</code>:{" "}
          {problem.message}
          {problem.fix === undefined ? null : <span className="text-ink-2"> {problem.fix}</span>}
        </li>
      ))}
    </ul>
  );
}

type View = "view" | "table" | "json" | "raw";

function Answered({
  answer,
  tool,
  store,
}: {
  readonly answer: RawAnswer;
  readonly tool: ToolInfo;
  readonly store: FormStore;
}) {
  const tables = tablesIn(answer.data);
  const [view, setView] = useState<View>("view");
  const degraded = answer.data["status"] === "degraded";
  const keep = () =>
    void saveDraft({
      title: `${tool.title} result`,
      type: "tool_result",
      content: {
        tool: tool.name,
        arguments: JSON.parse(JSON.stringify(withoutSecrets(store.document, store.value) ?? {})),
        result: answer.data,
      },
    }).then(() => toast("good", "Result kept as a draft on this device"));
  return (
    <>
      {answer.ok ? (
        <Banner tone="good" title="Done">
          {confirmed(answer)}
        </Banner>
      ) : degraded ? (
        <Banner tone="warn" title="Not done: degraded">
          {answer.refusal?.message} {answer.refusal?.nextAction}
        </Banner>
      ) : (
        <Banner tone="bad" title="Not done">
          {answer.refusal?.message}
          <ProblemList problems={answer.refusal?.problems ?? []} />
        </Banner>
      )}
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <Segmented
          label="Show the result as"
          value={view}
          onChange={setView}
          options={[
            { value: "view", label: "View" },
            ...(tables.length > 0 ? [{ value: "table" as const, label: "Table" }] : []),
            { value: "json", label: "JSON" },
            { value: "raw", label: "Raw" },
          ]}
        />
        <span
          className="flex-1 text-right text-xs whitespace-nowrap text-ink-3 tabular-nums"
          title={answer.requestId === "" ? undefined : `Request ${answer.requestId}`}
        >
          {duration(answer.ms)} · {bytes(answer.text.length)}
        </span>
        <Menu
          trigger={
            <Button size="sm" look="ghost">
              Keep
            </Button>
          }
          entries={[
            { label: "As an artifact draft", icon: <Archive />, onSelect: keep },
            {
              label: "Copy JSON",
              icon: <Copy />,
              onSelect: () => void copyText(JSON.stringify(answer.data, null, 2), "Result copied"),
            },
            {
              label: "Download",
              icon: <Download />,
              onSelect: () => download(`${tool.name}.json`, JSON.stringify(answer.data, null, 2)),
            },
          ]}
        />
      </div>
      <div className="max-h-[70vh] scroll-y p-4" tabIndex={0} role="group" aria-label="Result data">
        {view === "view" ? (
          <DataView value={answer.data} />
        ) : view === "table" ? (
          <div className="space-y-4">
            {tables.map((table) => (
              <div key={table.path}>
                <h3 className="mb-1 text-sm font-semibold text-ink-2">{table.path}</h3>
                <DataTable rows={table.rows} />
              </div>
            ))}
          </div>
        ) : view === "json" ? (
          <JsonBlock value={answer.data} label="Result as JSON" />
        ) : (
          <CodeBlock text={answer.text} label="Raw response" />
        )}
      </div>
      {answer.traceId === "" ? null : (
        <p className="border-t border-line px-4 py-2 font-mono text-xs break-all text-ink-3">
          trace {answer.traceId}
        </p>
      )}
    </>
  );
}

/** What the answer itself says was confirmed; nothing is inferred. */
function confirmed(answer: RawAnswer): ReactNode {
  const { confirmation } = answer.data;
  if (!isJsonRecord(confirmation)) return null;
  if (confirmation["received"] === true)
    return `Confirmed by ${textAt(confirmation, "source", "the target")}.`;
  return confirmation["required"] === true ? "Not confirmed by the target yet." : null;
}
