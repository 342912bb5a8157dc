import { Copy } from "lucide-react";
import { Suspense } from "react";
import { copyText } from "../lib/clipboard.ts";
import { IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { LazyCodeEditor } from "./lazy-code-editor.tsx";

/** Text to read and copy. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="group relative min-w-0">
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        className="max-h-[28rem] overflow-auto rounded-lg border border-line bg-sunken p-3 pr-10 font-mono text-[0.78rem] leading-5 break-words whitespace-pre-wrap"
      >
        {text}
      </pre>
      <IconButton
        label={`Copy ${label}`}
        className="absolute top-1.5 right-1.5 bg-sunken"
        onClick={() => void copyText(text)}
      >
        <Copy />
      </IconButton>
    </div>
  );
}

/** JSON to read, with folding and search. */
export function JsonBlock({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <Suspense fallback={<CodeBlock text={text} label={label} />}>
      <LazyCodeEditor value={text} label={label} readOnly tall />
    </Suspense>
  );
}
