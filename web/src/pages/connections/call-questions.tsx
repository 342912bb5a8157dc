import { isObject } from "#kernel/json.ts";
import { FormStore, wireText } from "@workflow-ui/forms";
import { ExternalLink } from "lucide-react";
import { useMemo, useState } from "react";
import type { RawAnswer } from "../../api/rpc.ts";
import { Form } from "@workflow-ui/forms-react";
import type { GivenSchema } from "../../form-maker/compile-given.ts";
import { useFormOf } from "../../form-maker/use-form-of.ts";
import { at, objectAt, textAt, type JsonRecord } from "../../lib/read.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { BusyNote } from "../../ui/busy-note.tsx";

/** What a person answered to each question of a server. */
export type Answers = Readonly<Record<string, { readonly action: string; readonly content?: unknown }>>;

/** Whether a call waits for the answer of a person. */
export function asksSomething({ status, data }: RawAnswer): boolean {
  return status === 202 && textAt(data, ["error", "code"]) === "input_required";
}

/** What the server asks before it goes on, one question after the other. */
export function CallQuestions({
  data,
  onAnswer,
}: {
  readonly data: JsonRecord;
  readonly onAnswer: (answers: Answers, requestState: string) => void;
}) {
  const [answers, setAnswers] = useState<Answers>({});
  const requests = Object.entries(objectAt(data, "inputRequests"));
  const next = requests.find(([id]) => answers[id] === undefined);
  if (next === undefined) return null;
  const [id, request] = next;
  const answer = (given: Answers[string]) => {
    const all = { ...answers, [id]: given };
    setAnswers(all);
    if (requests.every(([each]) => all[each] !== undefined)) onAnswer(all, textAt(data, "requestState"));
  };
  return (
    <section aria-label="Question of the server">
      <Banner tone="warn" title="The server asks before it goes on">
        <p className="break-words whitespace-pre-wrap">{textAt(request, ["params", "message"])}</p>
      </Banner>
      <Question key={id} id={id} params={objectAt(request, "params")} onAnswer={answer} />
    </section>
  );
}

function Question({
  id,
  params,
  onAnswer,
}: {
  readonly id: string;
  readonly params: JsonRecord;
  readonly onAnswer: (given: Answers[string]) => void;
}) {
  const refuse = (
    <>
      <Button onClick={() => onAnswer({ action: "decline" })}>Decline</Button>
      <Button look="ghost" onClick={() => onAnswer({ action: "cancel" })}>
        Cancel the question
      </Button>
    </>
  );
  const given = useMemo(() => givenFor(id, at(params, "requestedSchema")), [id, params]);
  const { form, problem, busy } = useFormOf(given);
  const store = useMemo(() => (form === null ? null : new FormStore(form)), [form]);
  if (textAt(params, "mode") === "url") {
    const url = URL.parse(textAt(params, "url"));
    const isSafe = url !== null && /^https?:$/.test(url.protocol);
    return (
      <div className="space-y-3 p-4">
        <p className="break-all">
          It wants you to open <code className="font-mono">{textAt(params, "url")}</code>. Check the host
          before you do: the address is the server's, not ours.
        </p>
        <p className="flex flex-wrap gap-2">
          {isSafe ? (
            <a
              href={url.href}
              target="_blank"
              rel="noopener noreferrer"
              className={buttonClass("secondary", "md")}
            >
              <ExternalLink /> Open {url.host}
            </a>
          ) : null}
          <Button look="primary" onClick={() => onAnswer({ action: "accept" })}>
            I have opened it, go on
          </Button>
          {refuse}
        </p>
      </div>
    );
  }
  if (busy) return <BusyNote>Making the form…</BusyNote>;
  if (store === null)
    return (
      <p className="flex flex-wrap gap-2 p-4">
        No form can be made of it. {problem} {refuse}
      </p>
    );
  return (
    <div className="p-4">
      <Form
        store={store}
        submitLabel="Answer"
        extraActions={refuse}
        onSubmit={(value) => onAnswer({ action: "accept", content: JSON.parse(wireText(value ?? {})) })}
      />
    </div>
  );
}

function givenFor(id: string, schema: unknown): GivenSchema | null {
  return isObject(schema)
    ? { schema, formId: `question:${id}`, title: "Answer", source: { kind: "json_schema" } }
    : null;
}
