import { useSearch } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { Probe, OperationError, JsonObject } from "@workflow-ui/client";
import { call } from "../../api/operations.ts";
import { count } from "../../lib/format.ts";
import { bytes } from "@workflow-ui/forms-react/ui/bytes.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Panel } from "../../ui/page.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { TextFileDrop } from "../../ui/text-file-drop.tsx";
import { NameAndAdd, Problems } from "./connection-name.tsx";
import { readPasted, suggestName, takeHandedOver, type FoundConnection } from "./connection-source.ts";
import { ErrorText } from "../../ui/error-text.tsx";
import { errorText, asOperationError } from "../../lib/error-text.ts";

const RequestsEditor = lazy(() =>
  import("./connection-requests.tsx").then((module) => ({ default: module.RequestsEditor })),
);

const WAYS = [
  { value: "address", label: "Address" },
  { value: "paste", label: "Paste or upload" },
  { value: "requests", label: "Own requests" },
  { value: "program", label: "Program" },
] as const;
/** Characters that a browser can show in a text area without standing still. */
const MOST_SHOWN = 500_000;
type Way = (typeof WAYS)[number]["value"];

/** Adds a connection: look at it first, then name it, then its definitions are accepted as they are. */
export function AddConnection({ onClose }: { readonly onClose: () => void }) {
  const [pasted] = useState(takeHandedOver);
  const [way, setWay] = useState<Way>(pasted === null ? "address" : "paste");
  // Kept here, so that looking at another way does not lose what was pasted.
  const [text, setText] = useState(pasted ?? "");
  return (
    <Panel
      title="Add a connection"
      actions={
        <>
          <Segmented label="How to add it" value={way} options={WAYS} onChange={setWay} />
          <Button look="ghost" size="sm" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      {way === "address" ? (
        <ByAddress />
      ) : way === "paste" ? (
        <ByPaste text={text} onText={setText} />
      ) : way === "requests" ? (
        <Suspense fallback={null}>
          <ByRequests />
        </Suspense>
      ) : (
        <ByProgram />
      )}
    </Panel>
  );
}

function ByAddress() {
  // Agents give people a link with the address that they want connected.
  const { url: wanted = "" } = useSearch({ strict: false });
  const [url, setUrl] = useState(wanted);
  const [privateOrigin, setPrivate] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const [found, setFound] = useState<FoundConnection | null>(null);
  const [failure, setFailure] = useState<OperationError | null>(null);
  const [busy, setBusy] = useState(false);
  const [mayBeMcp, setMayBeMcp] = useState(false);
  const look = async (allowPrivateOrigin: boolean, kind?: "mcp") => {
    setBusy(true);
    setFailure(null);
    setFound(null);
    setMayBeMcp(false);
    setPrivate(allowPrivateOrigin);
    try {
      const seen = await call("probe_address", {
        url: url.trim(),
        ...(allowPrivateOrigin && { allowPrivateOrigin }),
        ...(kind !== undefined && { kind }),
      });
      setMayBeMcp(seen.kind === "http" && kind === undefined);
      setFound(fromProbe(seen, allowPrivateOrigin));
    } catch (error) {
      setFailure(asOperationError(error));
    } finally {
      setBusy(false);
    }
  };
  const blocked = failure?.code === "blocked" && !privateOrigin;
  return (
    <div className="space-y-4">
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void look(false);
        }}
      >
        <label className="block min-w-0 flex-1 basis-72">
          <span className="mb-1 block text-sm font-medium">Address of the API or MCP server</span>
          <input
            value={url}
            onChange={(event) => setUrl(event.target.value)}
            placeholder="https://api.example.com/openapi.json"
            spellCheck={false}
            inputMode="url"
            required
            ref={field}
            className="field-control font-mono"
          />
        </label>
        <Button type="submit" look="primary" busy={busy}>
          <Search /> Look at it
        </Button>
      </form>
      {blocked ? (
        <p role="status" className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
          Not read yet: this is a private address. If you allow it, only this connection may reach it, and
          only this host and port.
          <Button size="sm" onClick={() => void look(true)}>
            Allow this address
          </Button>
        </p>
      ) : (
        <Problems failure={failure} />
      )}
      {mayBeMcp ? (
        <p role="status" className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
          Nothing but GET requests was sent. If an MCP server is at this address, it is asked with a POST.
          <Button size="sm" onClick={() => void look(privateOrigin, "mcp")}>
            Ask it as an MCP server
          </Button>
        </p>
      ) : null}
      {found === null ? null : <NameAndAdd key={found.about} found={found} />}
    </div>
  );
}

function fromProbe(seen: Probe, allowPrivateOrigin: boolean): FoundConnection {
  const { kind, title, status = null, definitions: size = 0, existing } = seen;
  const url = seen.url ?? "";
  const reach = allowPrivateOrigin ? { allowPrivateOrigin } : {};
  if (kind === "http") {
    return {
      name: suggestName(title),
      title,
      about: `${url} answers${status === null ? " nothing" : ` with status ${status}`}, and no description was found there`,
      body: {
        kind,
        url: new URL(url).origin,
        ...reach,
        document: { requests: [{ name: "get", method: "GET", path: pathOf(url), effect: "read" }] },
      },
      problem:
        "It will start with one request, the GET of this address. Paste the API's description instead to get all its operations.",
    };
  }
  return {
    name: suggestName(title),
    title,
    existing: existing.map((connection) => connection.name),
    about: kind === "mcp" ? `MCP server with ${count(size, "tool")}` : `API with ${count(size, "operation")}`,
    body: { kind, url, title: title.slice(0, 200), ...reach },
  };
}

