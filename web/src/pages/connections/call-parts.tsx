import { isObject } from "#kernel/json.ts";
import { useMutation } from "@tanstack/react-query";
import { BookOpen, Download } from "lucide-react";
import { call } from "../../api/operations.ts";
import { downloadBytes } from "../../lib/clipboard.ts";
import { at, textAt, type JsonRecord } from "../../lib/read.ts";
import { toast } from "../../shell/notices.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { DataView } from "../../ui/data-view.tsx";
import { Empty } from "../../ui/page.tsx";
import { ArtifactBody } from "./artifact-body.tsx";
import { errorText } from "../../lib/error-text.ts";

/** True for a part of an MCP answer. */
export function isPart(value: unknown): boolean {
  return isObject(value) && typeof value["type"] === "string";
}

/** A part of an MCP answer: text, picture, sound, a resource or a link to one. */
export function Part({ part, connection }: { readonly part: JsonRecord; readonly connection: string }) {
  const type = textAt(part, "type");
  const artifact = textAt(part, ["kept", "artifact"]);
  const source = `data:${textAt(part, "mimeType")};base64,${textAt(part, "data")}`;
  if (artifact !== "") return <ArtifactBody id={artifact} content={at(part, "kept")} />;
  if (type === "text") return <Text text={textAt(part, "text")} />;
  if (type === "image" && textAt(part, "data") !== "")
    return (
      <img src={source} alt="The server's answer" className="max-w-full rounded-lg border border-line" />
    );
  if (type === "audio" && textAt(part, "data") !== "")
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption -- a tool's answer comes without captions
      <audio controls src={source} />
    );
  if (type === "resource") return <ResourceContent resource={at(part, "resource")} />;
  if (type === "resource_link" && connection !== "")
    return <ResourceLink link={part} connection={connection} />;
  return <DataView value={part} />;
}

/** A link to something that the server keeps: it is read when a person asks for it. */
function ResourceLink({ link, connection }: { readonly link: JsonRecord; readonly connection: string }) {
  const uri = textAt(link, "uri");
  const title = textAt(link, "title", textAt(link, "name", uri));
  const read = useMutation({
    mutationFn: () => call("read_connection_resource", { name: connection, uri }),
    onError: (error) => toast("bad", "Not read", errorText(error)),
  });
  const contents = read.data?.contents;
  return (
    <section aria-label={title} className="space-y-2 rounded-lg border border-line p-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium break-words">{title}</span>
        <code className="font-mono text-sm break-all text-ink-3">{uri}</code>
        <Button size="sm" disabled={read.isPending} onClick={() => read.mutate()}>
          <BookOpen /> Read
        </Button>
      </p>
      {textAt(link, "description") === "" ? null : (
        <p className="text-sm text-ink-2">{textAt(link, "description")}</p>
      )}
      {contents === undefined ? null : contents.length === 0 ? (
        <Empty title="The resource is empty" />
      ) : (
        contents.map((resource, index) => <ResourceContent key={index} resource={resource} />)
      )}
    </section>
  );
}

function ResourceContent({ resource }: { readonly resource: unknown }) {
  const type = textAt(resource, "mimeType");
  const artifact = textAt(resource, ["kept", "artifact"]);
  const blob = textAt(resource, "blob");
  if (artifact !== "") return <ArtifactBody id={artifact} content={at(resource, "kept")} />;
  if (blob === "") return <Text text={textAt(resource, "text")} />;
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(type))
    return (
      <img
        src={`data:${type};base64,${blob}`}
        alt="The resource"
        className="max-w-full rounded-lg border border-line"
      />
    );
  return (
    <Button size="sm" onClick={() => downloadBytes(nameOf(textAt(resource, "uri")), blob, type)}>
      <Download /> Download the file
    </Button>
  );
}

function nameOf(uri: string): string {
  const last = uri.split(/[/?#]/).findLast((part) => part !== "") ?? "";
  return last.replaceAll(/[^\w.-]/g, "_").slice(-80) || "resource";
}

/** Text that is JSON reads better as data. */
function Text({ text }: { readonly text: string }) {
  if (/^\s*[[{]/.test(text)) {
    try {
      return <DataView value={JSON.parse(text)} />;
    } catch {
      return <CodeBlock label="Text" text={text} />;
    }
  }
  return <p className="break-words whitespace-pre-wrap">{text}</p>;
}
