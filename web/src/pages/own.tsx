import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useNavigate, useRouterState, useSearch } from "@tanstack/react-router";
import { Braces, Plug, SearchX } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { count } from "../lib/format.ts";
import { fragmentText } from "../lib/fragment.ts";
import { readKeptForm, type KeptForm } from "../lib/kept-forms.ts";
import { Load } from "../shell/states.tsx";
import { Button } from "../ui/button.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { TextFileDrop } from "../ui/text-file-drop.tsx";
import { OwnForm } from "./own-form.tsx";
import { SAMPLES } from "./own-samples.ts";
import { OwnBeside } from "./own-beside.tsx";
import { readSource, type Beside, type OwnSource } from "./own-sources.ts";
import { FromUrl } from "./own-url.tsx";
import { handOver } from "./connection-source.ts";
import { PickList } from "./pick-list.tsx";

const CodeEditor = lazy(() =>
  import("../ui/code-editor.tsx").then((module) => ({ default: module.CodeEditor })),
);
const KINDS = [
  { value: "paste", label: "Paste or drop" },
  { value: "webhook", label: "Webhook" },
  { value: "url", label: "Address" },
] as const;

/** What was pasted stays while a person looks at another tab or page; a reload forgets it. */
let kept = "";
let keptBeside: Beside = {};

/** Bring a schema, an API description, a webhook or a list of tools, and get forms at once. */
export function OwnPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const kind = KINDS.find((item) => item.value === search.kind)?.value ?? "paste";
  const id = search.kept ?? "";
  const opened = useQuery({
    queryKey: ["kept-form", id],
    queryFn: () => readKeptForm(id),
    enabled: id !== "",
    // A form that is being filled in does not begin anew because the window got the focus.
    staleTime: Infinity,
  });
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
      <Opened id={id} query={opened}>
        {(form) =>
          kind === "url" ? (
            <FromUrl key={id} opened={form} />
          ) : (
            <FromText key={`${kind} ${id}`} webhook={kind === "webhook"} opened={form} />
          )
        }
      </Opened>
    </Page>
  );
}

/** The page with the form that was kept, once it is read; without one at once. */
function Opened({
  id,
  query,
  children,
}: {
  readonly id: string;
  readonly query: UseQueryResult<KeptForm | null>;
  readonly children: (form: KeptForm | null) => ReactNode;
}) {
  if (id === "") return children(null);
  return (
    <Load query={query}>
      {(form) => (
        <>
          {form === null ? (
            <p role="alert" className="mb-4 text-bad">
              The form that was kept is not on this device any more. Bring its schema again.
            </p>
          ) : null}
          {children(form)}
        </>
      )}
    </Load>
  );
}

function FromText({ webhook, opened }: { readonly webhook: boolean; readonly opened: KeptForm | null }) {
  const hash = useRouterState({ select: (state) => state.location.hash });
  const [text, setText] = useState(() => opened?.origin.text ?? pretty(fragmentText(hash, "schema")) ?? kept);
  const [beside, setBeside] = useState(keptBeside);
  useEffect(() => {
    kept = text;
    keptBeside = beside;
  }, [text, beside]);
  useEffect(() => {
    const linked = pretty(fragmentText(hash, "schema"));
    if (linked !== null) setText(linked);
  }, [hash]);
  const [source, setSource] = useState<OwnSource | null>(null);
  const [problem, setProblem] = useState("");
  const typing = useRef(false);
  useEffect(() => {
    if (text.trim() === "") {
      setSource(null);
      setProblem("");
      return;
    }
    let current = true;
    const look = async () => {
      try {
        const found = await readSource(text, webhook ? "webhook" : "auto", beside);
        if (!current) return;
        setSource(found);
        setProblem("");
      } catch (error) {
        if (!current) return;
        // A form of what stood there before would not be what the person sees on the left.
        setSource(null);
        setProblem(error instanceof Error ? error.message : "This could not be read.");
      }
    };
    // Only typing is waited for; a link, a file or a sample is whole at once.
    const timer = setTimeout(() => void look(), typing.current ? 250 : 0);
    typing.current = false;
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, webhook, beside]);
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,24rem)_minmax(0,1fr)]">
      <TextFileDrop
        accept=".json,.yaml,.yml,application/json"
        label="Choose a file"
        hint="or drop it here"
        className="panel min-w-0 p-3"
        overClassName="border-accent"
        onText={setText}
      >
        <Suspense fallback={<div className="h-64" />}>
          <CodeEditor
            value={text}
            label="Your schema or description"
            onChange={(next) => {
              typing.current = true;
              setText(next);
            }}
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
        {source === null || source.kind === "schema" ? (
          <OwnBeside
            beside={beside}
            onChange={(next) => {
              typing.current = true;
              setBeside(next);
            }}
          />
        ) : null}
      </TextFileDrop>
      {source === null ? (
        <Panel>
          <Empty icon={<Braces />} title="Your forms appear here">
            Paste or drop a document, or try one of the samples.
          </Empty>
        </Panel>
      ) : (
        <Found source={source} text={text} webhook={webhook} opened={opened} />
      )}
    </div>
  );
}

function Found({
  source,
  text,
  webhook,
  opened,
}: {
  readonly source: OwnSource;
  readonly text: string;
  readonly webhook: boolean;
  readonly opened: KeptForm | null;
}) {
  const shareText = text.length < 6000 ? text : null;
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const pick = (id: string) =>
    void navigate({
      to: ".",
      replace: true,
      hash: true,
      search: (before) => ({ ...before, pick: id }),
    });
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
      <OwnForm
        key={made.form.formId + (chosen?.id ?? "")}
        form={made.form}
        shareText={shareText}
        origin={{ kind: webhook ? "webhook" : "paste", text, pick: chosen?.id ?? "" }}
        value={opened?.origin.pick === chosen?.id ? opened?.value : undefined}
        {...(source.items.length > 1 && { heading: chosen?.sub ?? "" })}
      />
    );
  const connect =
    source.kind === "openapi" ? (
      <Button
        size="sm"
        look="primary"
        onClick={() => {
          handOver(text);
          void navigate({ to: "/connections", search: { add: "open" } });
        }}
      >
        <Plug /> Connect this API
      </Button>
    ) : undefined;
  if (source.items.length <= 1)
    return (
      <Panel title={source.title} actions={connect}>
        {body}
      </Panel>
    );
  const noun = source.kind === "tools" ? "tool" : source.kind === "asyncapi" ? "message" : "operation";
  return (
    <Panel title={`${source.title} · ${count(source.items.length, noun)}`} actions={connect} flush>
      <PickList items={source.items} chosen={chosen?.id ?? ""} noun={noun} onPick={pick}>
        {body}
      </PickList>
    </Panel>
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
