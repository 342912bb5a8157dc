import { FileUp, Trash2 } from "lucide-react";
import { Suspense, useRef } from "react";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { TextFileDrop } from "../../ui/text-file-drop.tsx";
import type { SourceCompanions } from "../../form-maker/pasted-sources.ts";
import { LazyCodeEditor } from "../../ui/lazy-code-editor.tsx";

/** What belongs to a schema and stands in other documents: how its form should look, and what it refers to. */
export function Companions({
  beside,
  onChange,
}: {
  readonly beside: SourceCompanions;
  /** Files are read beside one another: what one of them changes must not undo the other. */
  readonly onChange: (change: (before: SourceCompanions) => SourceCompanions) => void;
}) {
  const { hints = "", companions = {} } = beside;
  const file = useRef<HTMLInputElement>(null);
  const add = async (files: FileList | null) => {
    const read = await Promise.all(
      [...(files ?? [])].map(async (given) => {
        const text = await given.text();
        return [addressIn(text) ?? given.name, text] as const;
      }),
    );
    onChange((before) => ({
      ...before,
      companions: { ...before.companions, ...Object.fromEntries(read) },
    }));
  };
  const giveHints = (text: string) => onChange((before) => ({ ...before, hints: text }));
  const names = Object.keys(companions);
  return (
    <div className="mt-3 space-y-3 border-t border-line pt-3">
      <details open={hints !== "" || undefined}>
        <summary className="cursor-pointer text-sm font-medium">How the form should look</summary>
        <p className="my-1.5 text-sm text-ink-2">
          Hints by JSON Pointer, a uiSchema of react-jsonschema-form, or a UI schema of JSON Forms. A schema
          may also have hints inside it, as <code className="font-mono">x-ui</code>.
        </p>
        <TextFileDrop
          accept=".json,.yaml,.yml,application/json"
          label="Choose a file with hints"
          hint="or drop it here"
          className="min-w-0"
          overClassName="border-accent"
          onText={giveHints}
        >
          <Suspense fallback={<div className="h-24" />}>
            <LazyCodeEditor
              value={hints}
              label="Hints"
              onChange={giveHints}
              same={(typed) => typed === hints}
            />
          </Suspense>
        </TextFileDrop>
      </details>
      <details open={names.length > 0 || undefined}>
        <summary className="cursor-pointer text-sm font-medium">Documents it refers to</summary>
        <p className="my-1.5 text-sm text-ink-2">
          Schemas that <code className="font-mono">$ref</code> leads to, by their $id or their file name.
          Nothing is fetched.
        </p>
        <ul className="space-y-1">
          {names.map((name) => (
            <li key={name} className="flex items-center gap-2 text-sm">
              <span className="min-w-0 flex-1 truncate font-mono">{name}</span>
              <IconButton
                label={`Remove ${name}`}
                onClick={() => {
                  onChange((before) => {
                    const { [name]: _gone, ...rest } = before.companions ?? {};
                    return { ...before, companions: rest };
                  });
                }}
              >
                <Trash2 />
              </IconButton>
            </li>
          ))}
        </ul>
        <input
          ref={file}
          type="file"
          multiple
          accept=".json,.yaml,.yml,application/json"
          aria-label="Choose documents"
          className="hidden"
          onChange={(event) => void add(event.target.files)}
        />
        <Button size="sm" onClick={() => file.current?.click()}>
          <FileUp /> Add documents
        </Button>
      </details>
    </div>
  );
}

/** The address that a document gives itself. */
function addressIn(text: string): string | null {
  try {
    const document: unknown = JSON.parse(text);
    const id =
      typeof document === "object" && document !== null && "$id" in document ? document.$id : undefined;
    return typeof id === "string" && id !== "" ? id : null;
  } catch {
    return null;
  }
}
