import {
  type FormDocument,
  type FormValue,
  FormStore,
  parseText,
  wireText,
  withoutSecrets,
} from "@workflow-ui/forms";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useRouterState, useSearch } from "@tanstack/react-router";
import { Copy, History, Send, Terminal } from "lucide-react";
import { type DefinitionDetail, OperationError } from "@workflow-ui/client";
import { useEffect, useMemo, useRef, useState } from "react";
import { callPath, changeConnection, refreshConnections, useDefinition } from "../../api/connections.ts";
import { useOperation } from "../../api/operations.ts";
import { exchange, type RawAnswer } from "../../api/rpc.ts";
import { Form, richText } from "@workflow-ui/forms-react";
import type { GivenSchema } from "../../form-maker/compile-given.ts";
import { useFormOf } from "../../form-maker/use-form-of.ts";
import { copyText } from "../../lib/clipboard.ts";
import { fragmentText } from "../../lib/fragment.ts";
import { ago, duration } from "../../lib/format.ts";
import { textAt } from "../../lib/read.ts";
import { Load } from "../../shell/states.tsx";
import { toast, track } from "../../shell/notices.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { useRefusal } from "../../api/rights.ts";
import { ButtonFor } from "../../ui/button-for.tsx";
import { JsonBlock } from "../../ui/code-block.tsx";
import { LongText } from "@workflow-ui/forms-react/ui/long-text.tsx";
import { BusyNote } from "../../ui/busy-note.tsx";
import { Empty } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { AddToWorkflow } from "../workflows/add-to-workflow.tsx";
import { asksSomething } from "./call-questions.tsx";
import { CallResponse } from "./call-response.tsx";
import { CallPreview, curlFor } from "./call-preview.tsx";
import { DefinitionEffect } from "./definition-effect.tsx";
import { RecordButton } from "./connection-record.tsx";
import { DefinitionSettings } from "./connection-settings.tsx";
import { SaveCall, SavedCalls, useSavedCalls } from "./saved-calls.tsx";
import { errorText, asOperationError } from "../../lib/error-text.ts";
import { useAction } from "../../lib/use-action.ts";

/** Forms keep what was typed while the page lives. */
const stores = new Map<string, FormStore>();

/** One definition of a connection: form, preview of the exact request, send, response, history. */
export function OperateDefinition({
  connection,
  name,
}: {
  readonly connection: string;
  readonly name: string;
}) {
  const query = useDefinition(connection, name);
  return (
    <Load query={query}>{(definition) => <Operate connection={connection} definition={definition} />}</Load>
  );
}

interface Props {
  readonly connection: string;
  readonly definition: DefinitionDetail;
}

