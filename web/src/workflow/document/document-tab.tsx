import { useState } from "react";
import { textsAt, textAt } from "../../lib/read.ts";
import { Panel } from "../../ui/page.tsx";
import type { Draft } from "./graph-store.ts";
import { readGraph } from "./read-graph.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { CodeEditor } from "../../ui/lazy-code-editor.tsx";

/** The whole document as JSON: inputs, outputs and policy too. Text that does not parse is kept. */
export function DocumentTab({
  draft,
  onChange,
}: {
  readonly draft: Draft;
  readonly onChange: (next: Draft) => void;
}) {
  const text = JSON.stringify(
    {
      schemaVersion: "suite.workflow.v1",
      name: draft.name,
      description: draft.description,
      tags: draft.tags,
      ...draft.graph,
    },
    null,
    2,
  );
  const [kept, setKept] = useState<string | null>(null);
  const [problem, setProblem] = useState("");
  const change = (typed: string) => {
    const value = parseJson(typed);
    const { graph, wrong } = readGraph(value);
    setProblem(
      value === undefined
        ? "This is not JSON yet."
        : wrong.length > 0
          ? `This has another type than a workflow has there: ${wrong.slice(0, 3).join(", ")}.`
          : "",
    );
    if (value === undefined || wrong.length > 0) return setKept(typed);
    setKept(null);
    onChange({
      name: textAt(value, "name", draft.name),
      description: textAt(value, "description"),
      tags: textsAt(value, "tags"),
      graph,
    });
  };
  return (
    <Panel title="Document">
      <p className="mb-2 text-sm text-ink-2">
        A suite.workflow.v1 document. Inputs and outputs are JSON Schema and values; paste a whole document
        here to import it.
      </p>
      <CodeEditor
        value={kept ?? text}
        same={(typed) =>
          kept === null && JSON.stringify(parseJson(typed)) === JSON.stringify(parseJson(text))
        }
        label="Workflow document"
        onChange={change}
        tall
      />
      {kept === null ? null : (
        <p role="alert" className="mt-1 text-sm text-bad">
          {problem} The text is kept; the graph stays what it was.
        </p>
      )}
    </Panel>
  );
}
