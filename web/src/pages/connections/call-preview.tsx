import type { JsonObject } from "@workflow-ui/client";
import { Eye } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { curlOf, type FormStore, wireText } from "@workflow-ui/forms";
import { useFormVersion } from "@workflow-ui/forms-react";
import { objectAt, textAt, type JsonRecord } from "../../lib/read.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { exchange } from "../../api/rpc.ts";
import { errorText } from "../../lib/error-text.ts";

/** The exact request that Send would make, without the credential's value. */
export function CallPreview({ path, store }: { readonly path: string; readonly store: FormStore }) {
  return (
    <WhatIsSent>
      <Body path={path} store={store} />
    </WhatIsSent>
  );
}

/** Opens to show a request before it is sent; what is inside is only made then. */
export function WhatIsSent({ children }: { readonly children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)} className="panel">
      <summary className="flex h-10 items-center gap-2 px-3 text-sm font-medium text-ink-2 select-none">
        <Eye aria-hidden className="size-4" /> What will be sent
      </summary>
      {open ? children : null}
    </details>
  );
}

function Body({ path, store }: { readonly path: string; readonly store: FormStore }) {
  const version = useFormVersion(store);
  const [shown, setShown] = useState<JsonObject | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const abort = new AbortController();
    const look = async () => {
      try {
        setShown(await previewAt(path, wireText(store.value), abort.signal));
        setProblem("");
      } catch (error) {
        if (!abort.signal.aborted) setProblem(errorText(error));
      }
    };
    const timer = setTimeout(() => void look(), 250);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, store, version]);
  const request = objectAt(shown, "request");
  const credential = textAt(shown, "credential");
  return (
    <div className="border-t border-line p-3">
      <p className="mb-2 text-sm text-ink-2">
        {problem === ""
          ? credential === ""
            ? "Without a credential."
            : `The credential "${credential}" is added when it is sent; its value is never shown.`
          : problem}
      </p>
      {shown === null ? null : <CodeBlock label="request" text={requestText(request)} />}
    </div>
  );
}

/** The request that these arguments would make, as a curl command without the credential. */
export async function curlFor(path: string, args: string): Promise<string> {
  return requestText(objectAt(await previewAt(path, args), "request"));
}

async function previewAt(path: string, args: string, signal?: AbortSignal): Promise<JsonObject> {
  const { refusal, data } = await exchange(path, `{"preview":true,"arguments":${args}}`, signal);
  if (refusal !== null) throw refusal;
  return data;
}

function requestText(request: JsonRecord): string {
  const url = textAt(request, "url");
  if (url === "") return JSON.stringify(request, null, 2);
  const headers = Object.entries(objectAt(request, "headers")).map(
    ([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const,
  );
  const body = textAt(request, "body");
  return curlOf({
    method: textAt(request, "method"),
    url,
    headers,
    body: body === "" ? null : body,
    parts: [],
    contentType: null,
    problems: [],
  });
}
