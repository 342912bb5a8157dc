import { useNavigate, useRouterState, useSearch } from "@tanstack/react-router";
import { Globe, Plug, Search, SquarePen, Waypoints } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from "react";
import type { JsonObject } from "@workflow-ui/client";
import { summarizeSource } from "../../form-maker/ask-worker.ts";
import { addressIn, handOver, suggestName } from "../../form-maker/connection-source.ts";
import type { SourceSummary } from "../../form-maker/form-worker.ts";
import type { PastedText, SourceCompanions } from "../../form-maker/pasted-sources.ts";
import { errorText } from "../../lib/error-text.ts";
import { count } from "../../lib/format.ts";
import { fragmentText } from "../../lib/fragment.ts";
import type { FormDraft } from "../../lib/form-drafts.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { BusyNote } from "../../ui/busy-note.tsx";
import { Empty, Panel } from "../../ui/page.tsx";
import { TextFileDrop } from "../../ui/text-file-drop.tsx";
import { AddressForms, AtAddress } from "./bring-address.tsx";
import { SourceForms } from "./bring-forms.tsx";
import { Companions } from "./companions.tsx";
import { NameAndAdd } from "./connection-name.tsx";
import { SAMPLES } from "./samples.ts";
import { CheckField, InputField } from "../../ui/fields.tsx";
import { CodeEditor } from "../../ui/lazy-code-editor.tsx";

const RequestsEditor = lazy(() =>
  import("./connection-requests.tsx").then((module) => ({ default: module.RequestsEditor })),
);

const WORDS: Readonly<Record<SourceSummary["kind"], string>> = {
  schema: "A JSON Schema: it becomes a form.",
  sample: "A sample of JSON: a form is made of its members.",
  openapi: "An API description: add it as a connection, or use its forms here.",
  asyncapi: "An AsyncAPI document: each message becomes a form.",
  tools: "A list of MCP tools: each becomes a form.",
  requests: "HTTP requests: add them as a connection, or import them as a workflow.",
  servers: "The configuration of an MCP client: add its servers as connections.",
  program: "A command that starts an MCP server: add it as a connection.",
  workflow: "A workflow: import it.",
};

const HINT = `https://api.example.com
  the address of an API or MCP server

or paste
  an OpenAPI or AsyncAPI description
  curl, HAR or a Postman collection
  the configuration of an MCP client
  npx -y a-server, a command that starts one
  a JSON Schema or a sample payload
  a workflow of n8n, Arazzo, …`;

/** What was brought stays while a person looks at another page; a reload forgets it. */
let kept = "";
let lastCompanions: SourceCompanions = {};

/** What a person asked about an address: whether it can be connected, or for its forms. */
type AddressQuestion = "connect" | "forms" | null;

/** One place for whatever a person has: it says what it is and offers what follows from it. */
export function Bring({ opened }: { readonly opened: FormDraft | null }) {
  const { url = "", kind } = useSearch({ strict: false });
  const hash = useRouterState({ select: (state) => state.location.hash });
  const asks = url !== "" ? url : kind === "url" ? ownApi() : null;
  const linked = pretty(fragmentText(hash, "schema")) ?? asks;
  const [text, setText] = useState(() => (opened === null ? (linked ?? kept) : textOf(opened)));
  const [asked, setAsked] = useState<AddressQuestion>(opened?.origin.kind === "url" ? "forms" : null);
  const [byHand, setByHand] = useState(false);
  const [isSample, setSample] = useState((opened?.origin.kind ?? kind) === "webhook");
  const [beside, setCompanions] = useState<SourceCompanions>(() =>
    opened === null ? lastCompanions : (opened.origin.beside ?? {}),
  );
  useEffect(() => {
    kept = text;
    lastCompanions = beside;
  }, [text, beside]);
  const typing = useRef(false);
  const take = (next: string) => {
    setText(next);
    setAsked(null);
    setByHand(false);
  };
  useEffect(() => {
    if (linked !== null) setText(linked);
  }, [linked]);
  const address = addressIn(text);
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a phone what was asked for stands below the fold.
    if (asked !== null || byHand) result.current?.scrollIntoView({ block: "nearest" });
  }, [asked, byHand]);
  const { found, problem, isReading } = useReadSource(address === null ? text : "", isSample, beside, typing);
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,24rem)_minmax(0,1fr)]">
      <TextFileDrop
        accept=".json,.yaml,.yml,.har,.sh,.txt,application/json"
        label="Choose a file"
        hint="or drop it here"
        className="panel min-w-0 p-3"
        overClassName="border-accent"
        onText={take}
      >
        {/* As high before the editor is loaded as with its hint: what stands below must not move away from a click. */}
        <div className={text === "" ? "min-h-60" : "min-h-24"}>
          <CodeEditor
            value={text}
            label="Your API, schema or configuration"
            placeholder={HINT}
            onChange={(next) => {
              typing.current = true;
              take(next);
            }}
            same={(typed) => typed === text}
            onEnter={() => {
              if (address !== null) setAsked("connect");
              return address !== null;
            }}
            tall
          />
        </div>
        {address === null ? null : (
          <div className="mt-2 flex flex-wrap gap-2">
            <ButtonFor op="probe_address" look="primary" onClick={() => setAsked("connect")}>
              <Search /> Check address
            </ButtonFor>
            <Button onClick={() => setAsked("forms")}>
              <Globe /> List its operations
            </Button>
          </div>
        )}
        {isReading ? <BusyNote>Reading…</BusyNote> : null}
        <ErrorText text={problem} className="mt-2 text-sm text-bad" />
        <div className="mt-2 flex flex-wrap items-center gap-1.5 text-sm text-ink-3">
          Examples:
          {[...SAMPLES, { title: "this service's API", text: ownApi() }].map((sample) => (
            <button
              key={sample.title}
              type="button"
              onClick={() => take(sample.text)}
              className="rounded border border-line px-1.5 py-px text-ink-2 hover:border-line-strong hover:text-ink"
            >
              {sample.title}
            </button>
          ))}
        </div>
        <Button size="sm" look="ghost" className="mt-2" onClick={() => setByHand(true)}>
          <SquarePen /> Write requests by hand
        </Button>
        {found?.list.kind === "schema" || found?.list.kind === "sample" ? (
          <CheckField
            label="It is a sample payload, not a schema"
            className="mt-2 text-sm"
            checked={found.list.kind === "sample"}
            disabled={found.list.kind === "sample" && !isSample}
            onCheck={setSample}
          />
        ) : null}
        {(found === null ? problem !== "" : found.list.kind === "schema") ? (
          <Companions
            beside={beside}
            onChange={(next) => {
              typing.current = true;
              setCompanions(next);
            }}
          />
        ) : null}
      </TextFileDrop>
      <div ref={result} className="min-w-0 scroll-mb-16">
        {byHand ? (
          <ByHand />
        ) : address !== null && asked === "connect" ? (
          <AtAddress key={address} url={address} />
        ) : address !== null && asked === "forms" ? (
          <AddressForms key={address} url={address === ownApi() ? "" : address} opened={opened} />
        ) : found !== null ? (
          <Offers {...found} opened={opened} isStale={found.own.text !== text} />
        ) : (
          <Panel>
            <Empty
              icon={<Plug />}
              title={address === null ? "What follows from it appears here" : "An address"}
            >
              {address === null
                ? "Connections to add, forms to use, workflows to import. What you paste is read in this browser: nothing is uploaded, no key is needed."
                : "Check it to connect what is there, or list the operations of the API to use their forms. Only GET requests are sent."}
            </Empty>
          </Panel>
        )}
      </div>
    </div>
  );
}