function Operate({ connection, definition }: Props) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const given = useMemo(() => givenOf(definition), [definition]);
  const made = useFormOf(stores.has(given.formId) ? null : given);
  const store = useMemo(() => storeOf(given.formId, made.form), [given, made.form]);
  const prefill = useRouterState({ select: (state) => fragmentText(state.location.hash, "v") });
  useEffect(() => {
    const parsed = prefill === null ? null : parseText(prefill);
    if (parsed !== null && parsed.problem === undefined && store !== null) store.replace(parsed.value);
  }, [prefill, store]);
  const [outcome, setOutcome] = useState<RawAnswer | OperationError | null>(null);
  const path = callPath(connection, definition.name);
  const sent = useRef("{}");
  const { mutate: send, isPending: busy } = useMutation({
    mutationFn: (more: string) =>
      track(
        definition.title,
        (signal) => exchange(path, `{"arguments":${sent.current},${more}}`, signal),
        (ended) => ({ ok: ended.ok || asksSomething(ended), note: ended.refusal?.message ?? "Done" }),
      ),
    onSuccess: (answer) => {
      if (answer.refusal !== null)
        store?.setProblems(
          answer.refusal.problems.map(({ pointer, message }) => ({
            pointer: pointer.replace(/^\/arguments/, ""),
            message,
          })),
        );
      setOutcome(answer);
    },
    onError: (error) => setOutcome(asOperationError(error)),
    // Not awaited: the answer is shown before the lists are read again.
    onSettled: () => void refreshConnections(),
  });
  const { saved, refresh } = useSavedCalls(definition.id);
  const refusal = useRefusal()("call_definition");
  const callable = definition.state === "active";
  const tab = search.tab ?? "form";
  return (
    <div className="min-w-0">
      <header className="mb-3 space-y-1">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="text-lg font-semibold break-words">{definition.title}</h2>
          <DefinitionEffect effect={definition.effect} />
          {definition.idempotent ? (
            <Badge title="Sending it twice changes nothing more">repeatable</Badge>
          ) : null}
          {callable ? null : <Badge tone="warn">cannot be called: {stateWords(definition.state)}</Badge>}
        </div>
        <p className="font-mono text-sm break-all text-ink-3">{definition.id}</p>
        <LongText text={definition.description} draw={richText} className="max-w-3xl text-ink-2" />
      </header>
      <Tabs
        label="Parts of the definition"
        value={tab}
        onChange={(next) =>
          void navigate({
            to: ".",
            replace: true,
            search: (before) => ({ ...before, tab: next === "form" ? undefined : next }),
          })
        }
        items={[
          {
            id: "form",
            label: "Operate",
            content: made.busy ? (
              <BusyNote>Making the form…</BusyNote>
            ) : store === null ? (
              <Empty title="No form can be made of its schema">
                {made.problem} Use the command line with JSON instead.
              </Empty>
            ) : (
              <div className="grid items-start gap-6 min-[1500px]:grid-cols-2">
                <div className="min-w-0 space-y-5">
                  <Form
                    store={store}
                    busy={busy}
                    allowInvalid
                    sample={() =>
                      import("@workflow-ui/forms/sample").then(({ sampleValue }) =>
                        sampleValue(store.document),
                      )
                    }
                    {...(refusal === "" && {
                      onSubmit: (value) => {
                        sent.current = wireText(value);
                        send('"elicitation":true');
                      },
                    })}
                    submitLabel={
                      <>
                        {busy ? null : <Send />} {callable ? "Send" : "Cannot be sent"}
                      </>
                    }
                    extraActions={
                      <>
                        <AddToWorkflow
                          step={() => ({
                            tool: definition.id,
                            title: definition.title,
                            with: JSON.parse(wireText(withoutSecrets(store.document, store.value) ?? {})),
                          })}
                        />
                        <SaveCall
                          definition={definition.id}
                          title={definition.title}
                          store={store}
                          onSaved={() => void refresh()}
                        />
                        <Button onClick={() => void copyCurl(path, wireText(store.value ?? {}))}>
                          <Terminal /> Copy as curl
                        </Button>
                      </>
                    }
                  />
                  {refusal === "" ? null : <p className="text-ink-2">{refusal}</p>}
                  <SavedCalls
                    saved={saved}
                    onOpen={(value) => store.replace(value)}
                    onChanged={() => void refresh()}
                  />
                  <CallPreview path={path} store={store} />
                </div>
                <div className="min-w-0 space-y-3">
                  <CallResponse
                    outcome={outcome}
                    busy={busy}
                    connection={connection}
                    kept={() => ({
                      title: `${definition.title}: response`,
                      tool: definition.id,
                      arguments: JSON.parse(wireText(withoutSecrets(store.document, store.value) ?? {})),
                    })}
                    onAnswer={(inputResponses, requestState) =>
                      send(JSON.stringify({ inputResponses, requestState }).slice(1, -1))
                    }
                  />
                  {isBlocked(outcome) ? <AllowAddress connection={connection} /> : null}
                </div>
              </div>
            ),
          },
          {
            id: "schema",
            label: "Schema",
            content: (
              <div className="grid gap-4 xl:grid-cols-2">
                <JsonBlock value={definition.inputSchema} label="Input schema" />
                {definition.outputSchema === null ? (
                  <Empty title="It states no output schema" />
                ) : (
                  <JsonBlock value={definition.outputSchema} label="Output schema" />
                )}
              </div>
            ),
          },
          {
            id: "history",
            label: "History",
            content: (
              <Calls
                path={path}
                connection={connection}
                name={definition.name}
                onUse={(args) => {
                  store?.replace(args);
                  void navigate({ to: ".", search: (before) => ({ ...before, tab: undefined }) });
                }}
              />
            ),
          },
          {
            id: "settings",
            label: "Settings",
            content: (
              <DefinitionSettings
                key={definition.digest + JSON.stringify(definition.overrides)}
                connection={connection}
                definition={definition}
                store={store}
              />
            ),
          },
        ]}
      />
    </div>
  );
}

