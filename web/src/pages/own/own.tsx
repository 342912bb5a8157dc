import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useNavigate, useRouterState, useSearch } from "@tanstack/react-router";
import { Braces, Plug, SearchX } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { count } from "../../lib/format.ts";
import { fragmentText } from "../../lib/fragment.ts";
import { readKeptForm, type KeptForm } from "../../lib/kept-forms.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { TextFileDrop } from "../../ui/text-file-drop.tsx";
import { listOwn } from "../../form-maker/ask-worker.ts";
import type { OwnList } from "../../form-maker/form-worker.ts";
import type { Beside, OwnText } from "../../form-maker/own-sources.ts";
import { useFormOfPick, type MadeForm } from "../../form-maker/use-form-of.ts";
import { Making } from "../../ui/making.tsx";
import { OwnForm } from "./own-form.tsx";
import { SAMPLES } from "./own-samples.ts";
import { OwnBeside } from "./own-beside.tsx";
import { FromUrl } from "./own-url.tsx";
import { handOver } from "../connections/connection-source.ts";
import { PickList } from "../pick-list.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { errorText } from "../../lib/error-text.ts";

const CodeEditor = lazy(() =>
  import("../../ui/code-editor.tsx").then((module) => ({ default: module.CodeEditor })),
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
    // A form that is being filled in does not begin again because the window got the focus.
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
  const [beside, setBeside] = useState<Beside>(() =>
    opened === null ? keptBeside : (opened.origin.beside ?? {}),
  );
  useEffect(() => {
    kept = text;
    keptBeside = beside;
  }, [text, beside]);
  useEffect(() => {
    const linked = pretty(fragmentText(hash, "schema"));
    if (linked !== null) setText(linked);
  }, [hash]);
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState("");
  const [isReading, setReading] = useState(false);
  const typing = useRef(false);
  useEffect(() => {
    setReading(false);
    if (text.trim() === "") {
      setFound(null);
      setProblem("");
      return;
    }
    const stop = new AbortController();
    const look = async () => {
      setReading(true);
      const own: OwnText = { text, as: webhook ? "webhook" : "auto", beside };
      try {
        const list = await listOwn(own, stop.signal);
        if (stop.signal.aborted) return;
        setFound({ own, list });
        setProblem("");
      } catch (error) {
        if (stop.signal.aborted) return;
        // A form of what stood there before would not be what the person sees on the left.
        setFound(null);
        setProblem(errorText(error));
      }
      setReading(false);
    };
    // Only typing is waited for; a link, a file or a sample is whole at once.
    const timer = setTimeout(() => void look(), typing.current ? 250 : 0);
    typing.current = false;
    return () => {
      stop.abort();
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
        {isReading ? <Making>Reading…</Making> : null}
        <ErrorText text={problem} className="mt-2 text-sm text-bad" />
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
        {found === null || found.list.kind === "schema" ? (
          <OwnBeside
            beside={beside}
            onChange={(next) => {
              typing.current = true;
              setBeside(next);
            }}
          />
        ) : null}
      </TextFileDrop>
      {found === null ? (
        <Panel>
          <Empty icon={<Braces />} title="Your forms appear here">
            Paste or drop a document, or try one of the samples.
          </Empty>
        </Panel>
      ) : (
        <FoundForms found={found} opened={opened} />
      )}
    </div>
  );
}

/** What was found in a text. */
interface Found {
  readonly own: OwnText;
  readonly list: OwnList;
}

/** The form that is asked for, and while it is being made the one before it. */
function useLast(made: MadeForm, id: string): { readonly made: MadeForm; readonly id: string } {
  const [last, setLast] = useState({ made, id });
  if (!made.busy && last.made !== made) setLast({ made, id });
  return made.busy ? last : { made, id };
}

function FoundForms({ found, opened }: { readonly found: Found; readonly opened: KeptForm | null }) {
  const { own, list: source } = found;
  const { text } = own;
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
  const chosenId = chosen?.id;
  const wanted = useMemo(() => (chosenId === undefined ? null : { own, id: chosenId }), [own, chosenId]);
  const asked = useFormOfPick(wanted);
  const { made, id } = useLast(asked, chosenId ?? "");
  const shown = source.items.find((item) => item.id === id);
  const isTool = source.kind === "tools";
  const body = (
    <div aria-busy={asked.busy}>
      {asked.busy ? <Making>Making the form…</Making> : null}
      {made.form === null ? (
        asked.busy ? null : (
          <Empty icon={<SearchX />} title="No form could be made">
            {made.problem}
          </Empty>
        )
      ) : (
        <div inert={asked.busy}>
          <OwnForm
            key={made.form.formId + id}
            form={made.form}
            shareText={shareText}
            origin={{
              kind: own.as === "webhook" ? "webhook" : "paste",
              text,
              pick: id,
              beside: own.beside,
            }}
            value={opened?.origin.pick === id ? opened.value : undefined}
            {...(source.kind !== "schema" && { heading: isTool ? id : (shown?.sub ?? "") })}
            {...(isTool && shown !== undefined && shown.sub !== id && { about: shown.sub })}
          />
        </div>
      )}
    </div>
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
