import { type FormValue, type FormStore, wireText, withoutSecrets } from "@workflow-ui/forms";
import { Bookmark, FolderOpen, Trash2 } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { listDrafts, removeDraft, saveDraft, type Draft } from "../../lib/drafts.ts";
import { ago } from "../../lib/format.ts";
import { at, textAt } from "../../lib/read.ts";
import { toast } from "../../shell/notices.ts";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";

/** The kind of draft that a saved call is. */
const SAVED_CALL = "saved_call";

/** The calls of a definition that were saved on this device, without secrets. */
export function useSavedCalls(definition: string): {
  readonly saved: readonly Draft[];
  readonly refresh: () => Promise<void>;
} {
  const [saved, setSaved] = useState<readonly Draft[]>([]);
  const refresh = useCallback(async () => {
    const all = await listDrafts();
    setSaved(
      all.filter(({ type, content }) => type === SAVED_CALL && textAt(content, "tool") === definition),
    );
  }, [definition]);
  useEffect(() => void refresh(), [refresh]);
  return { saved, refresh };
}

/** Saves what is in the form under a name. */
export function SaveCall({
  definition,
  title,
  store,
  onSaved,
}: {
  readonly definition: string;
  readonly title: string;
  readonly store: FormStore;
  readonly onSaved: () => void;
}) {
  const save = async () => {
    const value = withoutSecrets(store.document, store.value) ?? {};
    const content = {
      tool: definition,
      connection: definition.split(":")[0] ?? "",
      arguments: JSON.parse(wireText(value)),
    };
    await saveDraft({ title: `${title} ${new Date().toLocaleString("en")}`, type: SAVED_CALL, content });
    toast("good", "Call saved on this device, without secrets");
    onSaved();
  };
  return (
    <Button onClick={() => void save()}>
      <Bookmark /> Save call
    </Button>
  );
}

/** Saved calls of a definition, each to be opened again with its values. */
export function SavedCalls({
  saved,
  onOpen,
  onChanged,
}: {
  readonly saved: readonly Draft[];
  readonly onOpen: (value: FormValue) => void;
  readonly onChanged: () => void;
}) {
  if (saved.length === 0) return null;
  return (
    <section aria-label="Saved calls">
      <h3 className="mb-1 text-sm font-semibold text-ink-2">Saved calls</h3>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {saved.map((draft) => (
          <li key={draft.id} className="flex flex-wrap items-center gap-2 px-3 py-1.5">
            <span className="min-w-0 flex-1 basis-48 truncate font-mono text-sm">
              {JSON.stringify(at(draft.content, "arguments") ?? {})}
            </span>
            <span className="text-sm text-ink-3">{ago(draft.updatedAt)}</span>
            <Button
              size="sm"
              onClick={() => onOpen(JSON.parse(JSON.stringify(at(draft.content, "arguments") ?? {})))}
            >
              <FolderOpen /> Open
            </Button>
            <IconButton
              label={`Delete the saved call of ${ago(draft.updatedAt)}`}
              onClick={() => void removeDraft(draft.id).then(onChanged)}
            >
              <Trash2 />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
