import type { OperationError } from "@workflow-ui/client";
import {
  compileForm,
  portabilityNotes,
  type FormDocument,
  type FormValue,
  FormStore,
  type FieldProblem,
  parseText,
  printText,
  wireText,
  withoutSecrets,
} from "@workflow-ui/forms";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useRouterState, useSearch } from "@tanstack/react-router";
import { Archive, Copy, KeyRound, Link2, Play, SearchX, Waypoints } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { callToolText, toolCallBody, type RawAnswer } from "../../api/rpc.ts";
import { Suggestions, Form, richText, useFormVersion } from "@workflow-ui/forms-react";
import { saveDraft } from "../../lib/drafts.ts";
import { copyText } from "../../lib/clipboard.ts";
import { fragmentText, toFragment } from "../../lib/fragment.ts";
import { bytes } from "@workflow-ui/forms-react/ui/bytes.ts";
import { toast, track } from "../../shell/notices.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { EffectBadge } from "../../ui/effect-badge.tsx";
import { useNeed, useToolRefusal } from "../../api/rights.ts";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock, JsonBlock } from "../../ui/code-block.tsx";
import { LongText } from "@workflow-ui/forms-react/ui/long-text.tsx";
import { Menu } from "@workflow-ui/forms-react/ui/menu.tsx";
import { Empty } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { remember, ToolHistory } from "./tool-history.tsx";
import { ToolResult, type Outcome } from "./tool-result.tsx";
import { useIdSuggestions } from "../../api/id-suggestions.ts";
import type { ToolInfo } from "../../api/tools.ts";
import { asOperationError } from "../../lib/error-text.ts";
import { WhatIsSent } from "../connections/call-preview.tsx";

/** Only tools of others have hints and schemas of any size. */
const ForeignForm = lazy(() =>
  import("../connections/foreign-form.tsx").then((module) => ({ default: module.ForeignForm })),
);

/** Most visits end without this tab. */
const CopyAs = lazy(() => import("./tool-copy.tsx").then((module) => ({ default: module.CopyAs })));

/** Forms keep what was typed while the page lives, so that going back and forth loses nothing. */
const stores = new Map<string, FormStore>();

/** One tool: its form, what it would send, its result, its schemas and its history. */
export function ToolPanel({ tool, name }: { readonly tool: ToolInfo | undefined; readonly name: string }) {
  useEffect(() => {
    document.title = `${tool?.title ?? name} · Workflow-UI`;
  }, [tool, name]);
  if (tool === undefined) {
    return (
      <Empty
        icon={<SearchX />}
        title={`There is no tool named ${name}`}
        action={
          <Link to="/tools" className={buttonClass()}>
            All tools
          </Link>
        }
      />
    );
  }
  if (tool.server === "") return <BuiltInTool tool={tool} />;
  return (
    <Suspense>
      <ForeignForm tool={tool}>{(form) => <Operate tool={tool} compiled={form} />}</ForeignForm>
    </Suspense>
  );
}

/** A tool of this service: its schema is ours, and small. */
function BuiltInTool({ tool }: { readonly tool: ToolInfo }) {
  const compiled = useMemo(() => compileTool(tool), [tool]);
  return <Operate tool={tool} compiled={compiled} />;
}

