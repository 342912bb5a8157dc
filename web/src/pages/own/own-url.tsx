import { isObject } from "#kernel/json.ts";
import { OperationError } from "@workflow-ui/client";
import type { FormDocument } from "@workflow-ui/forms";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Globe, MousePointerClick, SearchX } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { count } from "../../lib/format.ts";
import type { FormOrigin, KeptForm } from "../../lib/kept-forms.ts";
import { objectsAt, textAt, type JsonRecord } from "../../lib/read.ts";
import { Button, Spinner } from "@workflow-ui/forms-react/ui/button.tsx";
import { Empty, Panel } from "../../ui/page.tsx";
import { OwnForm } from "./own-form.tsx";
import { PickList } from "../pick-list.tsx";
import { call } from "../../api/operations.ts";
import { errorText } from "../../lib/error-text.ts";
import { ErrorText } from "../../ui/error-text.tsx";

interface Listed {
  readonly title: string;
  readonly operations: readonly JsonRecord[];
}

/** Forms of an API that the service fetches: all its operations listed, the picked one as a form. */
export function FromUrl({ opened }: { readonly opened: KeptForm | null }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [url, setUrl] = useState(opened?.origin.url ?? search.url ?? "");
  const [read, setRead] = useState(opened?.origin.url ?? "");
  const [listed, setListed] = useState<Listed | null>(null);
  const [form, setForm] = useState<FormDocument | null>(null);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState<"" | "read" | "pick">("");
  const [picked, setPicked] = useState(opened?.origin.pick ?? "");

  const ask = async (
    what: "read" | "pick",
    address: string,
    which: { method?: string; path?: string },
  ): Promise<void> => {
    setBusy(what);
    setProblem("");
    try {
      const { form: made } = await call(
        "render_openapi_operation_form",
        { ...(address !== "" && { serviceBaseUrl: address }), ...which },
        { interactive: false, meta: { "svc/operations": "all" } },
      );
      if (isFormDocument(made)) setForm(made);
    } catch (error) {
      const whole = error instanceof OperationError ? objectsAt(error.details, "whole") : [];
      if (error instanceof OperationError && whole.length > 0)
        setListed({ title: textAt(error.details, "title", "Operations"), operations: whole });
      else setProblem(errorText(error));
    } finally {
      setBusy("");
    }
  };
  const first = useRef(opened);
  useEffect(() => {
    const kept = first.current;
    first.current = null;
    if (kept === null) return;
    const [method = "", path = ""] = kept.origin.pick.split(" ");
    void ask("pick", kept.origin.url ?? "", { method, path });
  }, []);
  const origin: FormOrigin = { kind: "url", url: read, pick: picked };
  const value = opened?.origin.pick === picked && opened.origin.url === read ? opened.value : undefined;
  const begin = () => {
    const address = url.trim();
    setForm(null);
    setListed(null);
    setPicked("");
    setRead(address);
    void navigate({
      to: ".",
      replace: true,
      search: (before) => ({ ...before, url: address === "" ? undefined : address }),
    });
    void ask("read", address, {});
  };
  const pick = (id: string) => {
    const operation = listed?.operations.find((item) => idOf(item) === id);
    setPicked(id);
    setForm(null);
    void ask("pick", read, { method: textAt(operation, "method"), path: textAt(operation, "path") });
  };
  return (
    <div className="space-y-5">
      <Panel>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            begin();
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
              inputMode="url"
              className="field-control font-mono"
            />
          </label>
          <Button type="submit" look="primary" busy={busy === "read"}>
            <Globe /> List its operations
          </Button>
        </form>
        <p className="mt-2 text-sm text-ink-2">
          The service fetches it for you: trusted hosts for everyone, other public hosts for callers with a
          key. Without an address it is this service's own.
        </p>
        <ErrorText text={problem} className="mt-2 text-sm break-words text-bad" />
      </Panel>
      {listed === null ? (
        form === null ? null : (
          <Panel title={form.title}>
            <OwnForm key={form.formId} form={form} shareText={null} origin={origin} value={value} />
          </Panel>
        )
      ) : (
        <Panel title={`${listed.title} · ${count(listed.operations.length, "operation")}`} flush>
          <PickList
            noun="operation"
            chosen={picked}
            onPick={pick}
            items={listed.operations.map((item) => ({
              id: idOf(item),
              title: textAt(item, "title", textAt(item, "id", textAt(item, "path"))),
              sub: idOf(item),
            }))}
          >
            {form !== null ? (
              <OwnForm
                key={form.formId}
                form={form}
                shareText={null}
                origin={origin}
                value={value}
                heading={picked}
              />
            ) : busy === "pick" ? (
              <p role="status" className="flex items-center gap-2 p-6 text-ink-2">
                <Spinner /> Making the form…
              </p>
            ) : problem === "" ? (
              <Empty icon={<MousePointerClick />} title="Pick an operation">
                Its parameters, body and credentials become one form, with the request as curl.
              </Empty>
            ) : (
              <Empty icon={<SearchX />} title="No form could be made">
                {problem}
              </Empty>
            )}
          </PickList>
        </Panel>
      )}
    </div>
  );
}

function idOf(operation: JsonRecord): string {
  return `${textAt(operation, "method")} ${textAt(operation, "path")}`;
}

/** A form document from our own service: checked by its version. */
function isFormDocument(value: unknown): value is FormDocument {
  return (
    isObject(value) &&
    value["schemaVersion"] === "svc.form.v1" &&
    Array.isArray(value["fields"]) &&
    isObject(value["root"])
  );
}
