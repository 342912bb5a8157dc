import type { FormDocument } from "#forms/index.ts";
import { renderExamples } from "#forms/index.ts";
import { useNavigate, useRouterState, useSearch } from "@tanstack/react-router";
import { Archive, Braces, FileUp, Globe, Link2, SearchX } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { callTool, envelopeError } from "../api/rpc.ts";
import { Form, useFormStore, useFormVersion } from "../forms/form.tsx";
import type { FormStore } from "../forms/form-store.ts";
import { withoutSecrets } from "../forms/secrets.ts";
import { copyText } from "../lib/clipboard.ts";
import { cx } from "../lib/cx.ts";
import { saveDraft } from "../lib/drafts.ts";
import { count } from "../lib/format.ts";
import { fragmentText, toFragment } from "../lib/fragment.ts";
import { at, isBag, textsAt } from "../lib/read.ts";
import { toast } from "../shell/notices.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { SAMPLES } from "./own-samples.ts";
import { readSource, type OwnSource } from "./own-sources.ts";

const CodeEditor = lazy(() =>
  import("../ui/code-editor.tsx").then((module) => ({ default: module.CodeEditor })),
);
const KINDS = [
  { value: "paste", label: "Paste or drop" },
  { value: "webhook", label: "Webhook schema" },
  { value: "url", label: "Address" },
] as const;

/** Bring a schema, an API description, a webhook or a list of tools, and get forms at once. */
export function OwnPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const kind = KINDS.find((item) => item.value === search.kind)?.value ?? "paste";
  return (
    <Page
      wide
      title="Bring your own"
      lead="A JSON Schema, an OpenAPI or AsyncAPI document, a webhook payload or an MCP server's tool list. What you paste is read in this browser: nothing is uploaded, no key is needed."
      actions={
        <Segmented
          label="Where from"
          value={kind}
          options={KINDS}
          onChange={(next) => void navigate({ to: "/own", search: next === "paste" ? {} : { kind: next } })}
        />
      }
    >
      {kind === "url" ? <FromUrl /> : <FromText key={kind} webhook={kind === "webhook"} />}
    </Page>
  );
}

function FromText({ webhook }: { readonly webhook: boolean }) {
  const hash = useRouterState({ select: (state) => state.location.hash });
  const [text, setText] = useState(() => pretty(fragmentText(hash, "schema")) ?? "");
  useEffect(() => {
    const linked = pretty(fragmentText(hash, "schema"));
    if (linked !== null) setText(linked);
  }, [hash]);
  const [source, setSource] = useState<OwnSource | null>(null);
  const [problem, setProblem] = useState("");
  const [over, setOver] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (text.trim() === "") {
      setSource(null);
      setProblem("");
      return;
    }
    let current = true;
    const look = async () => {
      try {
        const found = await readSource(text, webhook ? "webhook" : "auto");
        if (!current) return;
        setSource(found);
        setProblem("");
      } catch (error) {
        if (current) setProblem(error instanceof Error ? error.message : "This could not be read.");
      }
    };
    const timer = setTimeout(() => void look(), 250);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, webhook]);
  const take = (given: File | undefined) => void given?.text().then(setText);
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,24rem)_minmax(0,1fr)]">
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer.files[0]);
        }}
        className={cx("panel min-w-0 p-3", over && "border-accent")}
      >
        <div className="mb-2 flex flex-wrap items-center gap-1.5">
          <input
            ref={file}
            type="file"
            accept=".json,.yaml,.yml,application/json"
            className="hidden"
            aria-label="Choose a file"
            onChange={(event) => take(event.target.files?.[0])}
          />
          <Button size="sm" onClick={() => file.current?.click()}>
            <FileUp /> Choose a file
          </Button>
          <span className="text-sm text-ink-3">or drop it here</span>
        </div>
        <Suspense fallback={<div className="h-64" />}>
          <CodeEditor
            value={text}
            label="Your schema or description"
            onChange={setText}
            same={(typed) => typed === text}
            tall
          />
        </Suspense>
        {problem === "" ? null : (
          <p role="alert" className="mt-2 text-sm text-bad">
            {problem}
          </p>
        )}
        <div className="mt-2 flex flex-wrap items-center gap-1.5 text-sm text-ink-3">
          Try
          {SAMPLES.map((sample) => (
            <button
              key={sample.title}
              type="button"
              onClick={() => setText(sample.text)}
              className="rounded border border-line px-1.5 py-px text-ink-2 hover:border-line-strong hover:text-ink"
            >
              {sample.title}
            </button>
          ))}
        </div>
      </div>
      {source === null ? (
        <Panel>
          <Empty icon={<Braces />} title="Your forms appear here">
            Paste on the left, or try one of the samples.
          </Empty>
        </Panel>
      ) : (
        <Found source={source} shareText={text.length < 6000 ? text : null} />
      )}
    </div>
  );
}

