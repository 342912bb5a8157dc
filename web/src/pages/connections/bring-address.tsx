import { useQuery } from "@tanstack/react-query";
import { OperationError, type Probe } from "@workflow-ui/client";
import { isFormDocument, type FormDocument } from "@workflow-ui/forms";
import { MousePointerClick, SearchX } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/operations.ts";
import { suggestName, type ConnectionCandidate } from "../../form-maker/connection-source.ts";
import { errorText } from "../../lib/error-text.ts";
import { count } from "../../lib/format.ts";
import type { FormDraft } from "../../lib/form-drafts.ts";
import { objectsAt, textAt } from "../../lib/read.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { BusyNote } from "../../ui/busy-note.tsx";
import { Empty, Panel } from "../../ui/page.tsx";
import { Problems } from "../../ui/problems.tsx";
import { PickList, type Pickable } from "../pick-list.tsx";
import { BroughtForm } from "./brought-form.tsx";
import { NameAndAdd } from "./connection-name.tsx";

/** What is read once, when it is asked for, and not again while it is shown. */
const ONCE = { retry: false, staleTime: Infinity, gcTime: 0 } as const;

/** What is at an address, and the way to connect it. */
export function AtAddress({ url }: { readonly url: string }) {
  const [allowPrivateOrigin, allow] = useState(false);
  const [kind, setKind] = useState<"mcp" | null>(null);
  const seen = useQuery({
    queryKey: ["probe", url, allowPrivateOrigin, kind],
    queryFn: ({ signal }) =>
      call(
        "probe_address",
        { url, ...(allowPrivateOrigin && { allowPrivateOrigin }), ...(kind !== null && { kind }) },
        { signal },
      ),
    ...ONCE,
  });
  if (seen.isPending) return <BusyNote>Reading {url}…</BusyNote>;
  const found = seen.data === undefined ? null : fromProbe(seen.data, allowPrivateOrigin);
  return (
    <div className="min-w-0 space-y-4">
      {seen.error instanceof OperationError && seen.error.code === "blocked" && !allowPrivateOrigin ? (
        <p role="status" className="flex flex-wrap items-center gap-2">
          Not read yet: this is a private address. If you allow it, only this connection may reach it, and
          only this host and port.
          <Button size="sm" onClick={() => allow(true)}>
            Allow this address
          </Button>
        </p>
      ) : (
        <Problems of={seen.error} />
      )}
      {seen.data?.kind === "http" && kind === null ? (
        <p role="status" className="flex flex-wrap items-center gap-2">
          Nothing but GET requests was sent. If an MCP server is at this address, it is asked with a POST.
          <Button size="sm" onClick={() => setKind("mcp")}>
            Ask it as an MCP server
          </Button>
        </p>
      ) : null}
      {found === null ? null : <NameAndAdd key={found.about} found={found} />}
    </div>
  );
}

function fromProbe(seen: Probe, allowPrivateOrigin: boolean): ConnectionCandidate {
  const { kind, title, status = null, definitions: size = 0, existing, wants, credential } = seen;
  const url = seen.url ?? "";
  const reach = allowPrivateOrigin ? { allowPrivateOrigin } : {};
  const base = {
    name: suggestName(title),
    title,
    existing: existing.map((connection) => connection.name),
    ...(credential === undefined
      ? wants !== undefined && { suggested: { kind: wants } }
      : { suggested: credential }),
  };
  if (kind === "http")
    return {
      ...base,
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
  return {
    ...base,
    about: `${kind === "mcp" ? "MCP server" : "API"} with ${count(size, "operation")}`,
    body: { kind, url, title: title.slice(0, 200), ...reach },
  };
}

/** Path and query of an address; what looks like a place for a value is a text here. */
function pathOf(address: string): string {
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`.replaceAll("{", "%7B").replaceAll("}", "%7D");
}

/** The forms of an API that the service fetches, without connecting it: its operations, and the picked one as a form. */
export function AddressForms({ url, opened }: { readonly url: string; readonly opened: FormDraft | null }) {
  const [picked, pick] = useState(opened?.origin.pick ?? "");
  const listed = useQuery({ queryKey: ["operations at", url], queryFn: () => askFor(url, ""), ...ONCE });
  const made = useQuery({
    queryKey: ["form at", url, picked],
    queryFn: () => askFor(url, picked),
    enabled: picked !== "",
    ...ONCE,
  });
  if (listed.isPending) return <BusyNote>Reading the description…</BusyNote>;
  if (listed.error !== null)
    return (
      <p role="alert" className="text-bad">
        {errorText(listed.error)} The service fetches it: trusted hosts for everyone, other public hosts for
        people who are signed in. Check address also connects private ones.
      </p>
    );
  const form = made.data?.form ?? listed.data.form;
  const value = opened?.origin.pick === picked ? opened.value : undefined;
  const body =
    form !== null ? (
      <BroughtForm
        key={form.formId}
        form={form}
        shareText={null}
        origin={{ kind: "url", url, pick: picked }}
        value={value}
        heading={picked}
      />
    ) : made.isFetching ? (
      <BusyNote>Making the form…</BusyNote>
    ) : made.error === null ? (
      <Empty icon={<MousePointerClick />} title="Pick an operation">
        Its parameters, body and credentials become one form, with the request as curl.
      </Empty>
    ) : (
      <Empty icon={<SearchX />} title="No form could be made">
        {errorText(made.error)}
      </Empty>
    );
  const { title, items } = listed.data;
  if (items.length === 0) return <Panel title={title}>{body}</Panel>;
  return (
    <Panel title={`${title} · ${count(items.length, "operation")}`} flush>
      <PickList noun="operation" chosen={picked} onPick={pick} items={items}>
        {body}
      </PickList>
    </Panel>
  );
}

/** The form of an operation at an address; where there are several and none is picked, all of them. */
async function askFor(
  url: string,
  id: string,
): Promise<{
  readonly title: string;
  readonly items: readonly Pickable[];
  readonly form: FormDocument | null;
}> {
  const [method = "", path = ""] = id.split(" ");
  try {
    const { form } = await call(
      "render_openapi_operation_form",
      { ...(url !== "" && { serviceBaseUrl: url }), ...(id !== "" && { method, path }) },
      { interactive: false, meta: { "svc/operations": "all" } },
    );
    if (!isFormDocument(form)) throw new Error("The service made no form of it.");
    return { title: form.title, items: [], form };
  } catch (error) {
    const whole = error instanceof OperationError && id === "" ? objectsAt(error.details, "whole") : [];
    if (!(error instanceof OperationError) || whole.length === 0) throw error;
    const items = whole.map((item) => {
      const sub = `${textAt(item, "method")} ${textAt(item, "path")}`;
      return { id: sub, title: textAt(item, "title", textAt(item, "id", textAt(item, "path"))), sub };
    });
    return { title: textAt(error.details, "title", "Operations"), items, form: null };
  }
}
