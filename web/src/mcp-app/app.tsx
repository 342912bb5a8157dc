import { isObject } from "#kernel/json.ts";
import {
  type FormDocument,
  type FormValue,
  FormStore,
  type FieldProblem,
  wireText,
  withoutSecrets,
} from "@workflow-ui/forms";
import { Play, Send } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Form, richText } from "@workflow-ui/forms-react";
import { external, useExternal } from "../lib/external.ts";
import { at, objectAt, objectsAt, textAt, type JsonRecord } from "../lib/read.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { LongText } from "@workflow-ui/forms-react/ui/long-text.tsx";
import { DataView } from "../ui/data-view.tsx";
import { connectHost, formIn, type Host } from "./bridge.ts";
import { ErrorText } from "../ui/error-text.tsx";
import { type Card, isCard, RecordCard } from "./record.tsx";

interface State {
  readonly host: Host | null;
  readonly form: FormDocument | null;
  /** A plan, a run or an approval. */
  readonly card: Card | null;
  readonly problem: string;
}

const state = external<State>({ host: null, form: null, card: null, problem: "" });
let connecting = false;

/** What a chat host shows beside the result of a tool: a form, a plan, a run or an approval. */
export function App() {
  const { host, form, card, problem } = useExternal(state);
  useEffect(() => {
    if (connecting) return;
    connecting = true;
    void connect();
  }, []);
  if (problem !== "") return <p className="p-4 text-bad">{problem}</p>;
  if (card !== null) return <RecordCard card={card} />;
  if (form === null) return <p className="p-4 text-ink-2">Waiting for the form…</p>;
  return <Shown key={form.formId} form={form} host={host} />;
}

async function connect(): Promise<void> {
  try {
    const host = await connectHost({ onInput: () => undefined, onResult: take, onContext: applyContext });
    applyContext(host.context);
    state.update((now) => ({ ...now, host }));
  } catch (error) {
    const problem = error instanceof Error ? error.message : "No host answered.";
    state.update((now) => ({ ...now, problem }));
  }
}

function take(result: JsonRecord): void {
  const form = formIn(result);
  const card = at(result, "structuredContent", "data");
  if (isCard(card)) state.update((now) => ({ ...now, card, problem: "" }));
  else if (isForm(form)) state.update((now) => ({ ...now, form, problem: "" }));
  else
    state.update((now) => ({
      ...now,
      problem: textAt(
        result,
        ["structuredContent", "data", "error", "message"],
        "This result holds no form.",
      ),
    }));
}

function isForm(value: unknown): value is FormDocument {
  return (
    isObject(value) &&
    value["schemaVersion"] === "svc.form.v1" &&
    Array.isArray(value["fields"]) &&
    isObject(value["root"])
  );
}

/** The host's theme and font, so that the form looks at home. */
function applyContext(context: JsonRecord): void {
  const theme = textAt(context, "theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  for (const [name, value] of Object.entries(objectAt(context, "styles", "variables"))) {
    if (name === "--font-sans" && typeof value === "string") document.body.style.fontFamily = value;
  }
}

/** What the tool found wrong with the values, at the fields of the form. */
function problemsIn(result: JsonRecord): readonly FieldProblem[] {
  return objectsAt(result, "structuredContent", "data", "error", "problems").map((problem) => ({
    pointer: textAt(problem, "pointer"),
    message: textAt(problem, "message"),
  }));
}

function Shown({ form, host }: { readonly form: FormDocument; readonly host: Host | null }) {
  const store = useMemo(() => new FormStore(form), [form]);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<JsonRecord | null>(null);
  const [problem, setProblem] = useState("");
  const tool =
    form.source.kind === "mcp_tool" && form.source.server === undefined ? (form.source.ref ?? "") : "";
  const callable = tool !== "" && host?.canCall === true;
  const submit = async (value: FormValue | undefined) => {
    setBusy(true);
    setProblem("");
    try {
      const args: unknown = JSON.parse(wireText(value));
      if (callable) {
        const answer = await host.callTool(tool, isObject(args) ? args : {});
        setResult(answer);
        store.setProblems(problemsIn(answer));
      } else
        await host?.say(
          `Here are the values for "${form.title}":\n\n${wireText(withoutSecrets(form, value))}`,
        );
      await host
        ?.tellModel(`The person filled in "${form.title}".`, {
          formId: form.formId,
          value: JSON.parse(wireText(withoutSecrets(form, value))),
        })
        .catch(() => undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "It was not sent.");
    } finally {
      setBusy(false);
    }
  };
  const envelope = at(result, "structuredContent");
  return (
    <main className="p-4">
      <header className="mb-3 flex flex-wrap items-center gap-2">
        <h1 className="text-lg font-semibold">{form.title}</h1>
        {form.source.protected === true ? <Badge tone="accent">needs a key</Badge> : null}
      </header>
      {form.description === undefined ? null : (
        <LongText text={form.description} draw={richText} className="mb-3 text-ink-2" />
      )}
      <Form
        store={store}
        busy={busy}
        onSubmit={(value) => void submit(value)}
        submitLabel={
          callable ? (
            <>
              <Play /> Run {tool}
            </>
          ) : (
            <>
              <Send /> Use these values
            </>
          )
        }
      />
      <ErrorText text={problem} className="mt-3 text-bad" />
      {result === null ? null : (
        <section aria-label="Result" className="panel mt-4 p-4">
          <p className="mb-2 font-semibold">{at(envelope, "ok") === true ? "Done" : "Not done"}</p>
          <DataView value={at(envelope, "data") ?? result} />
          <Button
            size="sm"
            className="mt-3"
            onClick={() =>
              void host?.say(`The result of ${tool}: ${JSON.stringify(at(envelope, "data") ?? {})}`)
            }
          >
            <Send /> Tell the assistant
          </Button>
        </section>
      )}
    </main>
  );
}