/** Whether the call was refused because its address is private. */
function isBlocked(outcome: RawAnswer | OperationError | null): boolean {
  if (outcome === null) return false;
  const code = outcome instanceof OperationError ? outcome.code : textAt(outcome.data, ["error", "code"]);
  return code === "blocked";
}

function AllowAddress({ connection }: { readonly connection: string }) {
  const allow = useAction({
    title: "Allow address",
    failed: "Not changed",
    run: () => changeConnection("update_connection", { name: connection, allowPrivateOrigin: true }),
    done: () => "Allowed: send it again",
  });
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
      Private addresses are refused unless an admin allows them for one connection.
      <ButtonFor op="update_connection" size="sm" busy={allow.isPending} onClick={() => allow.mutate()}>
        Allow this address
      </ButtonFor>
    </p>
  );
}

function stateWords(state: string): string {
  return state === "quarantined" ? "it waits for review" : state;
}

/** Copies a request; what the credential adds is not in it. */
async function copyCurl(path: string, args: string): Promise<void> {
  try {
    await copyText(await curlFor(path, args), "Copied as curl, without the credential");
  } catch (error) {
    toast("bad", "Not copied", errorText(error));
  }
}

function Calls({
  path,
  connection,
  name,
  onUse,
}: {
  readonly path: string;
  readonly connection: string;
  readonly name: string;
  readonly onUse: (args: FormValue) => void;
}) {
  const calls = useOperation("list_definition_calls", { connection, definition: name });
  return (
    <Load query={calls}>
      {({ calls: all }) =>
        all.length === 0 ? (
          <Empty icon={<History />} title="No calls yet">
            The last 50 calls are kept on the server, without secrets.
          </Empty>
        ) : (
          <>
            <div className="mb-3">
              <RecordButton />
            </div>
            <ul className="divide-y divide-line rounded-xl border border-line">
              {all.map((call) => (
                <li key={call.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
                  <Badge tone={call.ok ? "good" : "bad"} dot>
                    {call.httpStatus ?? (call.ok ? "done" : "failed")}
                  </Badge>
                  <span className="min-w-0 flex-1 basis-56 truncate font-mono text-sm">
                    {JSON.stringify(call.arguments ?? {})}
                  </span>
                  <span className="text-sm text-ink-3">
                    {duration(call.elapsedMs)} · {ago(call.at)}
                  </span>
                  <Button size="sm" onClick={() => onUse(JSON.parse(JSON.stringify(call.arguments ?? {})))}>
                    <Copy /> Use again
                  </Button>
                  <Button
                    size="sm"
                    look="ghost"
                    onClick={() => void copyCurl(path, JSON.stringify(call.arguments ?? {}))}
                  >
                    <Terminal /> Copy as curl
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Load>
  );
}

function givenOf(definition: DefinitionDetail): GivenSchema {
  return {
    schema: definition.inputSchema,
    formId: `connected:${definition.id}:${definition.digest}`,
    title: definition.title,
    source: { kind: "mcp_tool", ref: definition.id, protected: true },
    large: true,
  };
}

function storeOf(formId: string, form: FormDocument | null): FormStore | null {
  const kept = stores.get(formId);
  if (kept !== undefined || form === null) return kept ?? null;
  const made = new FormStore(form);
  stores.set(formId, made);
  return made;
}