function Found({ source, shareText }: { readonly source: OwnSource; readonly shareText: string | null }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const items = source.items.filter((item) =>
    `${item.title} ${item.sub}`.toLowerCase().includes(query.toLowerCase()),
  );
  const chosen = source.items.find((item) => item.id === search.pick) ?? source.items[0];
  const made = useMemo(() => {
    try {
      return { form: chosen?.make() ?? null, problem: "" };
    } catch (error) {
      return { form: null, problem: error instanceof Error ? error.message : "No form could be made." };
    }
  }, [chosen]);
  const body =
    made.form === null ? (
      <Empty icon={<SearchX />} title="No form could be made">
        {made.problem}
      </Empty>
    ) : (
      <Operate key={made.form.formId + (chosen?.id ?? "")} form={made.form} shareText={shareText} />
    );
  if (source.items.length <= 1) return <Panel title={source.title}>{body}</Panel>;
  return (
    <Panel
      title={`${source.title} · ${count(source.items.length, source.kind === "tools" ? "tool" : source.kind === "asyncapi" ? "message" : "operation")}`}
      flush
    >
      <div className="grid xl:grid-cols-[16rem_minmax(0,1fr)]">
        <div className="border-line max-xl:border-b xl:border-r">
          <div className="p-2">
            <input
              type="search"
              data-page-search
              aria-label="Search in what you brought"
              placeholder="Search"
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              className="field-control"
            />
          </div>
          <ul className="max-h-52 scroll-y px-2 pb-2 xl:max-h-[70vh]">
            {items.slice(0, 400).map((item) => (
              <li key={item.id}>
                <button
                  type="button"
                  aria-pressed={item === chosen}
                  onClick={() =>
                    void navigate({
                      to: ".",
                      replace: true,
                      hash: true,
                      search: (before) => ({ ...before, pick: item.id }),
                    })
                  }
                  className="block w-full rounded-md px-2 py-1 text-left hover:bg-hover aria-pressed:bg-accent-soft aria-pressed:text-accent-ink"
                >
                  <span className="block truncate font-medium">{item.title}</span>
                  <span className="block truncate font-mono text-2xs text-ink-3">{item.sub}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
        <div className="min-w-0 p-4">{body}</div>
      </div>
    </Panel>
  );
}

/** A form with what its value would look like on the wire. Nothing is sent from here. */
function Operate({ form, shareText }: { readonly form: FormDocument; readonly shareText: string | null }) {
  const store = useFormStore(form);
  const keep = () =>
    void saveDraft({
      title: form.title,
      type: "form_value",
      content: {
        source: JSON.parse(JSON.stringify(form.source)),
        value: JSON.parse(JSON.stringify(withoutSecrets(form, store.value) ?? null)),
      },
    }).then(() => toast("good", "Kept as a draft on this device"));
  return (
    <div className="space-y-5">
      {form.description === undefined ? null : (
        <p className="max-w-prose whitespace-pre-line text-ink-2">{form.description}</p>
      )}
      {form.fallback.parts.length > 0 ? (
        <details className="text-sm text-ink-2">
          <summary>{count(form.fallback.parts.length, "part")} must be written as JSON</summary>
          <ul className="mt-1 list-disc pl-5">
            {form.fallback.parts.slice(0, 20).map((part) => (
              <li key={part.path}>
                <code className="font-mono">{part.path === "" ? "/" : part.path}</code>: {part.reason}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
      <Form
        store={store}
        onSubmit={() => toast("good", "Valid: every rule of the schema holds")}
        submitLabel="Check it"
        extraActions={
          <>
            <Button onClick={keep}>
              <Archive /> Keep
            </Button>
            {shareText === null ? null : (
              <Button
                onClick={() =>
                  void copyText(
                    `${location.origin}/own${toFragment("schema", shareText)}`,
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
      <Wire store={store} />
    </div>
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

function FromUrl() {
  const [url, setUrl] = useState("");
  const [operation, setOperation] = useState("");
  const [known, setKnown] = useState<readonly string[]>([]);
  const [form, setForm] = useState<FormDocument | null>(null);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const ask = async (wanted: string) => {
    setBusy(true);
    setProblem("");
    const [, method, path] = /^([A-Z]+) (\/.*)$/.exec(wanted) ?? [];
    const which = path === undefined ? (wanted === "" ? {} : { operationId: wanted }) : { method, path };
    try {
      const answer = await callTool(
        "render_openapi_operation_form",
        { ...(url.trim() !== "" && { serviceBaseUrl: url.trim() }), ...which },
        { interactive: false },
      );
      const made = at(answer.data, "form");
      if (answer.ok && isFormDocument(made)) setForm(made);
      else {
        const operations = textsAt(answer.data, "error", "details", "operations");
        if (operations.length > 0) setKnown(operations);
        else
          setProblem(
            `${envelopeError(answer.data, answer.status).message} ${envelopeError(answer.data, answer.status).nextAction}`,
          );
      }
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "It could not be read.");
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="space-y-5">
      <Panel>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setForm(null);
            setKnown([]);
            void ask(operation);
          }}
          className="flex flex-wrap items-end gap-3"
        >
          <label className="block min-w-0 flex-1 basis-72">
            <span className="mb-1 block text-sm font-medium">
              Address of an API or of its OpenAPI document
            </span>
            <input
              value={url}
              onChange={(event) => setUrl(event.target.value)}
              placeholder={`${location.origin}/openapi.yaml`}
              spellCheck={false}
              className="field-control font-mono"
            />
          </label>
          <label className="block basis-56">
            <span className="mb-1 block text-sm font-medium">Operation</span>
            <input
              value={operation}
              list="operations"
              onChange={(event) => setOperation(event.target.value)}
              placeholder="id, or GET /path"
              spellCheck={false}
              className="field-control font-mono"
            />
          </label>
          <datalist id="operations">
            {known.map((id) => (
              <option key={id} value={id} />
            ))}
          </datalist>
          <Button type="submit" look="primary" busy={busy}>
            <Globe /> Read it
          </Button>
        </form>
        <p className="mt-2 text-sm text-ink-2">
          The service fetches it for you: trusted hosts for everyone, other public hosts for callers with a
          key. Left empty, it is this service's own.
        </p>
        {problem === "" ? null : (
          <p role="alert" className="mt-2 text-sm text-bad">
            {problem}
          </p>
        )}
        {known.length === 0 ? null : (
          <div className="mt-3 flex flex-wrap gap-1.5">
            {known.map((id) => (
              <Button key={id} size="sm" onClick={() => void ask(id)}>
                {id}
              </Button>
            ))}
          </div>
        )}
      </Panel>
      {form === null ? null : (
        <Panel title={form.title}>
          <Operate key={form.formId} form={form} shareText={null} />
        </Panel>
      )}
    </div>
  );
}

/** A form document from our own service: checked by its version. */
export function isFormDocument(value: unknown): value is FormDocument {
  return (
    isBag(value) &&
    value["schemaVersion"] === "svc.form.v1" &&
    Array.isArray(value["fields"]) &&
    isBag(value["root"])
  );
}

function pretty(text: string | null): string | null {
  if (text === null) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
