import { withoutSecrets, type FormStore } from "@workflow-ui/forms";
import { useFormVersion } from "@workflow-ui/forms-react";
import { CodeBlock } from "../../ui/code-block.tsx";
import { snippets } from "./snippets.ts";

/** The call as it is made elsewhere, without secrets. */
export function CopyAs({ store }: { readonly store: FormStore }) {
  useFormVersion(store);
  const args = withoutSecrets(store.document, store.value) ?? {};
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      {snippets(store.document, args, location.origin).map((snippet) => (
        <section key={snippet.title} className="min-w-0">
          <h2 className="mb-1.5 text-sm font-semibold text-ink-2">{snippet.title}</h2>
          <CodeBlock label={snippet.title} text={snippet.text} />
        </section>
      ))}
    </div>
  );
}
