import { isObject } from "#kernel/json.ts";
import {
  type FormDocument,
  isFormDocument,
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
  /** The arguments of the call whose result this is. */
  readonly given: JsonRecord;
  readonly form: FormDocument | null;
  /** The tool that `call` of the endpoint for agents calls with the form's values; empty at the other endpoint. */
  readonly agentTool: string;
  /** A plan, a run or an approval. */
  readonly card: Card | null;
  /** A result of another kind. */
  readonly other: unknown;
  readonly problem: string;
}

const state = external<State>({
  host: null,
  given: {},
  form: null,
  agentTool: "",
  card: null,
  other: null,
  problem: "",
});
let connecting = false;

/** What a chat host shows beside the result of a tool: a form, a plan, a run or an approval. */
export function App() {
  const { host, form, agentTool, card, other, problem } = useExternal(state);
  useEffect(() => {
    if (connecting) return;
    connecting = true;
    void connect();
  }, []);
  if (problem !== "") return <p className="p-4 text-bad">{problem}</p>;
  if (card !== null)
    return <RecordCard card={card} host={host} refresh={host?.canCall === true ? refresh : null} />;
  if (other !== null)
    return (
      <main className="p-4">
        <DataView value={other} />
      </main>
    );
  if (form === null) return <p className="p-4 text-ink-2">Waiting for the result…</p>;
  return <Shown key={form.formId} form={form} host={host} agentTool={agentTool} />;
}

function refresh(id: string): void {
  void state
    .get()
    .host?.callTool("get", { kind: "run", id })
    .then(take, (error: unknown) => show({ problem: textOf(error) }));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : "No host answered.";
}

function show(part: Partial<State>): void {
  state.update((now) => ({ ...now, problem: "", ...part }));
}

async function connect(): Promise<void> {
  try {
    const host = await connectHost({
      onInput: (given) => show({ given }),
      onResult: take,
      onContext: applyContext,
    });
    applyContext(host.context);
    show({ host });
    // The result may have come first.
    await takeWhole();
  } catch (error) {
    show({ problem: textOf(error) });
  }
}

function take(result: JsonRecord): void {
  const form = formIn(result);
  const data = at(result, "structuredContent", "data");
  const problem = textAt(data, ["error", "message"]);
  if (isCard(data)) show({ card: data });
  else if (isFormDocument(form)) show({ form });
  else if (problem !== "") show({ problem });
  else {
    show({ other: data });
    if (isObject(form)) void takeWhole().catch((error: unknown) => show({ problem: textOf(error) }));
  }
}

/** A model is given the fields of a form; the form itself is read by this page, past the model. */
async function takeWhole(): Promise<void> {
  const { host, other, given } = state.get();
  if (host?.canCall !== true || !isObject(at(other, "form"))) return;
  const form = formIn(await host.callTool("render_form", { ...given, detail: "full" }));
  if (isFormDocument(form)) show({ form, other: null, agentTool: textAt(given, "tool") });
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

function Shown({
  form,
  host,
  agentTool,
}: Pick<State, "host" | "agentTool"> & { readonly form: FormDocument }) {
  const store = useMemo(() => new FormStore(form), [form]);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<JsonRecord | null>(null);
  const [problem, setProblem] = useState("");
  const formTool =
    form.source.kind === "mcp_tool" && form.source.server === undefined ? (form.source.ref ?? "") : "";
  const tool = agentTool === "" ? formTool : agentTool;
  const callable = tool !== "" && host?.canCall === true;
  const submit = async (value: FormValue | undefined) => {
    setBusy(true);
    setProblem("");
    try {
      const args: unknown = JSON.parse(wireText(value));
      if (callable) {
        const values = isObject(args) ? args : {};
        const answer = await (agentTool === ""
          ? host.callTool(tool, values)
          : host.callTool("call", { name: tool, arguments: values }));
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