/** What was found in a text. */
interface ReadSource {
  readonly own: PastedText;
  readonly list: SourceSummary;
}

/** Reads a text in the worker, a moment after the last key. */
function useReadSource(
  text: string,
  isSample: boolean,
  beside: SourceCompanions,
  typing: { current: boolean },
): { readonly found: ReadSource | null; readonly problem: string; readonly isReading: boolean } {
  const [found, setFound] = useState<ReadSource | null>(null);
  const [problem, setProblem] = useState("");
  const [isReading, setReading] = useState(false);
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
      const own: PastedText = { text, as: isSample ? "webhook" : "auto", beside };
      try {
        const list = await summarizeSource(own, stop.signal);
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
  }, [text, isSample, beside, typing]);
  return { found, problem, isReading };
}

interface Offered extends ReadSource {
  readonly opened: FormDraft | null;
  /** Another text was entered and is being read. */
  readonly isStale: boolean;
}

/** What a text is, and everything that follows from it. */
function Offers({ own, list, opened, isStale }: Offered) {
  const navigate = useNavigate();
  const { kind, connections, items } = list;
  return (
    <div className="min-w-0 space-y-4" inert={isStale}>
      <p role="status" className="flex flex-wrap items-center gap-2">
        {WORDS[kind]}
        {kind === "requests" || kind === "workflow" ? (
          <Button
            size="sm"
            onClick={() => {
              handOver(own.text);
              void navigate({ to: "/workflows", search: { import: "open" } });
            }}
          >
            <Waypoints /> Import as a workflow
          </Button>
        ) : null}
      </p>
      {connections.map((item) => (
        <NameAndAdd key={item.name + item.about} found={item} stay={connections.length > 1} />
      ))}
      {items.length === 0 ? null : <SourceForms own={own} source={list} opened={opened} />}
    </div>
  );
}

/** Requests that a person writes down: for an API that has no description. */
function ByHand(): ReactNode {
  const [address, setAddress] = useState("");
  const [requests, setRequests] = useState<readonly JsonObject[]>([]);
  const host = URL.parse(address)?.host ?? "";
  return (
    <Panel title="Requests by hand">
      <Suspense fallback={null}>
        <div className="space-y-4">
          <InputField
            label="Base address"
            look="font-mono"
            value={address}
            placeholder="https://api.example.com"
            inputMode="url"
            spellCheck={false}
            onText={setAddress}
          />
          <RequestsEditor
            requests={requests}
            onChange={setRequests}
            onAddress={(origin) => setAddress((known) => (known === "" ? origin : known))}
          />
          {host === "" || requests.length === 0 ? null : (
            <NameAndAdd
              key={host}
              found={{
                name: suggestName(host),
                title: host,
                about: count(requests.length, "request"),
                body: {
                  kind: "http",
                  title: host,
                  url: address.trim(),
                  document: JSON.parse(JSON.stringify({ requests })),
                },
              }}
            />
          )}
        </div>
      </Suspense>
    </Panel>
  );
}

/** The description of this service itself: something to look at without a key. */
function ownApi(): string {
  return `${location.origin}/openapi.yaml`;
}

function textOf({ origin: { kind, url = "", text = "" } }: FormDraft): string {
  return kind === "url" ? (url === "" ? ownApi() : url) : text;
}

function pretty(text: string | null): string | null {
  if (text === null) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