function Operate({ tool, compiled }: { readonly tool: ToolInfo; readonly compiled: FormDocument | null }) {
  const hash = useRouterState({ select: (state) => state.location.hash });
  const store = useMemo(
    () => (compiled === null ? null : storeFor(tool.name, compiled, hash)),
    [compiled, tool.name, hash],
  );
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const suggest = useIdSuggestions(tool);
  const refusal = useToolRefusal(tool.name);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const keep = (value: FormValue | undefined, ok: boolean, ms: number, note: string) => {
    if (store !== null) remember(tool.name, withoutSecrets(store.document, value), ok, ms, note);
  };
  const { mutate: run, isPending: busy } = useMutation({
    onMutate: () => performance.now(),
    mutationFn: (value: FormValue | undefined) =>
      track(tool.title, (signal) => callAny(tool, wireText(value), signal), describe),
    onSuccess: (answer, value) => {
      const { refusal: refused, ok, ms } = answer;
      const at = Date.now();
      if (refused !== null) store?.setProblems(formProblems(refused));
      setOutcome(
        refused?.code === "invalid_arguments"
          ? { kind: "error", error: refused, at, ms }
          : { kind: "answer", answer, at },
      );
      keep(value, ok, ms, describe(answer).note);
    },
    onError: (error, value, began = performance.now()) => {
      const failure = asOperationError(error);
      const ms = performance.now() - began;
      setOutcome({ kind: "error", error: failure, at: Date.now(), ms });
      store?.setProblems(formProblems(failure));
      keep(value, false, ms, failure.message);
    },
  });
  if (store === null)
    return <Empty title="This tool's schema was refused">Its raw schema is all that can be shown.</Empty>;
  const tab = search.tab ?? "form";
  return (
    <div className="mx-auto max-w-[92rem] px-4 pt-5 pb-16 sm:px-6">
      <Header tool={tool} store={store} />
      <Tabs
        label="Parts of the tool"
        value={tab}
        onChange={(next) =>
          void navigate({
            to: ".",
            replace: true,
            search: (before) => ({ ...before, tab: next === "form" ? undefined : next }),
            hash: true,
          })
        }
        items={[
          {
            id: "form",
            label: "Operate",
            content: (
              <div className="grid items-start gap-6 min-[1400px]:grid-cols-2">
                <div className="min-w-0 space-y-6">
                  <Suggestions value={suggest}>
                    <Form
                      store={store}
                      busy={busy}
                      allowInvalid
                      sample={() =>
                        import("@workflow-ui/forms/sample").then(({ sampleValue }) =>
                          sampleValue(store.document),
                        )
                      }
                      {...(refusal === "" && { onSubmit: (value) => run(value) })}
                      submitLabel={<>{busy ? null : tool.isProtected ? <KeyRound /> : <Play />} Run</>}
                      extraActions={<Keep tool={tool} store={store} />}
                    />
                  </Suggestions>
                  {refusal === "" ? null : <p className="text-ink-2">{refusal}</p>}
                  <WhatIsSent>
                    <Preview tool={tool} store={store} />
                  </WhatIsSent>
                </div>
                <ToolResult outcome={outcome} busy={busy} tool={tool} store={store} />
              </div>
            ),
          },
          {
            id: "schema",
            label: "Input schema",
            content: <JsonBlock value={tool.inputSchema} label="Input schema" />,
          },
          {
            id: "output",
            label: "Output schema",
            content:
              tool.outputSchema === null ? (
                <Empty title="This tool states no output schema" />
              ) : (
                <JsonBlock value={tool.outputSchema} label="Output schema" />
              ),
          },
          {
            id: "history",
            label: "History",
            content: (
              <ToolHistory
                tool={tool.name}
                onUse={(args) => {
                  store.replace(args);
                  void navigate({ to: ".", search: (before) => ({ ...before, tab: undefined }) });
                }}
              />
            ),
          },
          {
            id: "copy",
            label: "Copy as",
            content: (
              <Suspense fallback={null}>
                <CopyAs store={store} />
              </Suspense>
            ),
          },
        ]}
      />
    </div>
  );
}

function Header({ tool, store }: { readonly tool: ToolInfo; readonly store: FormStore }) {
  const need = useNeed();
  return (
    <header className="mb-3">
      <div className="flex flex-wrap items-center gap-2">
        <h1 className="text-xl font-semibold">{tool.title}</h1>
        {tool.isProtected ? (
          <Badge tone="accent">
            <KeyRound aria-hidden /> needs {need}
          </Badge>
        ) : (
          <Badge tone="good">public</Badge>
        )}
        <EffectBadge tool={tool} />
        {tool.server === "" ? null : <Badge tone="info">from {tool.server}</Badge>}
        {tool.hasApp ? <Badge tone="info">shows in chat</Badge> : null}
      </div>
      <p className="mt-0.5 font-mono text-sm text-ink-3">{tool.name}</p>
      <LongText text={tool.description} draw={richText} className="mt-2 max-w-3xl text-ink-2" />
      {store.document.notes.length > 0 ? (
        <details className="mt-2 text-sm text-ink-2">
          <summary>
            {store.document.notes.length === 1
              ? "1 note about the schema"
              : `${store.document.notes.length} notes about the schema`}
          </summary>
          <ul className="mt-1 list-disc pl-5">
            {store.document.notes.slice(0, 12).map((note) => (
              <li key={note.schemaPath + note.code}>{note.message}</li>
            ))}
          </ul>
        </details>
      ) : null}
    </header>
  );
}

