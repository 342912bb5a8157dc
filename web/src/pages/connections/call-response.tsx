import { isObject } from "#kernel/json.ts";
import { OperationError } from "@workflow-ui/client";
import { Archive, Copy, Download } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { RawAnswer } from "../../api/rpc.ts";
import { copyText, download } from "../../lib/clipboard.ts";
import { saveDraft } from "../../lib/drafts.ts";
import { duration } from "../../lib/format.ts";
import { at, objectAt, objectsAt, numberAt, textAt, type JsonRecord } from "../../lib/read.ts";
import { theirMessage } from "../../lib/their-message.ts";
import { toast } from "../../shell/notices.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, Spinner } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock, JsonBlock } from "../../ui/code-block.tsx";
import { DataTable, DataView, tablesIn } from "../../ui/data-view.tsx";
import { Empty } from "../../ui/page.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { ArtifactBody } from "./artifact-body.tsx";
import { isPart, Part } from "./call-parts.tsx";
import { asksSomething, CallQuestions, type Answers } from "./call-questions.tsx";
import { titleOf } from "./call-title.ts";

/** A call without its secrets, and what its response is called when it is kept. */
interface MaskedCall {
  readonly title: string;
  readonly tool: string;
  readonly arguments: unknown;
}

/** What the other side answered: status, time, deviations from its schema, and the content as a person reads it. */
export function CallResponse({
  outcome,
  busy,
  connection = "",
  kept,
  onAnswer,
}: {
  readonly outcome: RawAnswer | OperationError | null;
  readonly busy: boolean;
  /** Whose answer it is: links in it are read there. */
  readonly connection?: string;
  /** What is kept with the response, so that it leads back to its form. */
  readonly kept?: () => MaskedCall;
  /** Goes on with a call that asks something. */
  readonly onAnswer?: (answers: Answers, requestState: string) => void;
}) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const box = ref.current;
    if (outcome !== null && box !== null && box.getBoundingClientRect().top > window.innerHeight - 160)
      box.scrollIntoView({ block: "center", behavior: "smooth" });
  }, [outcome]);
  return (
    <section ref={ref} aria-label="Response" aria-busy={busy} className="panel min-w-0 overflow-hidden">
      {busy ? (
        <p role="status" className="flex items-center gap-2 px-4 py-3 text-ink-2">
          <Spinner /> Waiting for the answer…
        </p>
      ) : null}
      {outcome === null ? (
        busy ? null : (
          <Empty title="No response yet">Fill in the form and send it. Nothing is sent before.</Empty>
        )
      ) : outcome instanceof OperationError ? (
        <Refused error={outcome} />
      ) : onAnswer !== undefined && asksSomething(outcome) ? (
        busy ? null : (
          <CallQuestions key={outcome.requestId} data={outcome.data} onAnswer={onAnswer} />
        )
      ) : (
        <Answered
          key={outcome.requestId}
          answer={outcome}
          connection={connection}
          {...(kept !== undefined && { kept })}
        />
      )}
    </section>
  );
}

