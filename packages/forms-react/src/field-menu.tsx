import { type Field, copyable, initialAt } from "@workflow-ui/forms";
import { Braces, Copy, Ellipsis, Eraser, Link2, RotateCcw, SlashIcon } from "lucide-react";
import { Menu, type MenuEntry } from "./ui/menu.tsx";
import { useFormScope } from "./context.ts";
import { useSettings } from "./settings.ts";

interface Props {
  readonly field: Field;
  readonly pointer: string;
  /** Offered for parts that have fields of their own. */
  readonly onJson?: () => void;
}

const LOOK =
  "grid size-6 place-items-center rounded text-ink-3 opacity-0 group-hover/field:opacity-100 hover:bg-hover hover:text-ink focus-visible:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100";

/** What can be done with one field. */
export function FieldMenu({ field, pointer, onJson }: Props) {
  const { store, document, readOnly, plain, t } = useFormScope();
  const { copyText = copy } = useSettings();
  if (readOnly || plain) return null;
  const name = field.label || field.name || "value";
  return (
    <Menu
      trigger={
        <button type="button" aria-label={t(`Actions for ${name}`)} className={LOOK}>
          <Ellipsis className="size-4" />
        </button>
      }
      entries={entries()}
    />
  );

  async function copy(text: string, done: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      store.onAnnounce(done);
    } catch {
      store.onAnnounce("The browser did not allow copying");
    }
  }

  function entries(): readonly MenuEntry[] {
    const list: MenuEntry[] = [
      {
        label: t("Copy as JSON"),
        icon: <Copy />,
        onSelect: () => void copyText(copyable(document, store.get(pointer), pointer), t("Copied as JSON")),
      },
      {
        label: t("Copy pointer"),
        icon: <Link2 />,
        onSelect: () => void copyText(pointer, t("Pointer copied")),
      },
    ];
    if (onJson !== undefined) list.unshift({ label: t("Edit as JSON"), icon: <Braces />, onSelect: onJson });
    if (field.readOnly === true) return list;
    list.push(null, {
      label: t("Reset to initial"),
      icon: <RotateCcw />,
      onSelect: () => store.set(pointer, initialAt(store.initial, pointer)),
    });
    if (field.nullable)
      list.push({ label: t("Set to null"), icon: <SlashIcon />, onSelect: () => store.set(pointer, null) });
    list.push({
      label: t("Clear"),
      icon: <Eraser />,
      danger: true,
      onSelect: () => store.set(pointer, undefined),
    });
    return list;
  }
}