function ByPaste({ text, onText }: { readonly text: string; readonly onText: (text: string) => void }) {
  const [first] = useState(text);
  const [found, setFound] = useState<readonly FoundConnection[]>([]);
  const [problem, setProblem] = useState("");
  const take = async (given: string) => {
    onText(given);
    try {
      setFound(given.trim() === "" ? [] : await readPasted(given));
      setProblem("");
    } catch (error) {
      setFound([]);
      setProblem(errorText(error));
    }
  };
  useEffect(() => {
    if (first !== "") void take(first);
  }, [first]);
  return (
    <div className="space-y-4">
      <TextFileDrop
        accept=".json,.yaml,.yml,.har,.sh,.txt,application/json"
        label="Choose a file"
        hint="an OpenAPI or Swagger document, mcp.json, your MCP client's configuration, curl, Postman or HAR"
        className="min-w-0"
        overClassName="outline outline-accent"
        onText={(given) => void take(given)}
      >
        {text.length > MOST_SHOWN ? (
          <p className="flex flex-wrap items-center gap-3 rounded-lg border border-line px-3 py-2">
            <span role="status">A text of {bytes(text.length)}, too long to show here.</span>
            <Button size="sm" onClick={() => void take("")}>
              Take another
            </Button>
          </p>
        ) : (
          <textarea
            aria-label="Document or configuration"
            value={text}
            onChange={(event) => void take(event.target.value)}
            spellCheck={false}
            rows={8}
            className="field-control h-auto font-mono text-sm"
            placeholder={'{"openapi": "3.1.0", …}  or  {"mcpServers": {"files": {"command": "npx", …}}}'}
          />
        )}
      </TextFileDrop>
      <ErrorText text={problem} />
      {found.map((item) => (
        <NameAndAdd key={item.name + item.about} found={item} pasted stay={found.length > 1} />
      ))}
    </div>
  );
}

function ByRequests() {
  const [address, setAddress] = useState("");
  const [requests, setRequests] = useState<readonly JsonObject[]>([]);
  const host = URL.parse(address)?.host ?? "";
  return (
    <div className="space-y-4">
      <label className="block">
        <span className="mb-1 block text-sm font-medium">Base address</span>
        <input
          value={address}
          onChange={(event) => setAddress(event.target.value)}
          placeholder="https://api.example.com"
          inputMode="url"
          spellCheck={false}
          className="field-control font-mono"
        />
      </label>
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
  );
}

/** Path and query of an address; what looks like a place for a value is a text here. */
function pathOf(address: string): string {
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`.replaceAll("{", "%7B").replaceAll("}", "%7D");
}

function variablesIn(text: string): Readonly<Record<string, string>> {
  const lines = text.split("\n").map((line) => line.trim());
  return Object.fromEntries(
    lines
      .filter((line) => line.includes("="))
      .map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at), line.slice(at + 1)];
      }),
  );
}

function ByProgram() {
  const [line, setLine] = useState("");
  const [variables, setVariables] = useState("");
  const words = splitCommand(line);
  const [command = "", ...args] = words;
  return (
    <div className="space-y-4">
      <label className="block">
        <span className="mb-1 block text-sm font-medium">Command that starts the MCP server</span>
        <input
          value={line}
          onChange={(event) => setLine(event.target.value)}
          placeholder="npx -y @modelcontextprotocol/server-filesystem /srv/files"
          spellCheck={false}
          className="field-control font-mono"
        />
        <span className="mt-1 block text-sm text-ink-2">
          It runs on the service's machine, without a shell. The operator allows this with
          SVC_ALLOW_STDIO=true.
        </span>
      </label>
      <label className="block">
        <span className="mb-1 block text-sm font-medium">Environment variables</span>
        <textarea
          value={variables}
          onChange={(event) => setVariables(event.target.value)}
          placeholder="GITHUB_TOKEN=…"
          rows={3}
          spellCheck={false}
          autoComplete="off"
          className="field-control font-mono"
        />
        <span className="mt-1 block text-sm text-ink-2">
          One a line, NAME=value. Values are never shown again; what looks like a secret, here and in the
          command, is kept in the vault.
        </span>
      </label>
      {command === "" ? null : (
        <NameAndAdd
          found={{
            name: suggestName(args.at(-1)?.startsWith("/") === false ? (args.at(-1) ?? command) : command),
            title: command,
            about: words.join(" "),
            body: { kind: "mcp", command, args, env: variablesIn(variables) },
          }}
        />
      )}
    </div>
  );
}

/** The words of a command line; quotes keep a word together. */
function splitCommand(line: string): readonly string[] {
  return (line.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? []).map((word) => word.replaceAll(/^["']|["']$/g, ""));
}