function Refused({ error, upstream = "" }: { readonly error: OperationError; readonly upstream?: string }) {
  return (
    <>
      <Banner tone="bad" title={titleOf(error)}>
        {error.message} {error.nextAction}
        {upstream === "" ? null : (
          <p className="mt-1 whitespace-pre-wrap">The server says: {theirMessage(upstream)}</p>
        )}
      </Banner>
      {error.problems.length === 0 ? null : (
        <ul className="list-disc space-y-1 p-4 pl-9">
          {error.problems.map((problem) => (
            <li key={problem.pointer + problem.message}>
              <code className="font-mono text-sm">{problem.pointer}</code>: {problem.message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Answered({
  answer,
  connection,
  kept,
}: {
  readonly answer: RawAnswer;
  readonly connection: string;
  readonly kept?: () => MaskedCall;
}) {
  const { data } = answer;
  const status = numberAt(data, "status");
  const elapsed = numberAt(data, "elapsedMs") ?? answer.ms;
  const upstream = textAt(data, ["error", "upstream", "text"]);
  const answered = status !== null || at(data, "content") !== undefined;
  if (answer.refusal !== null && !answered) {
    const theirs = textAt(data, ["error", "details", "upstream", "text"]);
    return <Refused error={answer.refusal} upstream={theirs} />;
  }
  const problems = objectsAt(data, "problems");
  const facts = [status === null ? "" : `HTTP ${status}`, duration(elapsed)].filter((part) => part !== "");
  return (
    <>
      <Banner tone={answer.ok ? "good" : "bad"} title={answer.ok ? "Done" : "The server refused it"}>
        {facts.join(" · ")}
        {answer.ok ? null : (
          <p className="mt-1 whitespace-pre-wrap">
            {upstream === "" ? answer.refusal?.message : `The server says: ${theirMessage(upstream)}`}
          </p>
        )}
      </Banner>
      {problems.length === 0 ? null : (
        <Banner tone="warn" title="The answer deviates from its description">
          <ul className="list-disc pl-5">
            {problems.slice(0, 20).map((problem, index) => (
              <li key={index}>
                <code className="font-mono">{textAt(problem, "pointer", "/")}</code>:{" "}
                {textAt(problem, "message")}
              </li>
            ))}
          </ul>
        </Banner>
      )}
      <Content data={data} text={answer.text} connection={connection} {...(kept !== undefined && { kept })} />
    </>
  );
}

const VIEWS = [
  { value: "read", label: "Read" },
  { value: "table", label: "Table" },
  { value: "json", label: "JSON" },
  { value: "headers", label: "Headers" },
] as const;
type View = (typeof VIEWS)[number]["value"];

function Content({
  data,
  text,
  connection,
  kept,
}: {
  readonly data: JsonRecord;
  readonly text: string;
  readonly connection: string;
  readonly kept?: () => MaskedCall;
}) {
  const [view, setView] = useState<View>("read");
  const content = contentOf(data);
  const tables = tablesIn(content);
  const headers = objectAt(data, "headers");
  const keep = () => {
    const result: unknown = JSON.parse(JSON.stringify(content ?? {}));
    const { title, ...call } = kept?.() ?? { title: "Response" };
    void saveDraft({
      title,
      type: "tool_result",
      content: kept === undefined ? result : { ...call, connection, result },
    }).then(() => toast("good", "Kept as a draft on this device"));
  };
  const options = VIEWS.filter(
    ({ value }) =>
      (value !== "table" || tables.length > 0) && (value !== "headers" || Object.keys(headers).length > 0),
  );
  return (
    <div className="space-y-3 p-4">
      <div className="flex flex-wrap items-center gap-2">
        <Segmented label="Show as" value={view} options={options} onChange={setView} />
        <span className="ml-auto flex flex-wrap gap-2">
          <Button size="sm" onClick={() => void copyText(asText(content), "Response copied")}>
            <Copy /> Copy
          </Button>
          <Button size="sm" onClick={() => download("response.json", text)}>
            <Download /> Download
          </Button>
          <Button size="sm" onClick={keep}>
            <Archive /> Keep
          </Button>
        </span>
      </div>
      {view === "json" ? (
        <JsonBlock value={content} label="Response" />
      ) : view === "headers" ? (
        <DataView value={headers} />
      ) : view === "table" ? (
        tables.map((table) => (
          <section key={table.path} className="space-y-1.5">
            <h3 className="text-sm font-semibold text-ink-2">{table.path}</h3>
            <DataTable rows={table.rows} />
          </section>
        ))
      ) : (
        <Readable content={content} connection={connection} />
      )}
    </div>
  );
}

/** The body of an HTTP answer, or the parts of an MCP answer. */
function contentOf(data: JsonRecord): unknown {
  if (at(data, "body") !== undefined) return at(data, "body");
  const structured = at(data, "structuredContent");
  return isObject(structured) ? structured : (at(data, "content") ?? at(data, "error") ?? {});
}

function Readable({ content, connection }: { readonly content: unknown; readonly connection: string }) {
  if (content === null || content === "") return <p className="text-ink-2">The answer has no content.</p>;
  if (typeof content === "string") return <CodeBlock label="Response" text={content} />;
  if (Array.isArray(content) && content.length > 0 && content.every(isPart))
    return (
      <div className="space-y-3">
        {content.map((part: JsonRecord, index) => (
          <Part key={index} part={part} connection={connection} />
        ))}
      </div>
    );
  const artifact = textAt(content, "artifact");
  if (artifact !== "") return <ArtifactBody id={artifact} content={content} />;
  return <DataView value={content} />;
}

function asText(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content, null, 2);
}
