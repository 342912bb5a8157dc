import { isObject } from "#kernel/json.ts";
import {
  compileForm,
  inferSchema,
  isJson,
  parseExact,
  stringifyExact,
  TRUSTED_BOUNDS,
  type FormDocument,
} from "@workflow-ui/forms";
import { Form, useFormStore } from "@workflow-ui/forms-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { words } from "../../lib/format.ts";
import type { JsonRecord } from "../../lib/read.ts";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { TextareaField } from "../../ui/fields.tsx";
import { CodeEditor } from "../../ui/lazy-code-editor.tsx";

/** A form of more than this is slower to use than its JSON. */
const MAX_FORM_TEXT = 40_000;
const MAX_TEXTS = 12;

interface Props {
  readonly text: string;
  /** The content that the text says; undefined while it is not JSON. */
  readonly content: unknown;
  readonly onChange: (text: string) => void;
}

/** Written text is edited as text, other content as a form made of what is there, the rest as JSON. */
export function ContentEditor({ text, content, onChange }: Props) {
  const kind = useRef(kindOf(text, content)).current;
  const form = useMemo(
    () => (kind === "form" ? formOf(content) : null),
    // The form is made of what was there first: typing does not change it.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [kind],
  );
  if (form !== null) return <AsForm form={form} text={text} onChange={onChange} />;
  if (kind === "text" && typeof content === "string")
    return (
      <textarea
        dir="auto"
        aria-label="Text"
        rows={12}
        value={content}
        onChange={(event) => onChange(JSON.stringify(event.target.value))}
        className="field-control field-sizing-content"
      />
    );
  return kind === "texts" && isObject(content) ? (
    <Texts text={text} content={content} onChange={onChange} />
  ) : (
    <AsJson text={text} onChange={onChange} />
  );
}

function kindOf(text: string, content: unknown): "text" | "texts" | "form" | "json" {
  if (typeof content === "string") return "text";
  if (Array.isArray(content) && content.length > 0 && text.length <= MAX_FORM_TEXT) return "form";
  const fields = isObject(content) ? Object.values(content) : [];
  if (fields.length === 0) return "json";
  if (fields.length <= MAX_TEXTS && fields.every((value) => typeof value === "string")) return "texts";
  return text.length <= MAX_FORM_TEXT ? "form" : "json";
}

function formOf(content: unknown): FormDocument | null {
  if (!isJson(content)) return null;
  const { form } = compileForm(inferSchema(content), {
    formId: "artifact",
    title: "Content",
    source: { kind: "json_schema" },
    bounds: TRUSTED_BOUNDS,
  });
  return form ?? null;
}

function AsForm({
  form,
  text,
  onChange,
}: {
  readonly form: FormDocument;
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const store = useFormStore(form, parseExact(text));
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  }, [onChange]);
  useEffect(() => store.subscribeAll(() => latest.current(stringifyExact(store.value ?? {}))), [store]);
  return <Form store={store} />;
}

function AsJson({ text, onChange }: Omit<Props, "content">) {
  return <CodeEditor value={text} label="Content as JSON" onChange={onChange} tall />;
}

function Texts(props: Props & { readonly content: JsonRecord }) {
  const { content, onChange } = props;
  const [view, setView] = useState<"fields" | "json">("fields");
  const fields = Object.entries(content);
  return (
    <>
      <div className="mb-2">
        <Segmented
          label="Edit as"
          value={view}
          onChange={setView}
          options={[
            { value: "fields", label: fields.length === 1 ? "Text" : "Fields" },
            { value: "json", label: "JSON" },
          ]}
        />
      </div>
      {view === "json" ? (
        <AsJson {...props} />
      ) : (
        fields.map(([name, value]) => (
          <TextareaField
            key={name}
            label={words(name)}
            className="mb-3"
            look="field-sizing-content"
            dir="auto"
            rows={fields.length === 1 ? 12 : 3}
            value={typeof value === "string" ? value : ""}
            onText={(text) => onChange(JSON.stringify({ ...content, [name]: text }, null, 2))}
          />
        ))
      )}
    </>
  );
}
