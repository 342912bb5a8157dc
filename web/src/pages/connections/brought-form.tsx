import { useMutation } from "@tanstack/react-query";
import type { OperationError } from "@workflow-ui/client";
import {
  type FormDocument,
  type FormValue,
  hasRequest,
  type FormStore,
  withoutSecrets,
  atMost,
  MOST_PARTS,
} from "@workflow-ui/forms";
import { renderExamples } from "#rendering/examples.ts";
import { Archive, Link2, Send } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { RawAnswer } from "../../api/rpc.ts";
import { Form, richText, useFormStore, useFormVersion } from "@workflow-ui/forms-react";
import { copyText } from "../../lib/clipboard.ts";
import { toFragment } from "../../lib/fragment.ts";
import { saveFormDraft, type FormOrigin } from "../../lib/form-drafts.ts";
import { toast } from "../../shell/notices.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { LongText } from "@workflow-ui/forms-react/ui/long-text.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { CallResponse } from "./call-response.tsx";
import { requestHere, sendHere } from "./send-request.ts";
import { asOperationError } from "../../lib/error-text.ts";

/**
 * A form with what its value would look like on the wire. Only requests to this service itself are sent from here;
 * others need a connection.
 */
export function BroughtForm({
  form,
  shareText,
  origin,
  value,
  heading,
  about,
}: {
  readonly form: FormDocument;
  readonly shareText: string | null;
  readonly origin: FormOrigin;
  /** What the form begins with. */
  readonly value?: FormValue | undefined;
  /** A line under the form's title; without it the title stands elsewhere. */
  readonly heading?: string;
  /** What a tool's author says about it. */
  readonly about?: string;
}) {
  const store = useFormStore(form, value);
  const [outcome, setOutcome] = useState<RawAnswer | OperationError | null>(null);
  const requestOf = (given: FormValue | undefined) =>
    hasRequest(form.source) ? requestHere(form.source.request, given) : null;
  const isHere = requestOf(store.value) !== null;
  const sending = useMutation({
    mutationFn: sendHere,
    onSuccess: setOutcome,
    onError: (error) => setOutcome(asOperationError(error)),
  });
  const tell = useVerdict(store);
  const keep = () =>
    void saveFormDraft(form, store.value, origin).then(() =>
      toast("good", "Kept as a draft on this device", "Artifacts lists it and opens it here again."),
    );
  return (
    <div className="space-y-5">
      {heading === undefined ? null : (
        <div>
          <h3 className="text-lg font-semibold break-words">{form.title.slice(0, 200)}</h3>
          {heading === form.title ? null : (
            <p className="font-mono text-sm break-all text-ink-3">{heading}</p>
          )}
        </div>
      )}
      {[about, form.description].map((text, at) =>
        text === undefined ? null : (
          // oxlint-disable-next-line react/no-array-index-key -- two texts that never move
          <LongText key={at} text={text} draw={richText} className="max-w-prose text-ink-2" />
        ),
      )}
      {form.fallback.parts.length > 0 ? (
        <details className="text-sm text-ink-2">
          <summary>
            {form.fallback.parts.length === 1
              ? "1 part"
              : `${atMost(form.fallback.parts.length, MOST_PARTS)} parts`}{" "}
            must be written as JSON
          </summary>
          <ul className="mt-1 list-disc pl-5">
            {form.fallback.parts.slice(0, 20).map((part) => (
              <li key={part.path}>
                <code className="font-mono">{part.path === "" ? "/" : part.path}</code>: {part.reason}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
      <HintNotes form={form} />
      <Form
        store={store}
        busy={sending.isPending}
        onSubmit={(given, undecided) => {
          const request = requestOf(given);
          if (request === null) tell(undecided);
          else sending.mutate(request);
        }}
        submitLabel={
          isHere ? (
            <>
              <Send /> Send
            </>
          ) : (
            "Check it"
          )
        }
        extraActions={
          <>
            <Button onClick={keep}>
              <Archive /> Keep
            </Button>
            {shareText === null ? null : (
              <Button
                onClick={() =>
                  void copyText(
                    `${location.origin}/connections?add=open${toFragment("schema", shareText)}`,
                    "Link copied; the schema is in the link itself",
                  )
                }
              >
                <Link2 /> Copy link
              </Button>
            )}
          </>
        }
      />
      {isHere ? <CallResponse outcome={outcome} busy={sending.isPending} /> : null}
      <Wire store={store} />
    </div>
  );
}

/** Says whether the value is valid, until the value changes or is checked again. */
function useVerdict(store: FormStore): (undecided: string) => void {
  const message = useRef({ of: store.value, takeAway: () => {} });
  useEffect(() => {
    const stop = store.subscribeAll(() => {
      if (message.current.of !== store.value) message.current.takeAway();
    });
    return () => {
      stop();
      message.current.takeAway();
    };
  }, [store]);
  return (undecided) => {
    message.current.takeAway();
    message.current = {
      of: store.value,
      takeAway:
        undecided === ""
          ? toast("good", "Valid: every rule of the schema holds")
          : toast("info", "Not decided: no problem was found, but not every rule was checked"),
    };
  };
}

/** Hints that have no effect, with the reason. */
function HintNotes({ form }: { readonly form: FormDocument }) {
  const notes = form.notes.filter(({ code }) => code === "hint");
  if (notes.length === 0) return null;
  return (
    <details className="text-sm text-ink-2">
      <summary>{notes.length === 1 ? "1 hint has a remark" : `${notes.length} hints have remarks`}</summary>
      <ul className="mt-1 list-disc pl-5">
        {notes.map((note) => (
          <li key={`${note.schemaPath} ${note.message}`}>
            {note.schemaPath === "" ? null : <code className="font-mono break-all">{note.schemaPath}: </code>}
            {note.message}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Wire({ store }: { readonly store: FormStore }) {
  useFormVersion(store);
  const [kind, setKind] = useState<string>("");
  const value = withoutSecrets(store.document, store.value) ?? null;
  const examples = renderExamples(store.document, value, `${location.origin}/api/mcp`).filter(
    (example) => store.document.source.request === undefined || example.kind !== "json-rpc",
  );
  const chosen =
    examples.find((example) => example.kind === kind) ??
    examples.find(
      (example) => example.kind === (store.document.source.request === undefined ? "json" : "curl"),
    ) ??
    examples[0];
  if (chosen === undefined) return null;
  return (
    <section aria-label="What it looks like when sent">
      <div className="mb-2">
        <Segmented
          label="Show as"
          value={chosen.kind}
          options={examples.map((example) => ({ value: example.kind, label: example.kind }))}
          onChange={setKind}
        />
      </div>
      <CodeBlock text={chosen.text} label={chosen.title} />
    </section>
  );
}