function Keep({ tool, store }: { readonly tool: ToolInfo; readonly store: FormStore }) {
  const navigate = useNavigate();
  const clean = () => withoutSecrets(store.document, store.value) ?? {};
  return (
    <>
      <Button
        onClick={() =>
          void copyText(
            `${location.origin}/tools/${tool.name}${toFragment("v", wireText(clean()))}`,
            "Link copied, without secrets",
          )
        }
      >
        <Link2 /> <span className="max-sm:sr-only">Copy link</span>
      </Button>
      <Menu
        align="start"
        trigger={
          <Button>
            <Archive /> <span className="max-sm:sr-only">Keep</span>
          </Button>
        }
        entries={[
          {
            label: "As an artifact draft",
            icon: <Archive />,
            onSelect: () =>
              void saveDraft({
                title: `${tool.title} call`,
                type: "tool_call",
                content: { tool: tool.name, arguments: JSON.parse(wireText(clean())) },
              }).then((id) => {
                toast("good", "Kept as a draft on this device");
                return navigate({ to: "/artifacts/$id", params: { id } });
              }),
          },
          {
            label: "As a workflow step",
            icon: <Waypoints />,
            onSelect: () =>
              void navigate({
                to: "/workflows/$id",
                params: { id: "new" },
                hash: toFragment(
                  "step",
                  JSON.stringify({ tool: tool.name, with: JSON.parse(wireText(clean())) }),
                ).slice(1),
              }),
          },
          {
            label: "Copy arguments",
            icon: <Copy />,
            onSelect: () => void copyText(printText(clean()), "Arguments copied, without secrets"),
          },
        ]}
      />
    </>
  );
}

function Preview({ tool, store }: { readonly tool: ToolInfo; readonly store: FormStore }) {
  useFormVersion(store);
  const text = toolCallBody(tool.name, wireText(withoutSecrets(store.document, store.value)));
  const pretty = parseText(text);
  return (
    <div className="border-t border-line p-3">
      <p className="mb-2 text-sm text-ink-2">
        POST /api/mcp · {bytes(new TextEncoder().encode(text).length)}
        {tool.isProtected ? " · with your key in the Authorization header" : ""} · secrets are not shown here
      </p>
      <CodeBlock label="request" text={pretty.problem === undefined ? printText(pretty.value) : text} />
    </div>
  );
}

/** What the service found wrong, at the fields of the form. */
function formProblems(failure: OperationError): readonly FieldProblem[] {
  return failure.problems.map(({ pointer, message }) => ({
    pointer: pointer.replace(/^\/(?:params\/)?arguments/, ""),
    message,
  }));
}

function describe(answer: RawAnswer): { readonly ok: boolean; readonly note: string } {
  if (answer.ok) return { ok: true, note: "Done" };
  const reason = answer.refusal?.message ?? "";
  return { ok: false, note: answer.data["status"] === "degraded" ? `Not done: ${reason}` : reason };
}

/** Our own tools are called by name, synced ones through the tool that calls them. */
function callAny(tool: ToolInfo, argumentsText: string, signal: AbortSignal): Promise<RawAnswer> {
  if (tool.server === "") return callToolText(tool.name, argumentsText, { signal });
  return callToolText(
    "execute_mcp_tool",
    `{"name":${JSON.stringify(tool.name)},"arguments":${argumentsText}}`,
    { signal },
  );
}

/** The form of a tool, or null when its schema is refused. */
function compileTool(tool: ToolInfo): FormDocument | null {
  const { form } = compileForm(tool.inputSchema, {
    formId: `tool:${tool.server}:${tool.name}`,
    title: tool.title,
    notes: portabilityNotes,
    source: { kind: "mcp_tool", ref: tool.name, protected: tool.isProtected },
  });
  return form ?? null;
}

function storeFor(name: string, form: FormDocument, hash: string): FormStore {
  const prefill = fragmentText(hash, "v");
  const parsed = prefill === null ? null : parseText(prefill);
  if (parsed !== null && parsed.problem === undefined) return new FormStore(form, parsed.value);
  let store = stores.get(name);
  if (store === undefined || store.document.formId !== form.formId)
    stores.set(name, (store = new FormStore(form)));
  return store;
}
