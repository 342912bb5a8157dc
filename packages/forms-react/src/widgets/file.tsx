import type { Field } from "@workflow-ui/forms";
import { FileUp, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { cx } from "../ui/cx.ts";
import { bytes } from "../ui/bytes.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { useFormScope, useValue } from "../context.ts";
import { Frame, useControlProps } from "../frame.tsx";
import type { WidgetProps } from "./types.ts";

const LIMIT = 8 * 1024 * 1024;

/** A file by choosing or dropping it; its bytes become text as the schema says. */
export function FileWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store, t } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  const input = useRef<HTMLInputElement>(null);
  const [named, setNamed] = useState<{ readonly name: string; readonly size: number } | null>(null);
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState("");
  const text = typeof value === "string" ? value : "";
  const accept = field.ui?.options?.["accept"];
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > LIMIT)
      return setProblem(`${file.name} has ${bytes(file.size)}; at most ${bytes(LIMIT)} can be sent.`);
    setProblem("");
    store.set(pointer, await encode(field, file));
    setNamed({ name: file.name, size: file.size });
  };
  const fixed = props.readOnly === true;
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          if (!fixed) void take(event.dataTransfer.files[0]);
        }}
        className={cx(
          "flex flex-wrap items-center gap-3 rounded-lg border border-dashed px-3 py-2.5",
          over ? "border-accent bg-accent-soft" : "border-line-strong bg-sunken",
        )}
      >
        <input
          ref={input}
          id={props.id}
          type="file"
          aria-invalid={props["aria-invalid"]}
          aria-describedby={props["aria-describedby"]}
          accept={typeof accept === "string" ? accept : field.constraints?.contentMediaType}
          disabled={fixed}
          onChange={(event) => void take(event.target.files?.[0])}
          className="sr-only"
          tabIndex={-1}
        />
        <Button size="sm" disabled={fixed} onClick={() => input.current?.click()}>
          <FileUp /> {t("Choose a file")}
        </Button>
        <p className="min-w-0 flex-1 text-sm break-words text-ink-2">
          {text === ""
            ? t("or drop it here")
            : `${named?.name ?? t("File")} · ${bytes(named?.size ?? sizeOf(text))}`}
        </p>
        {text === "" || fixed ? null : (
          <IconButton
            label={t("Remove the file")}
            onClick={() => {
              store.set(pointer, undefined);
              setNamed(null);
            }}
          >
            <Trash2 />
          </IconButton>
        )}
      </div>
      {problem === "" ? null : (
        <p role="alert" className="mt-1 text-sm text-bad">
          {t(problem)}
        </p>
      )}
    </Frame>
  );
}

async function encode(field: Field, file: File): Promise<string> {
  const { format, contentEncoding, contentMediaType } = field.constraints ?? {};
  if (contentEncoding === undefined && format === undefined && isText(contentMediaType)) return file.text();
  const url = await dataUrl(file);
  if (format === "data-url" || format === "uri") return url;
  // A part of a request has the name of its file.
  if (format === "binary") return url.replace(/^(data:[^;,]*)/, `$1;name=${encodeURIComponent(file.name)}`);
  const base64 = url.slice(url.indexOf(",") + 1);
  return contentEncoding === "base64url"
    ? base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
    : base64;
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""));
    reader.addEventListener("error", () => reject(new Error(`${file.name} could not be read.`)));
    reader.readAsDataURL(file);
  });
}

function isText(media: string | undefined): boolean {
  return media !== undefined && /^text\/|json|xml|yaml/.test(media);
}

function sizeOf(text: string): number {
  const base64 = /^data:[^,]*;base64,(.*)$/s.exec(text)?.[1];
  return base64 === undefined ? text.length : Math.floor((base64.length * 3) / 4);
}
